// From a file as read to a table to learn from.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/data/reading.h"

namespace softwood::test {
namespace {

Prepared prepare(std::string_view text, const Roles& roles = {}, Notes* notes = nullptr) {
  Notes own;
  return training_table(csv(text), roles, (notes == nullptr ? own : *notes).control);
}

void expect_error(std::string_view text, const Roles& roles, const Texts& parts) {
  expect_data_error([&] { prepare(text, roles); }, parts);
}

TEST(TrainingTable, TheLastColumnIsTheTarget) {
  const Prepared prepared = prepare("a,b,c\n1,x,yes\n2,y,no\n3,x,yes\n");
  const Schema& schema = prepared.table.schema();
  EXPECT_EQ(schema.target.name, "c");
  EXPECT_EQ(schema.task(), Task::classification);
  EXPECT_EQ(schema.target.levels, (Texts{"no", "yes"}));
  ASSERT_EQ(schema.features.size(), 2U);
  EXPECT_EQ(schema.features[0], (Feature{"a", Kind::numeric, {}}));
  EXPECT_EQ(schema.features[1], (Feature{"b", Kind::nominal, {"x", "y"}}));
  EXPECT_EQ(prepared.table.rows(), 3U);
  EXPECT_EQ(prepared.table.target().codes, (std::vector<int32_t>{1, 0, 1}));
  EXPECT_FALSE(prepared.table.weighted());
}

// Numbers by value, then texts by code points: capitals before small letters, accents after them.
TEST(TrainingTable, TheOrderOfClassesAndLevelsIsNotThatOfTheRows) {
  const Texts sorted = {"-1", "2", "10", "1e2", "B", "a", "b", "\u00e9"};
  Texts rows = {"a", "10", "\u00e9", "2", "1e2", "b", "-1", "B"};
  for (int trial = 0; trial < 3; ++trial) {
    std::string text = "x,level,class\n";
    for (const std::string& row : rows) text += "1," + row + "," + row + "\n2,?," + row + "\n";
    Roles roles;
    roles.nominal = {"level"};
    const Prepared prepared = prepare(text, roles);
    EXPECT_EQ(prepared.table.schema().target.levels, sorted);
    EXPECT_EQ(prepared.table.schema().features[1].levels, sorted);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto code = static_cast<size_t>(prepared.table.target().codes[2 * i]);
      EXPECT_EQ(sorted[code], rows[i]);
      EXPECT_EQ(prepared.table.input(1).codes[2 * i], prepared.table.target().codes[2 * i]);
      EXPECT_EQ(prepared.table.input(1).codes[2 * i + 1], missing_code);
    }
    std::rotate(rows.begin(), rows.begin() + 3, rows.end());
  }
}

TEST(TrainingTable, ClassesOfNumbersAreOrderedByValue) {
  EXPECT_EQ(prepare("a,y\n1,10\n2,9\n3,-2\n").table.schema().target.levels,
            (Texts{"-2", "9", "10"}));
}

TEST(TrainingTable, TheLastOfTwoClassesIsPositiveUnlessAnotherIsNamed) {
  const std::string_view text = "x,y\n1,yes\n2,no\n3,yes\n";
  EXPECT_EQ(prepare(text).table.schema().positive_class(), "yes");
  Roles roles;
  roles.positive = "no";
  EXPECT_EQ(prepare(text, roles).table.schema().positive_class(), "no");
  EXPECT_EQ(prepare(text, roles).table.schema().target.levels, (Texts{"no", "yes"}));
  EXPECT_EQ(prepare("x,y\n1,a\n2,b\n3,c\n").table.schema().positive_class(), "");
  const auto refused = [&](std::string_view rows, const std::string& name) -> std::string {
    roles.positive = name;
    try {
      prepare(rows, roles);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what() + ("; " + error.advice().text);
    }
    return {};
  };
  EXPECT_EQ(refused(text, "maybe"),
            "there is no class 'maybe' to be positive; the classes are no, yes");
  EXPECT_EQ(refused("x,y\n1,a\n2,b\n3,c\n", "a"),
            "a positive class is one of two classes; the classes are a, b, c");
  EXPECT_EQ(refused("x,y\n1,0.5\n2,1.5\n", "a"),
            "a positive class is one of two classes; the target is a number");
}

// Marks are kept once each, for the rows that a model will meet.
TEST(TrainingTable, KeepsTheMarksOfMissingCells) {
  Roles roles;
  roles.missing_marks = {"N/A", "-9", "N/A"};
  EXPECT_EQ(prepare("x,y\n1,a\n2,b\n", roles).table.schema().missing_marks, (Texts{"N/A", "-9"}));
}

TEST(TrainingTable, TargetByName) {
  Roles roles;
  roles.target = "b";
  const Prepared prepared = prepare("a,b,c\n1,x,0.5\n2,y,0.25\n", roles);
  EXPECT_EQ(prepared.table.schema().target.name, "b");
  EXPECT_EQ(prepared.table.schema().features[1].name, "c");
  roles.target = "bee";
  expect_error("a,be,c\n1,x,1\n", roles, {"no column 'bee' for the target", "did you mean 'be'"});
}

TEST(TrainingTable, FewWholeNumbersAreClasses) {
  Notes notes;
  const Prepared prepared = prepare("a,y\n1,3\n2,-1\n3,3.0\n", {}, &notes);
  EXPECT_EQ(prepared.table.schema().target, (Feature{"y", Kind::nominal, {"-1", "3"}}));
  ASSERT_EQ(notes.texts.size(), 1U);
  EXPECT_NE(notes.texts[0].find("target 'y' has 2 distinct whole values"), std::string::npos);

  std::string ten = "a,y\n", eleven = "a,y\n";
  for (int i = 0; i < 30; ++i) {
    ten += "1," + std::to_string(i % 10) + "\n";
    eleven += "1," + std::to_string(i % 11) + "\n";
  }
  EXPECT_EQ(prepare(ten).table.schema().task(), Task::classification);
  EXPECT_EQ(prepare(eleven).table.schema().task(), Task::regression);
  EXPECT_EQ(prepare("a,y\n1,1\n2,2.5\n").table.schema().task(), Task::regression);
}

TEST(TrainingTable, TaskCanBeSaid) {
  Roles roles;
  roles.task = Task::regression;
  EXPECT_EQ(prepare("a,y\n1,0\n2,1\n", roles).table.schema().task(), Task::regression);
  expect_error("a,y\n1,0\n2,yes\n", roles,
               {"line 2, column 'y'", "regression needs a numeric target"});
  roles.task = Task::classification;
  std::string many = "a,y\n";
  for (int i = 0; i < 30; ++i) many += "1," + std::to_string(i) + "\n";
  EXPECT_EQ(prepare(many, roles).table.schema().classes(), 30U);
  const Table numbers = prepare("a,y\n1,0\n2,1.5\n", roles).table;
  EXPECT_EQ(numbers.schema().target.levels, (std::vector<std::string>{"0", "1.5"}));
}

TEST(TrainingTable, RowsWithoutTargetAreLeftOut) {
  Notes notes;
  const Prepared prepared = prepare("a,b,y\n1,p,?\n2,q,u\n3,?,\n4,p,v\n", {}, &notes);
  EXPECT_EQ(prepared.table.rows(), 2U);
  EXPECT_EQ(prepared.kept_rows, (std::vector<RowIndex>{1, 3}));
  EXPECT_EQ(prepared.frame_rows, 4U);
  EXPECT_EQ(prepared.table.input(0).numbers, (std::vector<double>{2, 4}));
  EXPECT_EQ(prepared.table.input(1).codes, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(prepared.table.input(1).missing, 0U);
  EXPECT_EQ(notes.texts, Texts{"2 rows without a value of the target 'y' left out"});
  expect_error("a,y\n1,?\n2,\n", {}, {"no row has a value of the target 'y'"});
}

TEST(TrainingTable, IdentifiersAreLeftOut) {
  std::string text = "id,b,y\n";
  for (int i = 0; i < 11; ++i)
    text += "k" + std::to_string(i) + ",v" + std::to_string(i % 10) + ",z\n";
  Notes notes;
  EXPECT_EQ(prepare(text, {}, &notes).table.schema().features.size(), 1U);
  ASSERT_EQ(notes.texts.size(), 1U);
  EXPECT_NE(notes.texts[0].find("column 'id' is left out"), std::string::npos);
  Roles roles;
  roles.nominal = {"id"};
  EXPECT_EQ(prepare(text, roles).table.schema().features.size(), 2U);
  EXPECT_EQ(prepare("id,y\nk1,z\nk2,z\n").table.schema().features.size(), 1U);  // few rows
}

TEST(TrainingTable, SaysWhichTextMakesNumbersNominal) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 40; ++i) {
    text += (i == 17 || i == 30 ? std::string("oops") : std::to_string(i % 15)) + ",1,p\n";
  }
  Notes notes;
  const Prepared prepared = prepare(text, {}, &notes);
  EXPECT_EQ(prepared.table.schema().features[0].kind, Kind::nominal);
  ASSERT_EQ(notes.texts.size(), 1U);
  EXPECT_NE(notes.texts[0].find("column 'a' has 38 numbers and 2 texts, first 'oops' in line 19"),
            std::string::npos)
      << notes.texts[0];
  Notes none;
  Roles roles;
  roles.nominal = {"a"};
  prepare(text, roles, &none);
  EXPECT_TRUE(none.texts.empty());
}

TEST(TrainingTable, AllMissingColumnsStay) {
  const Prepared prepared = prepare("a,b,y\n?,1,u\n,2,v\n");
  EXPECT_EQ(prepared.table.schema().features[0].kind, Kind::numeric);
  EXPECT_EQ(prepared.table.input(0).missing, 2U);
}

TEST(TrainingTable, OneColumnAndOneClassAreAccepted) {
  EXPECT_EQ(prepare("y\nu\nu\n").table.features(), 0U);
  EXPECT_EQ(prepare("a,y\n1,u\n").table.schema().classes(), 1U);
}

TEST(TrainingTable, Ordinal) {
  Roles roles;
  roles.ordinal["size"] = {"small", "medium", "large"};
  const std::string text = "size,y\nlarge,u\nsmall,v\n?,u\n";
  const Prepared prepared = prepare(text, roles);
  EXPECT_EQ(prepared.table.schema().features[0],
            (Feature{"size", Kind::ordinal, {"small", "medium", "large"}}));
  EXPECT_EQ(prepared.table.input(0).codes, (std::vector<int32_t>{2, 0, -1}));
  expect_error("size,y\nlarge,u\nhuge,v\n", roles,
               {"line 3, column 'size'", "'huge' is none of the values"});
  roles.ordinal = {{"grade", {"1", "2", "03"}}};
  EXPECT_EQ(prepare("grade,y\n2,u\n3.0,v\n", roles).table.input(0).codes,
            (std::vector<int32_t>{1, 2}));

  roles.ordinal = {{"sise", {"a", "b"}}};
  expect_error(text, roles, {"no column 'sise' for the ordinal", "did you mean 'size'"});
  roles.ordinal = {{"size", {"small"}}};
  expect_error(text, roles, {"at least 2 values", "small:medium:large"});
  roles.ordinal = {{"size", {"small", "small"}}};
  expect_error(text, roles, {"'small' occurs twice"});
  roles.ordinal = {{"size", {"small", ""}}};
  expect_error(text, roles, {"an empty value"});
  roles.ordinal = {{"y", {"u", "v"}}};
  expect_error(text, roles, {"the target 'y' can't be ordinal"});
}

TEST(TrainingTable, Weights) {
  Roles roles;
  roles.weights = "w";
  const Prepared prepared = prepare("a,y,w\n1,u,0.5\n2,?,-1\n3,v,2\n", roles);
  EXPECT_EQ(prepared.table.schema().target.name, "y");  // the last that is not the weights
  EXPECT_EQ(prepared.table.schema().weight, "w");
  EXPECT_EQ(prepared.table.features(), 1U);
  EXPECT_EQ(prepared.table.weights(), (std::vector<double>{0.5, 2}));
  expect_error("w,y\n1,u\n-2,v\n", roles, {"line 3, column 'w'", "-2 is no weight"});
  expect_error("w,y\n1,u\n?,v\n", roles, {"line 3, column 'w'", "missing"});
  expect_error("w,y\n1,u\nx,v\n", roles, {"line 3, column 'w'", "'x' is no weight"});
  expect_error("w,y\n0,u\n0,v\n", roles, {"all weights", "zero"});
  roles.target = "w";
  expect_error("w,y\n1,u\n", roles, {"both target and weights"});
  roles = {};
  roles.weights = "weights";
  expect_error("weight,y\n1,u\n", roles, {"no column 'weights' for the weights", "'weight'"});
}

TEST(TrainingTable, WarnsOfWeightsThatDoNotCountRows) {
  Roles roles;
  roles.weights = "w";
  const auto warnings = [&](const std::vector<std::string>& weights) {
    std::string text = "a,w,y\n";
    for (size_t i = 0; i < weights.size(); ++i) {
      text += std::to_string(i % 2) + "," + weights[i] + "," + (i % 2 == 0 ? "u" : "v") + "\n";
    }
    Notes notes;
    Texts warned;
    notes.control.warning = [&](const Note& said) { warned.push_back(said.text()); };
    prepare(text, roles, &notes);
    return warned;
  };
  EXPECT_EQ(warnings({"0.25", "0.25", "0.25", "0.25"}),
            Texts{"the weights 'w' sum to 1 in 4 rows: a weight counts rows, so this is as little "
                  "as 1 row to learn from (rescale them to a mean of 1)"});
  EXPECT_EQ(warnings({"1000", "1000", "0"}),
            Texts{"every weight 'w' is 1000: a weight counts rows, so every row counts as 1000 "
                  "rows (leave the weights out unless each row stands for so many)"});
  EXPECT_EQ(warnings({"1", "3", "1"}),
            Texts{"1 of 3 rows have a weight 'w' of 2 or more: each counts as copies, which folds "
                  "divide, so that cross-validated errors may be too low (where the weights do not "
                  "count copies, divide them by their mean)"});
  EXPECT_TRUE(warnings({"1", "1", "1"}).empty());
  EXPECT_TRUE(warnings({"1", "2", "0.5"}).empty());
  EXPECT_TRUE(warnings({"0", "0", "0", "1"}).empty());  // rows without weight are no rows
}

TEST(TrainingTable, WarnsOfTargetsThatAreHardlyClasses) {
  std::string commas = "x,y\n", rare = "x,y\n", numbers = "x,y\n", percent = "p,y\n";
  for (int i = 0; i < 40; ++i) {
    const std::string x = std::to_string(i % 7) + ",", n = std::to_string(i % 37);
    commas += x + "\"" + n + ",5\"\n";
    rare += x + "k" + n + "\n";
    numbers += x + n + ".5\n";
    percent += std::to_string(i % 9) + "%," + (i % 2 == 0 ? "u" : "v") + "\n";
  }
  const auto said = [](const std::string& text, const Roles& roles = {}) {
    Notes notes;
    prepare(text, roles, &notes);
    return notes.texts;
  };
  const std::string few = "target 'y' has 37 classes in 40 rows";
  Texts notes = said(commas);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].find("column 'y' looks like numbers with commas, such as "), 0U);
  EXPECT_NE(notes[0].find("taken as classes"), std::string::npos);
  EXPECT_EQ(notes[1].find(few), 0U);
  EXPECT_EQ(said(rare).at(0).find(few), 0U);
  EXPECT_TRUE(said(numbers).empty());  // a regression
  Roles classes;
  classes.task = Task::classification;
  EXPECT_EQ(said(numbers, classes).at(0).find(few), 0U);
  notes = said(percent);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].find("column 'p' looks like numbers with signs of percent or currency"), 0U);
  EXPECT_NE(notes[0].find("81, 1.50"), std::string::npos);
}

TEST(TrainingTable, NamesTextsThatMayBeMissing) {
  std::string text = "a,y\n";
  for (int i = 0; i < 40; ++i) {
    text += (i == 17 || i == 30 ? std::string("N/A") : std::to_string(i % 15)) + ",p\n";
  }
  Notes notes;
  std::vector<Note> warned;
  notes.control.warning = [&](const Note& said) { warned.push_back(said); };
  prepare(text, {}, &notes);
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_EQ(warned[0].advice.code, AdviceCode::declare_nominal);
  EXPECT_EQ(warned[0].advice.values, (Texts{"N/A", "a"}));
}

TEST(TrainingTable, NamedNominalIsNeverReinterpreted) {
  ReadOptions options;
  options.nominal = {"y"};
  Roles roles;
  roles.nominal = {"y"};
  Notes notes;
  const Prepared prepared = training_table(csv("a,y\n1,01\n2,1\n", options), roles, notes.control);
  EXPECT_EQ(prepared.table.schema().target.levels, (Texts{"01", "1"}));
  EXPECT_TRUE(notes.texts.empty());
}

}  // namespace
}  // namespace softwood::test
