// The part of exported Python that answers many rows at once by NumPy.
#pragma once

#include <string_view>

namespace softwood::render {

extern const std::string_view python_batch_template;  // of filled_template

}  // namespace softwood::render
