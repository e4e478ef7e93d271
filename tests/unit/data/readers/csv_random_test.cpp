// Random tables are written and read back; what comes out does not depend on chunks and threads.
#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"
#include "base/text.h"
#include "unit/data/reading.h"

namespace softwood::test {

void expect_same(const Frame& a, const Frame& b) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (size_t row = 0; row < a.rows; ++row) ASSERT_EQ(a.line(row), b.line(row));
  for (size_t c = 0; c < a.columns.size(); ++c) {
    const FrameColumn& x = a.columns[c];
    const FrameColumn& y = b.columns[c];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.levels, y.levels);
    EXPECT_EQ(x.cells.kind, y.cells.kind);
    EXPECT_EQ(x.cells.codes, y.cells.codes);
    EXPECT_EQ(x.cells.missing, y.cells.missing);
    ASSERT_EQ(x.cells.numbers.size(), y.cells.numbers.size());
    for (size_t row = 0; row < x.cells.numbers.size(); ++row) {
      ASSERT_EQ(std::bit_cast<uint64_t>(x.cells.numbers[row]),
                std::bit_cast<uint64_t>(y.cells.numbers[row]));
    }
  }
}

namespace {

constexpr char delimiters[] = {',', '\t', ';', '|'};

struct Written {
  std::string text;
  std::vector<Texts> columns;  // as cells() gives them
};

std::string random_text(Random& random) {
  static const Texts pieces = {"a", "b", "\"", ",", ";", "\n", "\r\n",
                               " ", "ä", "1",  ".", "|", "\t"};
  std::string text = "t";
  for (uint64_t n = random.below(6); n > 0; --n) text += pieces[random.below(pieces.size())];
  return text + "t";
}

std::string as_csv_cell(const std::string& text, Random& random) {
  const bool needs = text.find_first_of("\",;|\t\n\r ") != std::string::npos;
  if (!needs && random.below(4) != 0) return random.below(5) == 0 ? " " + text + "  " : text;
  std::string cell = "\"";
  for (char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

Written random_table(uint64_t seed) {
  Random random(seed, "tables");
  const size_t columns = 2 + random.below(5);
  const size_t rows = 1 + random.below(60);
  const char delimiter = delimiters[random.below(4)];
  const std::string newline = random.below(2) == 0 ? "\n" : "\r\n";
  Written written;
  written.columns.resize(columns);
  std::vector<uint64_t> kind(columns);  // 0 numbers, 1 texts, 2 numbers and a late text
  for (size_t c = 0; c < columns; ++c) {
    kind[c] = random.below(3);
    written.text += (c > 0 ? std::string(1, delimiter) : "") + "c" + std::to_string(c);
  }
  written.text += newline;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t c = 0; c < columns; ++c) {
      std::string cell;
      if (kind[c] == 1 || (kind[c] == 2 && row + 1 == rows)) {
        cell = random_text(random);
      } else {
        cell = std::to_string(random.below(1000)) + "." + std::to_string(1 + random.below(9));
      }
      const bool missing = random.below(8) == 0 && row + 1 < rows;
      written.columns[c].push_back(missing ? "-" : cell);
      if (c > 0) written.text += delimiter;
      written.text += missing ? (random.below(2) == 0 ? "" : "NA") : as_csv_cell(cell, random);
    }
    written.text += row + 1 < rows || random.below(2) == 0 ? newline : "";
  }
  return written;
}

TEST(CsvRandom, TablesComeBack) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Written written = random_table(seed);
    const Frame frame = csv(written.text);
    ASSERT_EQ(frame.columns.size(), written.columns.size()) << written.text;
    for (size_t c = 0; c < written.columns.size(); ++c) {
      ASSERT_EQ(cells(frame, "c" + std::to_string(c)), written.columns[c]) << written.text;
    }
  }
}

TEST(CsvRandom, ChunksAndThreadsDoNotMatter) {
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    const Written written = random_table(seed);
    const Frame whole = csv(written.text);
    for (int threads : {1, 2, 7}) {
      for (size_t chunk : {1, 2, 3, 5, 11, 40, 300}) {
        SCOPED_TRACE(written.text);
        expect_same(whole, csv(written.text, {}, threads, chunk));
      }
    }
  }
}

// Also for bytes that nobody would call a table: the same frame or the same error.
TEST(CsvRandom, ChunksDoNotMatterForRubbish) {
  static const Texts pieces = {"a",   "\"",  "\"\"", ",",     "\n",   "\r\n", " ",
                               "1.5", "inf", ";",    "\"x\"", "\n\n", "ä"};
  const auto outcome = [](const std::string& text, size_t chunk) -> std::pair<Frame, std::string> {
    try {
      return {csv(text, {}, 2, chunk), ""};
    } catch (const Error& error) {
      return {Frame{}, error.text()};
    }
  };
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed, "rubbish");
    std::string text = random.below(2) == 0 ? "x,y\n" : "";
    for (uint64_t n = random.below(30); n > 0; --n) text += pieces[random.below(pieces.size())];
    const auto [frame, error] = outcome(text, 0);
    for (size_t chunk : {1, 4}) {
      const auto [other_frame, other_error] = outcome(text, chunk);
      ASSERT_EQ(error, other_error) << text;
      expect_same(frame, other_frame);
    }
  }
}

}  // namespace
}  // namespace softwood::test
