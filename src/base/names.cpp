#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace softwood {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

bool needs_quotes(std::string_view name, NamePlace place) {
  if (name.empty() || name.front() == ' ' || name.back() == ' ') return true;
  if (std::any_of(name.begin(), name.end(), [](char c) { return is_control(c) || c == 0x7F; })) {
    return true;
  }
  // What each place uses itself; "&" joins conditions.
  switch (place) {
    case NamePlace::comparison:
      return name.find_first_of("<>={}&\"") != std::string_view::npos;
    case NamePlace::set:
      return name.find_first_of(",{}[]&\"") != std::string_view::npos;
    case NamePlace::sum:
      return (name.front() >= '0' && name.front() <= '9') ||
             name.find_first_of("<>={}&\" +-*^[]()") != std::string_view::npos;
  }
  return true;
}

// As a JSON string; bytes that are not UTF-8 become the replacement character.
std::string quoted(std::string_view name) {
  constexpr std::string_view escaped = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  std::string text = "\"";
  for (size_t i = 0; i < name.size();) {
    const size_t length = utf8_length(name.substr(i));
    const size_t escape = escaped.find(name[i]);
    if (length == 0) {
      text += "\xEF\xBF\xBD";
    } else if (escape != std::string_view::npos) {
      text += '\\';
      text += letters[escape];
    } else if (is_control(name[i])) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(name[i]));
    } else {
      text += name.substr(i, length);
    }
    i += std::max<size_t>(length, 1);
  }
  return text + '"';
}

}  // namespace

std::string shown_name(std::string_view name, NamePlace place) {
  return needs_quotes(name, place) ? quoted(name) : std::string(name);
}

std::string shown_number(double value, int digits) {
  const double size = std::fabs(value);
  const int whole = size >= 1 && size < 1e15 ? static_cast<int>(std::log10(size)) + 1 : 0;
  return fmt::format("{:.{}g}", value == 0 ? 0.0 : value, std::max(digits, whole + 2));
}

}  // namespace softwood
