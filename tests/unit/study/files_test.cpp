#include "study/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/scratch.h"

namespace softwood {
namespace {

// As threads of one process do that save models under one name.
TEST(FileOutput, IsWholeWhenSeveralWriteOneFile) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("model.json");
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
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

class StaleParts : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  void make(const std::string& name) const { std::ofstream(path(name)) << "part"; }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }

 private:
  const test::ScratchFolder folder_;
};

// What a killed program left is removed by the next one that writes the same file; what others
// write at the moment, and what only looks alike, is not.
TEST_F(StaleParts, AreRemovedWhereNobodyWritesThem) {
  for (const char* const name :
       {"model.json.12-3.part", "model.json.12-3.partly", "model.json.12.part",
        "model.json.x-3.part", "other.json.12-3.part", "model.json.part",
        "my_model.json.12-3.part"}) {
    make(name);
  }
  const FileOutput by_another(path("model.json"));
  EXPECT_FALSE(has("model.json.12-3.part"));
  size_t parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
    parts += entry.path().extension() == ".part" ? 1 : 0;
  }
  EXPECT_EQ(parts, 6U);  // the others, and the one that is written
  FileOutput mine(path("model.json"));
  mine.write("whole");
  mine.finish();
  EXPECT_TRUE(has("model.json"));
  for (const char* const name :
       {"model.json.12-3.partly", "model.json.12.part", "model.json.x-3.part",
        "other.json.12-3.part", "model.json.part", "my_model.json.12-3.part"}) {
    EXPECT_TRUE(has(name)) << name;
  }
}

// A large folder is not listed for each file: but what is left there goes in the end.
TEST_F(StaleParts, AreLookedForAgainAfterAsManyFilesAsThereAre) {
  for (const char* const name : {"a", "b", "c"}) make(name);
  FileOutput(path("model.json")).finish();
  make("model.json.12-3.part");
  size_t files = 0;
  for (; has("model.json.12-3.part") && files < 10; ++files) FileOutput(path("model.json"));
  EXPECT_LT(files, 10U);
}

}  // namespace
}  // namespace softwood
