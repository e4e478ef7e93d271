#include "cli/openml_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood {
namespace {

using Json = nlohmann::json;

// Writing JSON takes a call per level: what is nested deeper than any answer is not read.
bool is_too_deep(std::string_view text) {
  constexpr int most_depth = 64;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else {
      quoted = c == '"';
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (depth > most_depth) return true;
    }
  }
  return false;
}

// A list, or names between commas, perhaps in quotes.
std::vector<std::string> names_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  std::vector<std::string> names;
  if (at != object.end() && at->is_array()) {
    for (const Json& item : *at) names.push_back(item.is_string() ? item.get<std::string>() : "");
  } else {
    const std::string text = openml_text(object, key);
    for (const std::string_view part : split(text, ',')) names.emplace_back(part);
  }
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string_view bare = trim(name);
    if (bare.size() > 1 && (bare.front() == '\'' || bare.front() == '"') &&
        bare.back() == bare.front()) {
      bare = bare.substr(1, bare.size() - 2);
    }
    if (!bare.empty()) result.emplace_back(bare);
  }
  return result;
}

}  // namespace

bool is_openml_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Json openml_json(const std::string& text) {
  return is_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

std::string openml_text(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return {};
  return at->is_string() ? at->get<std::string>()
                         : at->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string openml_number(const Json& answer, const std::string& name,
                          const std::string& reference) {
  const Json data = answer.is_object() ? answer.value("data", Json::object()) : Json::object();
  const Json sets = data.is_object() ? data.value("dataset", Json::array()) : Json::array();
  if (!sets.is_array() || sets.empty()) {
    throw Error(ErrorKind::data, fmt::format("the server knows no set '{}'", name), reference);
  }
  if (sets.size() > 1) {
    throw Error(ErrorKind::data, fmt::format("there are several versions of '{}'", name), reference,
                fmt::format("say which one: openml:{}@{}", name, openml_text(sets[0], "version")));
  }
  std::string id = openml_text(sets[0], "did");
  if (is_openml_number(id)) return id;  // files of the cache are named by it
  throw Error(ErrorKind::failure, fmt::format("the answer has no number of the set '{}'", name),
              reference);
}

OpenmlSet openml_described(const Json& description, const std::string& reference) {
  OpenmlSet set;
  set.id = openml_text(description, "id");
  set.name = openml_text(description, "name");
  set.version = openml_text(description, "version");
  set.status = openml_text(description, "status");
  set.targets = names_of(description, "default_target_attribute");
  if (set.targets.size() == 1) set.target = set.targets[0];
  set.ignored = names_of(description, "ignore_attribute");
  for (std::string& name : names_of(description, "row_id_attribute")) {
    set.ignored.push_back(std::move(name));
  }
  const std::string format = openml_text(description, "format");
  if (in_lower_case(format) != "arff") {
    throw Error(
        ErrorKind::data,
        fmt::format("'{}' is in the format {}: only dense ARFF can be read", set.name, format),
        reference, "convert it to CSV with a program that reads this format");
  }
  return set;
}

std::string openml_file_path(const Json& description) {
  const std::string url = openml_text(description, "url");
  const size_t host = url.find("://");
  const size_t path = host == std::string::npos ? url.find('/') : url.find('/', host + 3);
  return path == std::string::npos ? "/" + url : url.substr(path);
}

}  // namespace softwood
