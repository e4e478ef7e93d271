#pragma once

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace softwood::test {

// As CMake was told (paths.cpp).
extern const char* const data_folder;
extern const char* const small_data_folder;
extern const char* const records_folder;

// A data set. The small ones are part of the repository; others need not exist: the test should
// then skip. The environment variable wins over the folder CMake was told.
inline std::filesystem::path data_file(std::string_view name) {
  const std::filesystem::path small = std::filesystem::path(small_data_folder) / name;
  if (std::filesystem::exists(small)) return small;
  const char* folder = std::getenv("SOFTWOOD_DATA_DIR");
  return std::filesystem::path(folder != nullptr ? folder : data_folder) / name;
}

// What another program said about a data set: tests/differential/records.
inline std::filesystem::path record_file(std::string_view name) {
  return std::filesystem::path(records_folder) / name;
}

}  // namespace softwood::test
