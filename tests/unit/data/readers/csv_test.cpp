// What a CSV file means.
#include <gtest/gtest.h>

#include "unit/data/reading.h"

namespace softwood::test {
namespace {

TEST(Csv, ColumnsAreNumericOrNominal) {
  const Frame frame = csv("a,b,c\n1,x,1.5\n-2,y,2\n+3e2,x,.5\n");
  ASSERT_EQ(frame.rows, 3U);
  ASSERT_EQ(frame.columns.size(), 3U);
  EXPECT_EQ(frame.columns[0].cells.numbers, (std::vector<double>{1, -2, 300}));
  EXPECT_EQ(frame.columns[1].levels, (Texts{"x", "y"}));
  EXPECT_EQ(frame.columns[1].cells.codes, (std::vector<int32_t>{0, 1, 0}));
  EXPECT_EQ(frame.columns[2].cells.numbers, (std::vector<double>{1.5, 2, 0.5}));
}

TEST(Csv, LevelsKeepTheExactTextOfCells) {
  EXPECT_EQ(cells(csv("a\n01\n1.50\n1\nx\n"), "a"), (Texts{"01", "1.50", "1", "x"}));
  std::string late = "a,b\n";
  for (int i = 0; i < 500; ++i) late += "01,1.50\n";
  const Frame frame = csv(late + "x,y\n");  // long after the rows that are looked at first
  EXPECT_EQ(frame.columns[0].levels, (Texts{"01", "x"}));
  EXPECT_EQ(frame.columns[1].levels, (Texts{"1.50", "y"}));
}

TEST(Csv, DelimiterIsFoundOut) {
  for (const char* text : {"a,b\n1,2\n", "a\tb\n1\t2\n", "a;b\n1;2\n", "a|b\n1|2\n"}) {
    const Frame frame = csv(text);
    ASSERT_EQ(frame.columns.size(), 2U) << text;
    EXPECT_EQ(cells(frame, "b"), Texts{"2"}) << text;
  }
  EXPECT_EQ(cells(csv("a;b\n1,5;2,5\n3,5;4,5\n"), "b"), (Texts{"2,5", "4,5"}));
  EXPECT_EQ(cells(csv("a,b\n\"x;y\",1\n\"u;v;w\",2\n"), "a"), (Texts{"x;y", "u;v;w"}));
  EXPECT_EQ(cells(csv("text\tn\none, two, three\t1\nfour\t2\n"), "n"), (Texts{"1", "2"}));
}

TEST(Csv, Quotes) {
  const Frame frame =
      csv("\"a \"\"x\"\"\",b\n\"one, \"\"two\"\"\",\" 3 \"\n \"p\nq\" ,\"4\"\n5\" pipe,5\n");
  EXPECT_EQ(cells(frame, "a \"x\""), (Texts{"one, \"two\"", "p\nq", "5\" pipe"}));
  EXPECT_EQ(cells(frame, "b"), (Texts{"3", "4", "5"}));
  EXPECT_EQ(frame.line(0), 2U);
  EXPECT_EQ(frame.line(1), 3U);
  EXPECT_EQ(frame.line(2), 5U);
  EXPECT_EQ(cells(csv("a,b\n\"\",\"\"\"\"\n"), "b"), Texts{"\""});
}

TEST(Csv, QuotesDoNotChangeWhatACellMeans) {
  const Frame frame = csv("a,b\n\"1\",\"NA\"\n\" 2\",x\n\"\",\"\"\n");
  EXPECT_EQ(cells(frame, "a"), (Texts{"1", "2", "-"}));
  EXPECT_EQ(cells(frame, "b"), (Texts{"-", "x", "-"}));
}

TEST(Csv, BlanksAroundCellsDoNotCount) {
  const Frame frame = csv(" a , b\n 1 ,\tx y \n2 , z\n");
  EXPECT_EQ(cells(frame, "a"), (Texts{"1", "2"}));
  EXPECT_EQ(cells(frame, "b"), (Texts{"x y", "z"}));
}

TEST(Csv, LineEndsAndMark) {
  for (const char* text : {"a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n2,y\r\n", "a,b\n1,x\n2,y",
                           "\xEF\xBB\xBF"
                           "a,b\n1,x\n2,y\n\n\r\n  \n",
                           "\n\na,b\n1,x\n2,y\r\n"}) {
    const Frame frame = csv(text);
    EXPECT_EQ(cells(frame, "a"), (Texts{"1", "2"})) << text;
    EXPECT_EQ(cells(frame, "b"), (Texts{"x", "y"})) << text;
  }
  EXPECT_EQ(csv("\n\na,b\n1,x\n").line(0), 4U);
}

TEST(Csv, MissingCells) {
  const Frame frame = csv("a,b,c\n1,x,\n?,NA,NULL\nnan,?,\nNA,null,\n2,,?\n");
  EXPECT_EQ(cells(frame, "a"), (Texts{"1", "-", "-", "-", "2"}));
  EXPECT_EQ(cells(frame, "b"), (Texts{"x", "-", "-", "-", "-"}));
  EXPECT_EQ(cells(frame, "c"), (Texts{"-", "-", "-", "-", "-"}));
  EXPECT_EQ(frame.columns[0].cells.missing, 3U);
  EXPECT_EQ(frame.columns[1].cells.missing, 4U);
  EXPECT_EQ(frame.columns[2].cells.kind, Kind::numeric);  // all missing
}

TEST(Csv, AnEmptyLineOfASingleColumnIsAMissingCell) {
  EXPECT_EQ(cells(csv("a\n1\n\n3\n"), "a"), (Texts{"1", "-", "3"}));
  EXPECT_EQ(cells(csv("a\n1\n3\n\n\n"), "a"), (Texts{"1", "3"}));
  EXPECT_EQ(cells(csv("a\nx\n\"\"\n\ny\n"), "a"), (Texts{"x", "-", "-", "y"}));
}

TEST(Csv, WithoutHeader) {
  ReadOptions options;
  options.header = false;
  options.nominal = {"c2"};
  const Frame frame = csv("1,2\n3,4\n", options);
  EXPECT_EQ(cells(frame, "c1"), (Texts{"1", "3"}));
  EXPECT_EQ(frame.columns[1].levels, (Texts{"2", "4"}));
  EXPECT_EQ(frame.line(0), 1U);
}

TEST(Csv, ForcedKindsAndIgnoredColumns) {
  ReadOptions options;
  options.nominal = {"b"};
  options.numeric = {"a"};
  options.ignore = {"id"};
  const Frame frame = csv("id,a,b\n\"x,1\",1,01\ny,?,2\n", options);
  ASSERT_EQ(frame.columns.size(), 2U);
  EXPECT_EQ(frame.columns[0].cells.kind, Kind::numeric);
  EXPECT_EQ(cells(frame, "b"), (Texts{"01", "2"}));
  ReadOptions only;
  only.only = {"b", "absent"};
  only.absent_columns_allowed = true;
  EXPECT_EQ(csv("id,a,b\nx,1,01\n", only).columns.size(), 1U);
}

TEST(Csv, InfiniteTextsAreLevelsOfTextColumns) {
  EXPECT_EQ(cells(csv("a\ninf\nx\n1e999\n"), "a"), (Texts{"inf", "x", "1e999"}));
}

TEST(Csv, ManyColumns) {
  std::string header, row;
  for (int c = 0; c < 100000; ++c) {
    header += (c > 0 ? ",x" : "x") + std::to_string(c);
    row += (c > 0 ? "," : "") + std::to_string(c);
  }
  const Frame frame = csv(header + "\n" + row + "\n" + row + "\n", {}, 2);
  ASSERT_EQ(frame.columns.size(), 100000U);
  EXPECT_EQ(frame.columns[99999].cells.numbers, (std::vector<double>{99999, 99999}));
}

TEST(Csv, AHugeCell) {
  const std::string huge(10'000'000, 'z');
  for (size_t chunk : {0, 1000}) {
    const Frame frame = csv("a,b\n1,\"" + huge + "\n\"\n2," + huge + "\n3,x\n", {}, 2, chunk);
    ASSERT_EQ(frame.rows, 3U);
    EXPECT_EQ(frame.columns[1].levels, (Texts{huge + "\n", huge, "x"}));
  }
  EXPECT_EQ(csv("a\n" + std::string(1'000'000, '7') + "1\nx\n").columns[0].levels.size(), 2U);
}

TEST(Csv, Utf8IsKept) {
  EXPECT_EQ(cells(csv("größe,名\nä,日本\nö,€𝄞\n"), "名"), (Texts{"日本", "€𝄞"}));
}

}  // namespace
}  // namespace softwood::test
