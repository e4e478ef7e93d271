// JSON as people and programs read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace softwood {

using Json = nlohmann::ordered_json;

// JSON knows no NaN and no infinity: they become null.
Json json_number(double value);
// Lists of plain values stay on one line, everything else gets one line per entry.
std::string json_text(const Json& value, size_t indent = 0);

}  // namespace softwood
