#include "cli/openml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/file_text.h"
#include "base/text.h"
#include "cli/http.h"
#include "cli/md5.h"
#include "cli/openml_answers.h"
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

// The answer of the server's interface, or what it says is wrong.
Json asked(const std::string& path, const std::string& reference) {
  const std::string url = server() + "/api/v1/json" + path;
  const HttpAnswer answer = http_get(url);
  Json json = openml_json(answer.body);
  if (answer.status == found && json.is_object()) return json;
  if (answer.status == refused && json.is_object() && json.contains("error")) {
    throw Error(ErrorKind::data,
                fmt::format("the server says: {}", openml_text(json["error"], "message")),
                reference, "look for the set's number or name on the server's pages");
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
  if (name.empty() || !plain || (at != std::string::npos && !is_openml_number(version))) {
    throw Error(ErrorKind::usage, fmt::format("'{}' names no data set", reference), {},
                "expected openml:61, openml:iris or openml:iris@1");
  }
  const Json answer =
      asked(fmt::format("/data/list/data_name/{}/limit/2/{}", name,
                        version.empty() ? "status/active" : "data_version/" + version),
            reference);
  return openml_number(answer, name, reference);
}

// Of a file of the cache; empty when it is not there or can't be read.
std::string kept_text(const fs::path& path) {
  try {
    return file_text(path.string());
  } catch (const std::system_error&) {
    return {};
  }
}

void keep(const fs::path& path, const std::string& text) {
  std::error_code none;
  fs::create_directories(path.parent_path(), none);
  FileOutput output(path.string());
  output.write(text);
  output.finish();
}

void fetch_file(const Json& description, const OpenmlSet& set, const std::string& reference) {
  const std::string url = server() + openml_file_path(description);
  const std::string checksum = in_lower_case(openml_text(description, "md5_checksum"));
  if (!checksum.empty() && md5_text(kept_text(set.file)) == checksum) return;
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
  const std::string id = is_openml_number(wanted) ? wanted : id_of_name(wanted, reference);
  const fs::path folder = cache_folder();
  const fs::path description_file = folder / (id + ".json");
  Json description = openml_json(kept_text(description_file));
  if (!description.is_object() || !description.contains("data_set_description")) {
    description = asked("/data/" + id, reference);
    if (!description.contains("data_set_description")) {
      throw Error(ErrorKind::failure, "the answer has no description of a data set", reference);
    }
    keep(description_file, description.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  const Json& set_json = description["data_set_description"];
  OpenmlSet set = openml_described(set_json, reference);
  set.file = (folder / (id + ".arff")).string();
  fetch_file(set_json, set, reference);
  return set;
}

}  // namespace

bool is_openml(const std::string& path) { return path.starts_with(prefix); }

const OpenmlSet& openml_set(const std::string& reference) {
  static std::map<std::string, OpenmlSet> known;
  const auto set = known.find(reference);
  return set != known.end() ? set->second
                            : known.emplace(reference, set_of_server(reference)).first->second;
}

}  // namespace softwood
