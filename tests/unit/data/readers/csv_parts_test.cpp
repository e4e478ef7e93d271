// Long files are read by parts: what comes out, and what is said of faults, is that of the whole
// text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "data/readers/readers.h"
#include "support/scratch.h"
#include "unit/data/reading.h"

namespace softwood::test {
namespace {

class CsvParts : public testing::Test {
 protected:
  static std::string rows(size_t count, const std::string& line_end = "\n") {
    Random random(1, "rows");
    std::string text = "number,whole,long,gaps,city" + line_end;
    const Texts cities = {"Oslo", "Brno", "Kraków", "a city with a long name"};
    for (size_t i = 0; i < count; ++i) {
      text +=
          fmt::format("{:.5f},{},{},{},{}{}", random.uniform() - 0.5, i % 1000,
                      random.uniform() * 1e-7, i % 7 == 0 ? "" : "12.5", cities[i % 4], line_end);
    }
    return text;
  }

  std::optional<Frame> by_parts(const std::string& text, const ReadOptions& options = {},
                                int threads = 2) const {
    std::ofstream(path_, std::ios::binary) << text;
    const FileParts file(path_);
    const Parallel parallel(threads);
    return read_csv_by_parts(file, file.beginning(1 << 18), options, {parallel});
  }
  Frame whole(const std::string& text, const ReadOptions& options = {}) const {
    const Parallel parallel(1);
    return read_frame_bytes(text, Format::csv, path_, options, {parallel});
  }

  // Nothing comes out of the parts, and the file is read or refused as its text is.
  void expect_read_as_a_whole(const std::string& text, const ReadOptions& options = {}) const {
    EXPECT_FALSE(by_parts(text, options).has_value());
    const auto outcome = [](const auto& read) -> std::string {
      try {
        return fmt::format("{} rows", read().rows);
      } catch (const Error& error) {
        return error.text();
      }
    };
    EXPECT_EQ(outcome([&] { return read_frame(path_, options, Parallel(2)); }),
              outcome([&] { return whole(text, options); }));
  }

  const test::ScratchFolder folder_;
  const std::string path_ = folder_.file("rows.csv");
};

constexpr size_t many = 30000;

TEST_F(CsvParts, AreTheWhole) {
  for (const std::string line_end : {"\n", "\r\n"}) {
    const std::string text = rows(many, line_end);
    ASSERT_GT(text.size(), size_t{1} << 20);
    for (const std::string end : {"", "\n \r\n\n", "1,2,3,4,Oslo"}) {
      for (const int threads : {1, 2}) {
        const std::optional<Frame> frame = by_parts(text + end, {}, threads);
        ASSERT_TRUE(frame.has_value());
        expect_same(*frame, whole(text + end));
      }
    }
  }
}

TEST_F(CsvParts, TextsAmongTheLastRows) {
  const std::string text = rows(many) + "a,2,3,late,Oslo\n";
  const std::optional<Frame> frame = by_parts(text);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->find("number")->cells.kind, Kind::nominal);
  EXPECT_EQ(frame->find("whole")->cells.kind, Kind::numeric);
  expect_same(*frame, whole(text));
}

TEST_F(CsvParts, OptionsCount) {
  ReadOptions options;
  options.header = false;
  options.nominal = {"c2"};
  options.ignore = {"c1", "c4"};
  const std::string text = rows(many);
  const std::optional<Frame> frame = by_parts(text, options);
  ASSERT_TRUE(frame.has_value());
  expect_same(*frame, whole(text, options));
}

TEST_F(CsvParts, FaultsAndQuotesNeedTheWhole) {
  const std::string text = rows(many);
  expect_read_as_a_whole(text + "1,2,3,4,\"Oslo, Norway\"\n");
  expect_read_as_a_whole(text + "1,2,3,4\n" + text.substr(text.find('\n') + 1));
  expect_read_as_a_whole(text + "1,2,inf,4,Oslo\n");
  expect_read_as_a_whole(text + "1,2,3,4,Krak\xF3w\n");
  expect_read_as_a_whole(text + std::string("1,2,3,4,Os\0lo\n", 14));
  ReadOptions options;
  options.numeric = {"whole"};
  expect_read_as_a_whole(text + "1,two,3,4,Oslo\n", options);
  expect_read_as_a_whole(rows(10));
  expect_read_as_a_whole(std::string(1 << 20, '1') + "\n1\n2\n");
}

TEST_F(CsvParts, OtherFormatsAreFoundByTheirContent) {
  std::string text = "@relation r\n@attribute a numeric\n@data\n";
  for (size_t i = 0; i < 20 * many; ++i) text += "5.25\n";
  ASSERT_GT(text.size(), size_t{2} << 20);
  std::ofstream(path_, std::ios::binary) << text;
  EXPECT_EQ(read_frame(path_, {}, Parallel(2)).columns[0].name, "a");
}

TEST_F(CsvParts, WritingMeanwhileIsNoticed) {
  std::ofstream(path_) << rows(10);
  const FileParts file(path_);
  EXPECT_FALSE(file.has_changed());
  std::ofstream(path_, std::ios::app) << "1,2,3,4,Oslo\n";
  EXPECT_TRUE(file.has_changed());
  file.throw_if_failed();
  std::filesystem::resize_file(path_, 5);
  std::vector<char> buffer;
  expect_data_error([&] { file.read(0, 10, buffer); }, {"became shorter while it was read"});
  expect_data_error([&] { file.throw_if_failed(); }, {"became shorter while it was read"});
}

TEST_F(CsvParts, FilesThatBecomeShorterAreRefused) {
  std::ofstream(path_, std::ios::binary) << rows(many);
  const FileParts file(path_);
  const Source beginning = file.beginning(1 << 18);
  std::filesystem::resize_file(path_, file.size() / 2);
  const Parallel parallel(2);
  expect_data_error([&] { read_csv_by_parts(file, beginning, {}, {parallel}); },
                    {"became shorter while it was read"});
}

// What is noted per part and column would take more memory than the table.
TEST_F(CsvParts, VeryManyColumnsAreReadAsAWhole) {
  constexpr size_t columns = 30000, bytes = size_t{40} << 20;
  std::string text = "x0", row = "1";
  for (size_t c = 1; c < columns; ++c) {
    text += fmt::format(",x{}", c);
    row += ",0.12345678901234567890";
  }
  text += "\n";
  while (text.size() < bytes) text.append(row).append("\n");
  EXPECT_FALSE(by_parts(text).has_value());
}

}  // namespace
}  // namespace softwood::test
