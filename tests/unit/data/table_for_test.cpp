// Data that a model is used on: its schema decides.
#include <gtest/gtest.h>

#include "unit/data/reading.h"

namespace softwood::test {
namespace {

Schema schema() {
  Schema schema;
  schema.features = {{"n", Kind::numeric, {}},
                     {"zip", Kind::nominal, {"01", "1", "x"}},
                     {"size", Kind::ordinal, {"low", "high"}}};
  schema.target = {"y", Kind::nominal, {"u", "v"}};
  return schema;
}

Table use(std::string_view text, bool need_target, Notes* notes = nullptr,
          const Schema& with = schema()) {
  Notes own;
  return table_for(csv(text, read_options_for(with, need_target)), with, need_target,
                   (notes == nullptr ? own : *notes).control);
}

TEST(TableFor, ColumnsAreFoundByName) {
  const Table table = use("extra,size,y,zip,n\nq,high,v,01,1\nr,low,u,1,2\n", true);
  EXPECT_EQ(table.schema(), schema());
  EXPECT_EQ(table.input(0).numbers, (std::vector<double>{1, 2}));
  EXPECT_EQ(table.input(1).codes, (std::vector<int32_t>{0, 1}));  // as text, although numbers
  EXPECT_EQ(table.input(2).codes, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(table.target().codes, (std::vector<int32_t>{1, 0}));
}

TEST(TableFor, CanBeStoppedBeforeEveryInput) {
  size_t asked = 0;
  Control control;
  control.interrupt = [&] { return ++asked == 3; };
  Frame frame = csv("n,zip,size\n1,x,low\n", read_options_for(schema(), false));
  try {
    table_for(std::move(frame), schema(), false, control);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
  EXPECT_EQ(asked, 3U);
}

TEST(TableFor, UnknownLevelsBecomeMissing) {
  Notes notes;
  const Table table = use("n,zip,size,y\n1,q,low,u\n2,x,tall,u\n3,q,?,u\n", true, &notes);
  EXPECT_EQ(table.input(1).codes, (std::vector<int32_t>{-1, 2, -1}));
  EXPECT_EQ(table.input(2).missing, 2U);
  ASSERT_EQ(notes.texts.size(), 1U);
  EXPECT_NE(notes.texts[0].find("3 cells with a level that the model does not know, such as 'q'"),
            std::string::npos);
}

// Flags of a data frame come back as False and True in its CSV file and as 0 and 1 in its array.
TEST(TableFor, TruthValuesAreKnownInEverySpelling) {
  Schema flags;
  flags.features = {{"words", Kind::nominal, {"false", "true"}},
                    {"digits", Kind::nominal, {"0", "1"}},
                    {"others", Kind::nominal, {"false", "true", "maybe"}}};
  flags.target = {"y", Kind::nominal, {"False", "True"}};
  Notes notes;
  const Table table =
      use("words,digits,others,y\ntrue,1,true,true\nFalse,False,false,0\n"
          "1,TRUE,true,1\n0.0,0,false,False\n2,01,TRUE,true\n",
          true, &notes, flags);
  EXPECT_EQ(table.input(0).codes, (std::vector<int32_t>{1, 0, 1, 0, -1}));
  EXPECT_EQ(table.input(1).codes, (std::vector<int32_t>{1, 0, 1, 0, -1}));
  EXPECT_EQ(table.input(2).codes, (std::vector<int32_t>{1, 0, 1, 0, -1}));
  EXPECT_EQ(table.target().codes, (std::vector<int32_t>{1, 0, 1, 0, 1}));
  ASSERT_EQ(notes.texts.size(), 1U);
  EXPECT_NE(notes.texts[0].find("3 cells with a level"), std::string::npos);
  EXPECT_EQ(flags.target.level_code("true"), 1);
  EXPECT_EQ(flags.target.level_code("1"), -1);
}

TEST(TableFor, TheTargetIsReadOnlyWhenItIsNeeded) {
  EXPECT_FALSE(use("n,zip,size\n1,x,low\n", false).has_target());
  EXPECT_FALSE(use("n,zip,size,y\n1,x,low,u\n", false).has_target());
  EXPECT_TRUE(use("n,zip,size,y\n1,x,low,u\n", true).has_target());
  Schema numbers = schema();
  numbers.target = {"y", Kind::numeric, {}};
  EXPECT_EQ(use("n,zip,size,y\n1,x,low,inf\n", false, nullptr, numbers).rows(), 1U);
  expect_data_error([&] { use("n,zip,size,y\n1,x,low,inf\n", true, nullptr, numbers); },
                    {"line 2, column 'y'", "'inf' is infinite"});
  expect_data_error([] { use("n,zip,size\n1,x,low\n", true); },
                    {"the target column 'y'", "not there"});
}

TEST(TableFor, UnknownClassesStay) {
  Notes notes;
  const Table table = use("n,zip,size,y\n1,x,low,new\n2,x,low,u\n", true, &notes);
  EXPECT_EQ(table.target().codes, (std::vector<int32_t>{-1, 0}));
  ASSERT_EQ(notes.texts.size(), 1U);
  EXPECT_NE(notes.texts[0].find("1 row of a class"), std::string::npos);
}

TEST(TableFor, RowsWithoutTargetAreLeftOutWhenItIsNeeded) {
  Notes notes;
  const std::string text = "n,zip,size,y\n1,x,low,?\n2,x,low,u\n";
  EXPECT_EQ(use(text, true, &notes).input(0).numbers, (std::vector<double>{2}));
  EXPECT_EQ(notes.texts, Texts{"1 row without a value of the target 'y' left out"});
  EXPECT_EQ(use(text, false).rows(), 2U);
  expect_data_error([] { use("n,zip,size,y\n1,x,low,?\n", true); }, {"no row has a value"});
}

TEST(TableFor, AbsentInputsAreErrors) {
  expect_data_error([] { use("n,zip,y\n1,x,u\n", false); },
                    {"the input column 'size'", "not there"});
  expect_data_error([] { use("N,zip,size,y\n1,x,low,u\n", false); },
                    {"the input column 'n'", "did you mean 'N'?"});
}

TEST(TableFor, InputsThatNobodyNeedsMayBeAbsentOrWrong) {
  const std::vector<bool> only_zip = {false, true, false};
  const auto use_zip = [&](const char* text) {
    return table_for(csv(text, read_options_for(schema(), false, only_zip)), schema(), false, {},
                     only_zip);
  };
  for (const char* const text : {"zip\n1\n", "zip,n,size\n1,text,neither\n"}) {
    const Table table = use_zip(text);
    EXPECT_TRUE(table.input(0).is_missing(0));
    EXPECT_FALSE(table.input(1).is_missing(0));
    EXPECT_TRUE(table.input(2).is_missing(0));
    EXPECT_EQ(table.input(2).missing, 1U);
  }
  expect_data_error([&] { use_zip("n,size\n1,low\n"); },
                    {"the input column 'zip'", "the model asks about zip"});
}

TEST(TableFor, TextInANumericColumnIsAnError) {
  expect_data_error([] { use("n,zip,size\n1,x,low\nabc,x,low\n", false); },
                    {"data.csv, line 3, column 'n'", "'abc' is not a number"});
}

TEST(TableFor, ClassesMadeOfNumbersAreComparedAsNumbers) {
  Schema with;
  with.features = {{"a", Kind::numeric, {}}};
  with.target = {"y", Kind::nominal, {"1", "0"}};
  EXPECT_EQ(use("a,y\n1,0\n2,1.0\n3,00\n4,1\n", true, nullptr, with).target().codes,
            (std::vector<int32_t>{1, 0, 1, 0}));
}

TEST(TableFor, RegressionAndWeights) {
  Schema with;
  with.features = {{"a", Kind::numeric, {}}};
  with.target = {"y", Kind::numeric, {}};
  with.weight = "w";
  const Table table = use("a,y,w\n1,0.5,2\n2,1.5,0\n", true, nullptr, with);
  EXPECT_EQ(table.target().numbers, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(table.weights(), (std::vector<double>{2, 0}));
  EXPECT_FALSE(use("a,y\n1,0.5\n", true, nullptr, with).weighted());
  expect_data_error([&] { use("a,y,w\n1,0.5,-2\n", true, nullptr, with); },
                    {"line 2, column 'w'", "-2"});
  expect_data_error([&] { use("a,y\n1,0.5\n1,abc\n", true, nullptr, with); },
                    {"line 3, column 'y'", "'abc'"});
  EXPECT_FALSE(use("a,y\n1,abc\n", false, nullptr, with).has_target());  // nobody asked for it
}

}  // namespace
}  // namespace softwood::test
