#pragma once
// A folder of one test, made empty and removed with what is in it: tests run beside each other.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace softwood::test {

class ScratchFolder {
 public:
  ScratchFolder() : path_(made()) {}

  // The folder of the test that waits, for a death test: that is the same test once more, in a
  // process of its own. One per process at a time.
  struct Inherited {};
  explicit ScratchFolder(Inherited) : path_(inherited()) {}

  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  static std::string made() {
    std::string name = (std::filesystem::path(testing::TempDir()) / "softwood-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    return name;
  }
  static std::string inherited() {
    static constexpr const char* variable = "SOFTWOOD_TEST_FOLDER";
    if (const char* const known = std::getenv(variable);
        known != nullptr && std::filesystem::is_directory(known)) {
      return known;
    }
    const std::string path = made();
    setenv(variable, path.c_str(), 1);
    return path;
  }

  std::filesystem::path path_;
};

}  // namespace softwood::test
