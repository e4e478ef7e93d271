#include "render/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.h"

namespace softwood {
namespace {

// JSON leaves some characters as they are that a terminal obeys, or that change the order of others
// (base/text.h): those too become escapes of four hexadecimal digits. All of them begin with one of
// four bytes.
std::string with_escapes(std::string text) {
  constexpr std::string_view beginnings = "\x7f\xc2\xd8\xe2";
  if (text.find_first_of(beginnings) == std::string::npos) return text;
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t length = std::max<size_t>(utf8_length(rest), 1);
    const std::string_view character = rest.substr(0, length);
    rest.remove_prefix(length);
    if (beginnings.find(character[0]) == std::string_view::npos ||
        printable(character) == character) {
      result += character;
      continue;
    }
    unsigned code = static_cast<unsigned char>(character[0]);
    if (length > 1) code &= 0xFFU >> (length + 1);
    for (const char part : character.substr(1)) {
      code = code << 6U | (static_cast<unsigned char>(part) & 0x3FU);
    }
    result += fmt::format("\\u{:04x}", code);
  }
  return result;
}

}  // namespace

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string json_text(const Json& value, size_t indent) {
  const bool plain =
      !value.is_structured() || value.empty() ||
      (value.is_array() && std::none_of(value.begin(), value.end(),
                                        [](const Json& item) { return item.is_structured(); }));
  // Names that are not UTF-8 must not make the output something else than JSON.
  const auto dump = [](const Json& json) {
    return with_escapes(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  if (plain && !value.is_array()) return dump(value);
  const std::string line = plain ? "" : "\n" + std::string(indent + 2, ' ');
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += plain ? ", " : ",";
    text += line;
    if (value.is_object()) text += dump(Json(key)) + ": ";
    text += json_text(item, indent + 2);
  }
  const std::string end = plain ? "" : "\n" + std::string(indent, ' ');
  return (value.is_array() ? "[" : "{") + text + end + (value.is_array() ? "]" : "}");
}

}  // namespace softwood
