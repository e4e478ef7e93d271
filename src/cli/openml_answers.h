// What a server of OpenML says, as data. Nothing in it is trusted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/openml.h"

namespace softwood {

bool is_openml_number(const std::string& text);

// Discarded where it is no JSON, or nested deeper than any answer.
nlohmann::json openml_json(const std::string& text);
// The text of a key; of what is no text its JSON; "" where it is not there.
std::string openml_text(const nlohmann::json& object, const char* key);
// The number of the one set in a list; an Error where there is none, or several.
std::string openml_number(const nlohmann::json& answer, const std::string& name,
                          const std::string& reference);
// All but the file; an Error where it can't be read.
OpenmlSet openml_described(const nlohmann::json& description, const std::string& reference);
// Where the file is on the server: the description names it in full.
std::string openml_file_path(const nlohmann::json& description);

}  // namespace softwood
