#include <gtest/gtest.h>

#include <string>

#include "softwood/error.h"
#include "unit/data/reading.h"

namespace softwood::test {
namespace {

const std::string header =
    "% a comment\n@RELATION 'two words'\n\n@attribute n NUMERIC\n"
    "@Attribute 'the color' {red, 'light blue', \"gr\\\"een\",NA}\n@attribute s string\n@data\n";

TEST(Arff, DenseRows) {
  const Frame frame = arff(header +
                           "1.5,red,abc\n% comment\n\n ? , 'light blue' , 'it\\'s, ok'\r\n"
                           "-2,\"gr\\\"een\",?\n+3,NA,abc\n");
  ASSERT_EQ(frame.rows, 4U);
  EXPECT_EQ(cells(frame, "n"), (Texts{"1.5", "-", "-2", "3"}));
  EXPECT_EQ(cells(frame, "the color"), (Texts{"red", "light blue", "gr\"een", "NA"}));
  EXPECT_EQ(cells(frame, "s"), (Texts{"abc", "it's, ok", "-", "abc"}));
  EXPECT_EQ(frame.columns[0].cells.missing, 1U);
  EXPECT_EQ(frame.line(0), 8U);
  EXPECT_EQ(frame.line(1), 11U);
  EXPECT_EQ(frame.line(3), 13U);
}

TEST(Arff, DeclaredLevelsKeepTheirOrderAndNumber) {
  const Frame frame = arff("@relation r\n@attribute c{z,y,x}\n@data\nx\ny\n");
  EXPECT_EQ(frame.columns[0].levels, (Texts{"z", "y", "x"}));
  EXPECT_EQ(frame.columns[0].cells.codes, (std::vector<int32_t>{2, 1}));
}

TEST(Arff, SparseRows) {
  const std::string text =
      "@relation r\n@attribute a real\n@attribute b{no,yes}\n@attribute c integer\n@data\n"
      "{0 1.5, 2 7}\n{}\n{ 1 yes }\n{1 ?,2 ?}\n4,yes,5\n";
  const Frame frame = arff(text);
  EXPECT_EQ(cells(frame, "a"), (Texts{"1.5", "0", "0", "0", "4"}));
  EXPECT_EQ(cells(frame, "b"), (Texts{"no", "no", "yes", "-", "yes"}));
  EXPECT_EQ(cells(frame, "c"), (Texts{"7", "0", "0", "-", "5"}));
}

TEST(Arff, TypesAndOptions) {
  const std::string text =
      "@relation r\n@attribute a INTEGER\n@attribute d DATE \"yyyy-MM-dd\"\n@attribute c "
      "{1,2}\n@data\n"
      "1,2001-01-01,2\n2,2002-02-02,1\n";
  EXPECT_EQ(arff(text).columns[1].levels, (Texts{"2001-01-01", "2002-02-02"}));
  ReadOptions options;
  options.nominal = {"a"};
  options.numeric = {"c"};
  options.ignore = {"d"};
  const Frame frame = arff(text, options);
  ASSERT_EQ(frame.columns.size(), 2U);
  EXPECT_EQ(frame.columns[0].levels, (Texts{"1", "2"}));
  EXPECT_EQ(frame.columns[1].cells.numbers, (std::vector<double>{2, 1}));
}

TEST(Arff, ChunksAndThreadsDoNotMatter) {
  std::string text = header;
  for (int i = 0; i < 300; ++i) {
    text += i % 7 == 0 ? "% c\n" : i % 11 == 0 ? "\n" : "";
    text += std::to_string(i) + ",red,s" + std::to_string(i * 37 % 101) + "\n";
  }
  const Frame whole = arff(text);
  for (int threads : {1, 2, 7}) {
    for (size_t chunk : {1, 10, 100}) expect_same(whole, arff(text, {}, threads, chunk));
  }
}

void expect_error(const std::string& text, const Texts& parts) {
  for (size_t chunk : {0, 1}) expect_data_error([&] { arff(text, {}, 2, chunk); }, parts);
}

TEST(ArffError, Rows) {
  expect_error(header + "1,red,a\n2,blue,b\n", {"data.arff, line 9, column 'the color'",
                                                "'blue' is not one of the declared values", "red"});
  expect_error(header + "1,red\n", {"line 8", "2 values instead of 3"});
  expect_error(header + "1,red,a,b\n", {"line 8", "4 values instead of 3"});
  expect_error(header + "one,red,a\n", {"line 8, column 'n'", "'one' is not a number"});
  expect_error(header + "inf,red,a\n", {"line 8, column 'n'", "infinite"});
  expect_error(header + "1,red,'a\n", {"line 8, column 's'", "never closed"});
  expect_error(header + "1,red,'a'b\n", {"line 8, column 's'", "follows the closing quote"});
  expect_error(header + "1,red,\xFF\n", {"line 8", "UTF-8"});
  expect_error(header, {"no rows after @data"});
}

TEST(ArffError, SparseRows) {
  const std::string sparse = "@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n";
  expect_error(sparse + "{2 1}\n", {"line 5", "column 2", "last column is 1"});
  expect_error(sparse + "{1 y, 0 1}\n", {"out of order"});
  expect_error(sparse + "{a 1}\n", {"'a' is not the number of a column"});
  expect_error(sparse + "{0 1\n", {"not closed by }"});
  expect_error(sparse + "{0 1} {5}\n", {"text follows a sparse row"});
  expect_error(header + "{0 1}\n", {"column 's'", "leaves out a column of texts"});
}

TEST(ArffError, Header) {
  expect_error("", {"the file is empty"});
  expect_error("@relation r\n", {"no @attribute"});
  expect_error("@relation r\n@attribute a real\n", {"no @data"});
  expect_error("@relation r\n@data\n1\n", {"line 2", "no @attribute before @data"});
  expect_error("@relation r\n@atribute a real\n", {"line 2", "'@atribute a real'", "known are"});
  expect_error("@relation r\n@attribute a complex\n", {"line 2", "'complex' is no type"});
  expect_error("@relation r\n@attribute a relational\n", {"'relational' is no type"});
  expect_error("@relation r\n@attribute a {x,y\n", {"line 2", "not closed by }"});
  expect_error("@relation r\n@attribute a {x,x}\n", {"line 2", "'x' is declared twice"});
  expect_error("@relation r\n@attribute 'a {x}\n", {"line 2", "never closed"});
  expect_error("@relation r\n@attribute\n", {"line 2", "without a name"});
  expect_error("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n",
               {"both named 'a'"});
}

// Three bytes stand for a row of 800 000.
TEST(Arff, SparseRowsOfMoreCellsThanMemoryHas) {
  std::string text = "@relation r\n";
  for (int i = 0; i < 100000; ++i) text += "@attribute a" + std::to_string(i) + " numeric\n";
  text += "@data\n";
  for (int i = 0; i < 2000000; ++i) text += "{}\n";
  try {
    arff(text);
    ADD_FAILURE() << "1.6 TB of memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failure);
    EXPECT_NE(error.text().find("no memory for 2000000 rows of 100000 columns"), std::string::npos);
  }
}

}  // namespace
}  // namespace softwood::test
