#include "data/typical.h"

#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/interruption.h"
#include "support/tables.h"

namespace softwood {
namespace {

TEST(TypicalValues, AskWhetherToEndWithinAnInput) {
  constexpr size_t rows = 2 * rows_between_asks + 5;
  std::vector<double> x(rows);
  for (size_t i = 0; i < rows; ++i) x[i] = static_cast<double>(i * 7919 % rows);
  const Table table =
      test::classes_table({test::numbers(std::move(x))}, std::vector<int32_t>(rows, 0));
  const std::vector<RowIndex> all = all_rows(table);
  test::Interruption counter;
  EXPECT_EQ(typical_values(table, all, counter.control())[0], static_cast<double>(rows / 2));
  EXPECT_GE(counter.asked(), 6U);  // three blocks are read and sorted
  test::Interruption late(counter.asked());
  EXPECT_THROW(typical_values(table, all, late.control()), Error);
}

// Ten rows of each tenth; class 1 only in the eighth, and where the number is missing.
TEST(InformativeValues, SayWhatMissingCellsSay) {
  std::vector<double> x;
  std::vector<int32_t> level, classes;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i);
    level.push_back(i / 40);
    classes.push_back(i / 10 == 7 ? 1 : 0);
  }
  for (int i = 0; i < 5; ++i) {
    x.push_back(missing_number);
    level.push_back(-1);
    classes.push_back(1);
  }
  const Table table =
      test::classes_table({test::numbers(std::move(x)), test::codes(std::move(level))}, classes);
  const std::vector<double> values = informative_values(table, all_rows(table));
  EXPECT_EQ(values[0], 74.5);  // the median of 70 to 79
  EXPECT_EQ(values[1], 1);     // ten of its forty rows are of class 1, of the others none
  EXPECT_EQ(typical_values(table, all_rows(table))[0], 49.5);
}

// A level of nine rows has the targets of the rows without a value, by chance.
TEST(InformativeValues, AreNotThoseOfAFewRows) {
  for (const int few : {9, 10}) {
    std::vector<int32_t> level, classes;
    const auto add = [&](int rows, int32_t code, int32_t klass) {
      level.insert(level.end(), static_cast<size_t>(rows), code);
      classes.insert(classes.end(), static_cast<size_t>(rows), klass);
    };
    add(20, 0, 0);
    add(20, 1, 0);
    add(2, 1, 1);
    add(few, 2, 1);
    add(5, -1, 1);
    const Table table = test::classes_table({test::codes(std::move(level))}, classes);
    EXPECT_EQ(informative_values(table, all_rows(table))[0], few < 10 ? 1 : 2);
  }
}

// Of 30 numbers a tenth would be three rows: these are the last ten of them.
TEST(InformativeValues, AreOfTenRowsWhereNumbersAreFew) {
  std::vector<double> x, y;
  for (int i = 0; i < 30; ++i) {
    x.push_back(i);
    y.push_back(i == 3 ? 9 : i >= 20 ? 8 : 0);
  }
  x.push_back(missing_number);
  y.push_back(9);
  const Table table = test::numbers_table({test::numbers(x)}, y);
  EXPECT_EQ(informative_values(table, all_rows(table))[0], 24.5);
}

TEST(InformativeValues, AreTypicalWhereNothingIsMissing) {
  const Table table = test::numbers_table({test::numbers({1, 2, 4})}, {3, 2, 1});
  EXPECT_EQ(informative_values(table, all_rows(table)), (std::vector<double>{2}));
}

TEST(InformativeValues, ARowOfWeightTwoIsTheRowTwice) {
  std::vector<double> x, y, weights;
  std::vector<RowIndex> twice;
  for (RowIndex i = 0; i < 97; ++i) {
    x.push_back(i % 11 == 3 ? missing_number : static_cast<double>(i * 31 % 23));
    y.push_back(static_cast<double>(i * 17 % 29));
    weights.push_back(i % 3 == 0 ? 2 : 1);
    twice.insert(twice.end(), i % 3 == 0 ? 2 : 1, i);
  }
  const Table weighted = test::numbers_table({test::numbers(x)}, y, weights);
  const Table plain = test::numbers_table({test::numbers(x)}, y);
  EXPECT_EQ(informative_values(weighted, all_rows(weighted)), informative_values(plain, twice));
}

}  // namespace
}  // namespace softwood
