// Arbitrary bytes as what a server of OpenML answers: to a name, and about a set.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/openml_answers.h"
#include "table_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace softwood;
  const nlohmann::json answer = openml_json(std::string(data, data + size));
  if (!answer.is_object()) return 0;
  try {
    fuzz::require(is_openml_number(openml_number(answer, "name", "openml:name")),
                  "files of the cache are named by numbers");
  } catch (const Error& error) {
    fuzz::require(!error.text().empty(), "errors say something");
  }
  const nlohmann::json description = answer.value("data_set_description", nlohmann::json());
  try {
    const OpenmlSet set = openml_described(description, "openml:1");
    fuzz::require(set.target.empty() || set.targets.size() == 1, "one target");
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::data, "errors are about the set");
  }
  fuzz::require(openml_file_path(description).starts_with("/"), "a path on the server");
  // What is kept in the cache.
  answer.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  return 0;
}
