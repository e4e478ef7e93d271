// Copies of rows, and in which part they are judged.
#include "stages/auto/copies.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "stages/auto/race.h"
#include "stages/recipe.h"
#include "support/tables.h"

namespace softwood::choice {
namespace {

// `different` rows, each so many times; `values`: how many values the input may have.
Table repeated(size_t different, size_t times, size_t values, std::vector<double> weights = {}) {
  Random random(5, "rows");
  std::vector<double> x(different);
  std::vector<int32_t> y(different);
  for (size_t i = 0; i < different; ++i) {
    x[i] = static_cast<double>(random.below(values));
    y[i] = random.uniform() < 0.5 ? 1 : 0;
  }
  std::vector<double> inputs;
  std::vector<int32_t> classes;
  for (size_t copy = 0; copy < times; ++copy) {
    inputs.insert(inputs.end(), x.begin(), x.end());
    classes.insert(classes.end(), y.begin(), y.end());
  }
  const Table table = test::classes_table({test::numbers(inputs)}, classes);
  if (weights.empty()) return table;
  return {table.schema(), table.rows(), {table.input(0)}, table.target(), std::move(weights)};
}

Copies copies_in(const Table& table) { return copies_of(table, all_rows(table), {}); }

TEST(Copies, AreToldFromRowsThatAreEqualByChance) {
  EXPECT_FALSE(copies_in(repeated(200, 1, 1000000)).any());
  EXPECT_TRUE(copies_in(repeated(200, 3, 1000000)).copied);
  EXPECT_EQ(copies_in(repeated(200, 3, 1000000)).different, 200U);
  const Copies few_values = copies_in(repeated(201, 1, 10));
  EXPECT_TRUE(few_values.any());
  EXPECT_FALSE(few_values.copied);
  EXPECT_TRUE(copies_in(repeated(201, 2, 10)).copied);  // every row twice, or more
  const std::vector<double> twice(201, 2.0), half(201, 0.5);
  EXPECT_TRUE(copies_in(repeated(201, 1, 10, twice)).copied);
  EXPECT_FALSE(copies_in(repeated(201, 1, 10, half)).copied);
}

std::vector<Part> parts_in(const Table& table, const std::vector<RowIndex>& rows,
                           std::vector<std::string>& notes) {
  Derived derived(table);
  const Options options;
  const Parallel parallel(1);
  Control control;
  control.note = [&](const Note& note) { notes.push_back(note.text()); };
  StageReport report;
  const Context context{derived, false, rows,     {std::nullopt, report.validation_used},
                        options, 1,     parallel, control,
                        report,  {}};
  return field_of(context, Metric::logloss).parts;
}

// By content: in which part a row is judged.
std::vector<std::set<double>> judged_values(const Table& table) {
  std::vector<std::set<double>> list;
  std::vector<std::string> notes;
  for (const Part& part : parts_in(table, all_rows(table), notes)) {
    std::set<double> judging, learning;
    for (const RowIndex row : part.judging) judging.insert(table.input(0).numbers[row]);
    for (const RowIndex row : part.learning) learning.insert(table.input(0).numbers[row]);
    for (const double value : judging) EXPECT_FALSE(learning.contains(value));
    EXPECT_NEAR(static_cast<double>(part.judging.size()) / static_cast<double>(table.rows()),
                1.0 / 3, 0.02);
    list.push_back(judging);
  }
  return list;
}

TEST(Copies, AreInOnePart) {
  const auto once = judged_values(repeated(200, 1, 1000000000));
  ASSERT_EQ(once.size(), 2U);
  EXPECT_EQ(judged_values(repeated(200, 3, 1000000000)), once);
}

// Rows of which a third are copies, and too few that differ to keep copies together.
TEST(Copies, AreWarnedOfWhereTheyAreDealtOut) {
  const Table few = repeated(45, 2, 1000000000);
  std::vector<RowIndex> rows(60);
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  std::vector<std::string> notes;
  parts_in(few, rows, notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("only 45 rows differ, the others are copies: trees are judged by copies"),
            std::string::npos)
      << notes[0];
}

}  // namespace
}  // namespace softwood::choice
