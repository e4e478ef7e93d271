#include "base/file_text.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <system_error>
#include <thread>

#include "support/scratch.h"

namespace softwood {
namespace {

int error_of(const std::string& path) {
  try {
    file_text(path);
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

TEST(FileText, IsTheWholeFile) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("text");
  for (const size_t size : {0, 1, 4095, 4096, 4097, 100000}) {
    const std::string text(size, 'x');
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(file_text(path), text);
  }
}

// Its size is not known before, and it comes in parts.
TEST(FileText, IsReadFromAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string part(3000, 'p');
  std::string whole;
  for (int i = 0; i < 50; ++i) whole += part;
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(write(ends[1], part.data(), part.size()), static_cast<ssize_t>(part.size()));
    }
    close(ends[1]);
  });
  EXPECT_EQ(file_text("/dev/fd/" + std::to_string(ends[0])), whole);
  writer.join();
  close(ends[0]);
}

TEST(FileText, ErrorsSayWhy) {
  EXPECT_EQ(error_of("/nowhere/file"), ENOENT);
  EXPECT_EQ(error_of(::testing::TempDir()), EISDIR);
}

TEST(FileText, ADeviceMayNotGiveBytesWithoutEnd) {
  EXPECT_THROW(file_text("/dev/zero", size_t{1} << 20), std::system_error);
}

}  // namespace
}  // namespace softwood
