#include "cli/openml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "cli/http.h"
#include "cli/md5.h"
#include "cli/output.h"
#include "softwood/error.h"

namespace softwood {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view prefix = "openml:";
constexpr const char* usual_server = "https://www.openml.org";
constexpr long found = 200, refused = 412;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string server() {
  std::string address = environment("SOFTWOOD_OPENML_URL");
  if (address.empty()) address = usual_server;
  while (address.ends_with('/')) address.pop_back();
  return address;
}

// Sets of another server are others: each has a folder of its own.
fs::path cache_folder() {
  fs::path base = environment("XDG_CACHE_HOME");
  if (base.empty() || !base.is_absolute()) {
    const std::string home = environment("HOME");
    if (home.empty()) {
      throw Error(ErrorKind::failure, "there is no folder to keep data sets in", {},
                  "set the variable XDG_CACHE_HOME or HOME");
    }
    base = fs::path(home) / ".cache";
  }
  const std::string address = server();
  const fs::path folder = base / "softwood" / "openml";
  return address == usual_server ? folder : folder / md5_text(address);
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string text_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return {};
  return at->is_string() ? at->get<std::string>() : at->dump();
}

// A list, or names between commas, perhaps in quotes.
std::vector<std::string> names_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  std::vector<std::string> names;
  if (at != object.end() && at->is_array()) {
    for (const Json& item : *at) names.push_back(item.is_string() ? item.get<std::string>() : "");
  } else {
    const std::string text = text_of(object, key);
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

// The answer of the server's interface, or what it says is wrong.
Json asked(const std::string& path, const std::string& reference) {
  const std::string url = server() + "/api/v1/json" + path;
  const HttpAnswer answer = http_get(url);
  const Json json = Json::parse(answer.body, nullptr, false);
  if (answer.status == found && json.is_object()) return json;
  if (answer.status == refused && json.is_object() && json.contains("error")) {
    throw Error(ErrorKind::data,
                fmt::format("the server says: {}", text_of(json["error"], "message")), reference,
                "look for the set's number or name on the server's pages");
  }
  throw Error(ErrorKind::failure,
              fmt::format("the answer is not as expected (HTTP status {})", answer.status), url,
              "try again later, or set SOFTWOOD_OPENML_URL to another server");
}

std::string id_of_name(const std::string& wanted, const std::string& reference) {
  const size_t at = wanted.rfind('@');
  const std::string name = wanted.substr(0, at);
  const std::string version = at == std::string::npos ? "" : wanted.substr(at + 1);
  const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '?' || c == '#' || c == '%' || static_cast<unsigned char>(c) <= ' ';
  });
  if (name.empty() || !plain || (at != std::string::npos && !is_number(version))) {
    throw Error(ErrorKind::usage, fmt::format("'{}' names no data set", reference), {},
                "expected openml:61, openml:iris or openml:iris@1");
  }
  const Json answer =
      asked(fmt::format("/data/list/data_name/{}/limit/2/{}", name,
                        version.empty() ? "status/active" : "data_version/" + version),
            reference);
  const Json sets = answer.value("/data/dataset"_json_pointer, Json::array());
  if (sets.empty()) {
    throw Error(ErrorKind::data, fmt::format("the server knows no set '{}'", name), reference);
  }
  if (sets.size() > 1) {
    throw Error(ErrorKind::data, fmt::format("there are several versions of '{}'", name), reference,
                fmt::format("say which one: openml:{}@{}", name, text_of(sets[0], "version")));
  }
  std::string id = text_of(sets[0], "did");
  if (is_number(id)) return id;  // files of the cache are named by it
  throw Error(ErrorKind::failure, fmt::format("the answer has no number of the set '{}'", name),
              reference);
}

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

void keep(const fs::path& path, const std::string& text) {
  std::error_code none;
  fs::create_directories(path.parent_path(), none);
  FileOutput output(path.string());
  output.write(text);
  output.finish();
}

OpenmlSet described(const Json& description, const std::string& reference) {
  OpenmlSet set;
  set.id = text_of(description, "id");
  set.name = text_of(description, "name");
  set.version = text_of(description, "version");
  set.status = text_of(description, "status");
  set.targets = names_of(description, "default_target_attribute");
  if (set.targets.size() == 1) set.target = set.targets[0];
  set.ignored = names_of(description, "ignore_attribute");
  for (std::string& name : names_of(description, "row_id_attribute")) {
    set.ignored.push_back(std::move(name));
  }
  const std::string format = text_of(description, "format");
  if (in_lower_case(format) != "arff") {
    throw Error(
        ErrorKind::data,
        fmt::format("'{}' is in the format {}: only dense ARFF can be read", set.name, format),
        reference, "convert it to CSV with a program that reads this format");
  }
  return set;
}

// The address of the file, on the configured server: the description names it in full.
std::string file_address(const Json& description) {
  const std::string url = text_of(description, "url");
  const size_t host = url.find("://");
  const size_t path = host == std::string::npos ? url.find('/') : url.find('/', host + 3);
  return path == std::string::npos ? server() + "/" + url : server() + url.substr(path);
}

void fetch_file(const Json& description, const OpenmlSet& set, const std::string& reference) {
  const std::string url = file_address(description);
  const std::string checksum = in_lower_case(text_of(description, "md5_checksum"));
  if (!checksum.empty() && md5_text(file_text(set.file)) == checksum) return;
  if (checksum.empty() && fs::exists(set.file)) return;
  const HttpAnswer answer = http_get(url);
  if (answer.status != found) {
    throw Error(ErrorKind::failure, fmt::format("can't be fetched (HTTP status {})", answer.status),
                url, "try again later");
  }
  if (!checksum.empty() && md5_text(answer.body) != checksum) {
    throw Error(ErrorKind::failure, "the file is not the one that the description names (checksum)",
                fmt::format("{}, {}", reference, url), "try again later");
  }
  keep(set.file, answer.body);
}

// From the cache where it is there and unchanged.
OpenmlSet set_of_server(const std::string& reference) {
  const std::string wanted = reference.substr(prefix.size());
  const std::string id = is_number(wanted) ? wanted : id_of_name(wanted, reference);
  const fs::path folder = cache_folder();
  const fs::path description_file = folder / (id + ".json");
  Json description = Json::parse(file_text(description_file), nullptr, false);
  if (!description.is_object() || !description.contains("data_set_description")) {
    description = asked("/data/" + id, reference);
    if (!description.contains("data_set_description")) {
      throw Error(ErrorKind::failure, "the answer has no description of a data set", reference);
    }
    keep(description_file, description.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  const Json& set_json = description["data_set_description"];
  OpenmlSet set = described(set_json, reference);
  set.file = (folder / (id + ".arff")).string();
  fetch_file(set_json, set, reference);
  return set;
}

}  // namespace

bool is_openml(const std::string& path) { return path.starts_with(prefix); }

const OpenmlSet& openml_set(const std::string& reference) {
  static std::map<std::string, OpenmlSet> known;
  const auto found = known.find(reference);
  return found != known.end() ? found->second
                              : known.emplace(reference, set_of_server(reference)).first->second;
}

}  // namespace softwood
