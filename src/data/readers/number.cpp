#include "data/readers/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace softwood {
namespace {

// Of a decimal number that is out of the range of double: is it too large, not too small?
// Compares the place of the first digit that is not zero with the point.
bool is_too_large(std::string_view text) {
  const size_t mark = text.find_first_of("eE");
  // No text has so many digits: a larger exponent decides alike, and the sum below can't overflow.
  constexpr long most_exponent = 1'000'000'000'000'000;
  long exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view digits = text.substr(mark + 1);
    const bool minus = digits.starts_with('-');
    if (minus || digits.starts_with('+')) digits.remove_prefix(1);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) exponent = most_exponent;
    exponent = std::min(exponent, most_exponent);
    if (minus) exponent = -exponent;
    text = text.substr(0, mark);
  }
  const size_t first = text.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const size_t point = std::min(text.find('.'), text.size());
  return exponent + static_cast<long>(point) - static_cast<long>(first) > 0;
}

}  // namespace

NumberText read_number(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return NumberText::none;
  if (result.ec == std::errc::result_out_of_range) {
    const double sign = text[0] == '-' ? -1.0 : 1.0;
    value = std::copysign(is_too_large(text) ? std::numeric_limits<double>::infinity() : 0.0, sign);
  }
  if (std::isnan(value)) return NumberText::none;
  return std::isinf(value) ? NumberText::infinite : NumberText::finite;
}

bool is_missing_text(std::string_view text) {
  if (text.size() > 4) return false;
  if (text.empty() || text == "?") return true;
  const std::string_view unsigned_text = text[0] == '-' || text[0] == '+' ? text.substr(1) : text;
  // Not "Na", which is sodium, nor "Null", which is a name.
  return text == "NA" || text == "na" || unsigned_text == "NaN" || unsigned_text == "nan" ||
         unsigned_text == "NAN" || text == "null" || text == "NULL";
}

}  // namespace softwood
