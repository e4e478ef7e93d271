#include "base/text.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

TEST(Text, PrintableShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("plain, ä and 木"), "plain, ä and 木");
  EXPECT_EQ(printable("p\x1b[31m"), "p\\x1b[31m");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\nb\\tc\\rd\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");                           // the one-character form of ESC [
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");  // not UTF-8
  EXPECT_EQ(printable("木木木木", 2), "木木...");
  EXPECT_EQ(printable("ab", 2), "ab");
  EXPECT_EQ(printable_lines("one\ntw\x01\n", 2), "on...\ntw...\n");
}

TEST(Text, TablesAndHintsArePrintableAndBounded) {
  TextTable table({"class", "rows"});
  table.add({"p\x1b[31m", "1"});
  table.add({std::string(1 << 20, 'q'), "2"});
  const std::string text = table.text();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 10000U);
  const std::vector<std::string> names = {std::string(1 << 20, 'q'), "p\x1b[31m"};
  const std::string hint = known_names_hint("other", names);
  EXPECT_EQ(hint, "known: " + std::string(40, 'q') + "..., p\\x1b[31m");
}

TEST(Text, NearestNameHasSomethingInCommon) {
  const std::vector<std::string> names = {"a", "bc", "class"};
  EXPECT_EQ(nearest_name("x", names), "");
  EXPECT_EQ(nearest_name("A", names), "a");
  EXPECT_EQ(nearest_name("xy", names), "");
  EXPECT_EQ(nearest_name("bd", names), "bc");
  EXPECT_EQ(nearest_name("clas", names), "class");
}

TEST(Text, CellsOfACsvFileAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_cell(""), "\"\"");
}

}  // namespace
}  // namespace softwood
