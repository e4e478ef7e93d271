#include "study/files.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace softwood {
namespace {

// As threads of one process do that save models under one name.
TEST(FileOutput, IsWholeWhenSeveralWriteOneFile) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "softwood_file_output";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "model.json").string();
  {
    FileOutput first(path), second(path), given_up(path);
    first.write("fi");
    second.write("second");
    given_up.write("x");
    first.write("rst");
    first.finish();
    EXPECT_EQ(read_model_text(path), "first");
    second.finish();
  }
  EXPECT_EQ(read_model_text(path), "second");
  const std::filesystem::directory_iterator files(folder);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace softwood
