// Where bytes come from: files, pipes, .gz.
#include "data/readers/source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "support/scratch.h"
#include "unit/data/reading.h"

namespace softwood::test {
namespace {

std::string packed(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class Files : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_.file(name), std::ios::binary) << bytes;
    return folder_.file(name);
  }
  Frame read(const std::string& path, const ReadOptions& options = {}) const {
    return read_frame(path, options, Parallel(2));
  }
  const test::ScratchFolder folder_;
};

TEST_F(Files, PlainAndPackedAreTheSame) {
  const std::string text = "a,b\n1,x\n2,y\n";
  const Frame plain = read(write("a.csv", text));
  expect_same(plain, read(write("a.csv.gz", packed(text))));
  expect_same(plain, read(write("packed_without_ending", packed(text))));
  expect_same(plain,
              read(write("members.gz", packed("a,b\n1,") + packed("x\n2,") + packed("y\n"))));
  expect_same(plain, read(write("zeros.gz", packed(text) + std::string(512, '\0'))));
  EXPECT_EQ(plain.source, folder_.file("a.csv"));
}

TEST_F(Files, FormatByNameOrContent) {
  const std::string text = "% c\n@relation r\n@attribute a numeric\n@data\n5\n";
  EXPECT_EQ(cells(read(write("a.arff", text)), "a"), Texts{"5"});
  EXPECT_EQ(cells(read(write("a.arff.gz", packed(text))), "a"), Texts{"5"});
  EXPECT_EQ(cells(read(write("a.txt", text)), "a"), Texts{"5"});
}

TEST_F(Files, EndingWhereAPageEnds) {
  for (size_t size : {4096, 8192, 4095, 4097, 4096 - 63, 65536}) {
    std::string text = "a,b\n";
    while (text.size() + 8 < size) text += "1.5,22\n";
    text += std::string(size - text.size() - 2, ' ') + ",7";
    ASSERT_EQ(text.size(), size);
    const Frame frame = read(write("page.csv", text));
    EXPECT_EQ(frame.columns[1].cells.numbers.back(), 7);
    EXPECT_TRUE(frame.columns[0].cells.is_missing(frame.rows - 1));
  }
}

TEST_F(Files, PipesAreReadToTheirEnd) {
  const std::string path = folder_.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(path.c_str(), O_WRONLY);
    const std::string text = "a,b\n1,2\n";
    const ssize_t written = ::write(out, text.data(), text.size());
    _exit(written > 0 ? 0 : 1);
  }
  EXPECT_EQ(cells(read(path), "b"), Texts{"2"});
  waitpid(child, nullptr, 0);
}

TEST_F(Files, WhatCanNotBeOpened) {
  expect_data_error([&] { read(folder_.file("absent.csv")); },
                    {"absent.csv", "can't open", "check the name"});
  expect_data_error([&] { read(folder_.path()); }, {"is a folder"});
  expect_data_error([&] { read(write("empty.csv", "")); }, {"empty.csv", "the file is empty"});
  const std::string secret = write("secret.csv", "a\n1\n");
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  if (geteuid() != 0) expect_data_error([&] { read(secret); }, {"can't open"});
}

TEST_F(Files, BrokenGz) {
  Random random(1, "bytes");
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(random.next()) + ",x\n";
  const std::string good = packed(text);
  for (size_t size : {size_t{2}, size_t{5}, size_t{17}, good.size() / 2, good.size() - 1}) {
    expect_data_error([&] { read(write("cut.gz", good.substr(0, size))); },
                      {"cut.gz", "ends too early", "cut off"});
  }
  std::string corrupt = good;
  for (size_t i = good.size() / 2; i < good.size() / 2 + 50; ++i) corrupt[i] = '\x55';
  expect_data_error([&] { read(write("bad.gz", corrupt)); }, {"bad.gz", "corrupt"});
  corrupt = good;
  corrupt[good.size() - 6] ^= 1;  // the checksum
  expect_data_error([&] { read(write("bad.gz", corrupt)); }, {"corrupt"});
  expect_data_error([&] { read(write("tail.gz", good + "rubbish")); }, {"corrupt"});
}

TEST_F(Files, EndlessGzMeetsTheLimit) {
  const std::string member = packed("a\n" + std::string(1 << 20, '1'));
  std::string bomb;
  for (int i = 0; i < 100; ++i) bomb += member;
  ReadOptions options;
  options.unpack_limit = 20 << 20;
  const std::string path = write("bomb.gz", bomb);
  expect_data_error([&] { read(path, options); }, {"bomb.gz", "more than the 20 MiB allowed"});
}

}  // namespace
}  // namespace softwood::test
