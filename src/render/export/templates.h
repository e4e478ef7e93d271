// Source of the programs that exports are, as templates of filled_template().
#pragma once

#include <string_view>

namespace softwood::render {

extern const std::string_view python_template;            // answers rows one by one
extern const std::string_view python_batch_template;      // answers many rows at once, by NumPy
extern const std::string_view javascript_usage_template;  // the comment at the beginning
extern const std::string_view javascript_template;
extern const std::string_view java_template;
extern const std::string_view java_math_template;  // exp, asinh and softmax, within the class

}  // namespace softwood::render
