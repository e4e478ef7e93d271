#include "cli/output.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "softwood/error.h"

namespace softwood {
namespace {
namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    // mkdtemp puts letters of its own in place of the last six.
    std::string pattern = (fs::temp_directory_path() / "softwood-").string() + std::string(6, 'X');
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

TEST_F(OutputTest, AppearsWhole) {
  const std::string path = folder_ / "x";
  {
    Output output(path);
    output.write("one ");
    EXPECT_FALSE(fs::exists(path));
    output.write("two");
    output.finish();
  }
  EXPECT_EQ(read_model_text(path), "one two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputTest, UnfinishedLeavesTheOldFile) {
  const std::string path = folder_ / "x";
  std::ofstream(path) << "old";
  {
    Output output(path);
    output.write("new");
  }
  EXPECT_EQ(read_model_text(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputTest, FollowsLinksAndWritesDevicesInPlace) {
  fs::create_symlink(folder_ / "real", folder_ / "link");
  std::ofstream(folder_ / "real") << "old";
  Output output(folder_ / "link");
  output.write("new");
  output.finish();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_model_text(folder_ / "real"), "new");
  Output null("/dev/null");
  null.write("x");
  null.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputTest, WhatCannotBeWrittenIsSaidAtOnce) {
  EXPECT_THROW(Output(folder_ / "missing" / "x"), Error);
  EXPECT_THROW(Output(folder_.string()), Error);
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace softwood
