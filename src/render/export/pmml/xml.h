// XML as text, for PMML: elements, attributes and PMML's expressions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softwood::render::pmml {

// Escaped for an attribute in double quotes or for text between elements. Throws a failure Error
// for characters that XML 1.0 can't hold at all.
std::string escaped(std::string_view text);

using Attributes = std::vector<std::pair<std::string_view, std::string>>;
// <name a="b">content</name>, or <name a="b"/> without content.
std::string element(std::string_view name, const Attributes& attributes,
                    std::string_view content = {});
// The first line of an element that is closed later.
std::string opened(std::string_view name, const Attributes& attributes);

// --- Expressions ---------------------------------------------------------------------------------

std::string number(double value);                                       // a Constant
std::string reference(std::string_view name);                           // of a field
std::string has_level(std::string_view field, std::string_view level);  // 1 or 0; missing stays
std::string call(std::string_view function, const std::vector<std::string>& arguments);
// The expression where `field`, a reference, is not missing, else missing. Evaluators take missing
// values in arithmetic, but not in comparisons and functions.
std::string known(const std::string& field, const std::string& expression);
// From the first on.
std::string sum(const std::vector<std::string>& parts);
// As a balanced tree, so that long sums do not nest deep.
std::string balanced_sum(const std::vector<std::string>& parts);

}  // namespace softwood::render::pmml
