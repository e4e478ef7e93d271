// Every defect of a CSV file is an error that says where it is and what to do.
#include <gtest/gtest.h>

#include "data/readers/fault.h"
#include "unit/data/reading.h"

namespace softwood::test {
namespace {

void expect_error(std::string_view text, const Texts& parts, const ReadOptions& options = {}) {
  for (const size_t chunk : {size_t{0}, size_t{1}, size_t{7}}) {
    expect_data_error([&] { csv(text, options, 2, chunk); }, parts);
  }
}

TEST(CsvError, RaggedRows) {
  expect_error("a,b\n1,2\n1\n3,4\n", {"data.csv, line 3", "1 cell instead of 2", "'1'"});
  expect_error("a,b\n1,2\n1,2,3\n", {"line 3", "3 cells instead of 2", "'1,2,3'", "quotes"});
  expect_error("a,b\n\"x\ny\",2\n1,2,3\n", {"line 4", "3 cells"});
  expect_error("a,b\n1,2\n3", {"line 3", "1 cell"});
  expect_error("a,b\n1,2\n\n3,4\n", {"line 3", "an empty line"});
  expect_error("a,b\n1,\"x\"\n\n3,4\n", {"line 3", "an empty line"});
}

TEST(CsvError, OfSeveralTheFirstIsReported) {
  std::string text = "a,b\n";
  for (int i = 0; i < 1000; ++i) text += i % 100 == 57 ? "1\n" : "1,2\n";
  for (int threads : {1, 2, 7}) {
    expect_data_error([&] { csv(text, {}, threads, 50); }, {"line 59:", "1 cell"});
  }
}

TEST(CsvError, QuotesThatAreNotClosed) {
  expect_error("a,b\n1,2\n1,\"x\n3,4\n", {"line 3", "never closed", "'\"x\\n3,4'"});
  expect_error("a,\"b\n1,2\n", {"line 1", "never closed"});
  expect_error("a,b\n1,\"x\"y\n", {"line 2", "column 'b'", "follows the closing quote of 'x'"});
}

TEST(CsvError, TextInANumericColumn) {
  ReadOptions options;
  options.numeric = {"b"};
  expect_error("a,b\n1,2\n1,abc\n", {"line 3, column 'b'", "'abc' is not a number"}, options);
  expect_error("a,b\n1,2\n1,\"x\001\xC3\xA4\"\n", {"'x\\x01\xC3\xA4'"}, options);
  expect_error("a,b\n1,2\n1," + std::string(1000, 'x') + "\n",
               {"'" + std::string(40, 'x') + "...'"}, options);
}

TEST(CsvError, InfiniteNumbers) {
  expect_error("a,b\n1,2\n1,inf\n", {"line 3, column 'b'", "'inf' is infinite"});
  expect_error("a,b\n-1e999,2\n1,-inf\n", {"line 2, column 'a'", "'-1e999' is infinite"});
}

TEST(CsvError, Names) {
  expect_error("a,b,a\n1,2,3\n", {"line 1", "columns 1 and 3 are both named 'a'", "no header"});
  expect_error("a,,c\n1,2,3\n", {"line 1", "column 2 has no name"});
  ReadOptions options;
  options.nominal = {"weihgt"};
  expect_error("weight,b\n1,2\n", {"no column 'weihgt' to be nominal", "did you mean 'weight'"},
               options);
  options = {};
  options.numeric = {"zzz"};
  expect_error("weight,b\n1,2\n", {"no column 'zzz' to be numeric", "weight, b"}, options);
  options = {};
  options.ignore = {"bb"};
  expect_error("weight,b\n1,2\n", {"no column 'bb' to be ignored"}, options);
  options = {};
  options.nominal = options.numeric = {"b"};
  expect_error("weight,b\n1,2\n", {"can't be numeric and nominal"}, options);
}

TEST(CsvError, BytesThatAreNotText) {
  expect_error("a,b\n1,x\n2,\xE4\n", {"line 3", "0xe4", "byte 11", "UTF-8"});
  expect_error("a,b\n1,x\n2,\xC3(\n", {"line 3", "0xc3"});
  expect_error("a,b\n1,x\n2,\xED\xA0\x80\n", {"line 3", "invalid UTF-8"});
  expect_error("a\xFF,b\n1,x\n", {"line 1", "invalid UTF-8"});
  expect_error(std::string_view("a,b\n1,\0\n2,3\n", 12), {"line 2", "zero byte"});
  expect_error(std::string_view("a\0,b\n1,2\n", 9), {"line 1", "zero byte"});
}

TEST(CsvError, NoRows) {
  expect_error("", {"the file is empty"});
  expect_error("\xEF\xBB\xBF \r\n\n", {"the file is empty"});
  expect_error("a,b\n", {"no rows", "no header"});
  expect_error("a,b", {"no rows"});
  expect_error("a,b\r1,2\r3,4\r", {"no rows", "CR alone"});
}

TEST(CsvError, TooManyRows) {
  EXPECT_NO_THROW(check_row_count(max_rows, "big.csv"));
  expect_data_error([] { check_row_count(max_rows + 1, "big.csv"); },
                    {"big.csv", "2147483648 rows"});
}

}  // namespace
}  // namespace softwood::test
