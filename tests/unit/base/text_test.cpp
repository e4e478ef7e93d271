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

TEST(Text, ShortNumbersHaveAllDigitsBeforeThePoint) {
  EXPECT_EQ(short_number(0.081712), "0.08171");
  EXPECT_EQ(short_number(12.3456), "12.35");
  EXPECT_EQ(short_number(303744.12), "303744");
  EXPECT_EQ(short_number(-4335123456.7), "-4335123457");
  EXPECT_EQ(short_number(9999.6), "10000");  // rounded up to a digit more
  EXPECT_EQ(short_number(1e15), "1e+15");
  EXPECT_EQ(short_number(0.00001234), "1.234e-05");
  EXPECT_EQ(short_number(123456789, 9), "123456789");
}

TEST(Text, LinesAreNotBrokenWithinALevel) {
  EXPECT_EQ(wrapped("if  ", "place in {city 51, city 52, city 53} or missing", 28),
            "if  place in {city 51,\n    city 52, city 53} or\n    missing");
  EXPECT_EQ(wrapped("", "a { b c d", 4), "a {\nb c\nd");  // no set
  EXPECT_EQ(wrapped("", "x in {a, b} and more", 9), "x in {a,\nb} and\nmore");
}

TEST(Text, NamesWithCommasStandInQuotes) {
  const std::vector<std::string> names = {"id", "customer, name"};
  EXPECT_EQ(names_list(names), "id, \"customer, name\"");
}

TEST(Printable, ShowsWhatChangesTheDirectionOfText) {
  EXPECT_EQ(printable("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(printable("\u2066"), "\\xe2\\x81\\xa6");
  EXPECT_EQ(printable("日本 ü"), "日本 ü");
}

}  // namespace
}  // namespace softwood
