#include "render/json.h"

#include <algorithm>
#include <cmath>

namespace softwood {

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string json_text(const Json& value, size_t indent) {
  const bool plain =
      !value.is_structured() || value.empty() ||
      (value.is_array() && std::none_of(value.begin(), value.end(),
                                        [](const Json& item) { return item.is_structured(); }));
  // Names that are not UTF-8 must not make the output something else than JSON.
  const auto dump = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
