#pragma once

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace softwood::test {

// A data set that is not part of the repository. It need not exist: the test should then skip.
// The environment variable wins over the folder CMake was told.
inline std::filesystem::path data_file(std::string_view name) {
  const char* folder = std::getenv("SOFTWOOD_DATA_DIR");
  return std::filesystem::path(folder != nullptr ? folder : SOFTWOOD_DATA_DIR) / name;
}

// What another program said about a data set: tests/differential/records.
inline std::filesystem::path record_file(std::string_view name) {
  return std::filesystem::path(SOFTWOOD_RECORDS_DIR) / name;
}

}  // namespace softwood::test
