// How names and numbers are written for people to read.
#pragma once

#include <string>
#include <string_view>

namespace softwood {

// A name is printed as it is, and between quotation marks only where a reader could take a part of
// it for something else. In a sum also blanks and operators are such parts.
enum class NamePlace { comparison, sum, set };
std::string shown_name(std::string_view name, NamePlace place);
// Six significant digits, and at least two after the point when the whole part is long: enough to
// read, and 2.4499999999999997 is 2.45.
std::string shown_number(double value, int digits = 6);

}  // namespace softwood
