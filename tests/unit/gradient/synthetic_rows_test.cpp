// Rows between rows.
#include "gradient/synthetic_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/typical.h"
#include "softwood/error.h"
#include "support/tables.h"

namespace softwood::gradient {
namespace {

using test::numbers;
using test::numbers_table;

Rows<float> cells_of(const Sample& sample) {
  const Inputs inputs(sample, {0, 0, 0}, Map::none, Products::none);
  return inputs.rows<float>({&sample, 1}, target_scale(sample));
}

// Two groups far from each other; within each b is twice a.
TEST(SyntheticRows, LieBetweenNeighbours) {
  std::vector<double> a, b, y;
  for (int i = 0; i < 40; ++i) {
    a.push_back(i < 20 ? i : 1000 + i);
    b.push_back(2 * a.back());
    y.push_back(i);
  }
  const Table table = numbers_table({numbers(a), numbers(b)}, y);
  const std::vector<RowIndex> rows = all_rows(table);
  const Sample sample{&table, rows};
  const Table more = synthetic_rows({&sample, 1}, cells_of(sample), 200, 1);
  ASSERT_EQ(more.rows(), 200U);
  size_t between = 0;
  for (size_t i = 0; i < more.rows(); ++i) {
    const double value = more.input(0).numbers[i];
    EXPECT_NEAR(more.input(1).numbers[i], 2 * value, 1e-9);
    EXPECT_TRUE((value >= 0 && value < 20) || (value >= 1020 && value < 1040)) << value;
    between += value != std::floor(value) ? 1 : 0;
  }
  EXPECT_GT(between, 150U);
}

TEST(SyntheticRows, EndWhereTheyAreInterrupted) {
  const Table table = numbers_table({numbers({1, 2, 3}), numbers({4, 5, 6})}, {0, 1, 2});
  const std::vector<RowIndex> rows = all_rows(table);
  const Sample sample{&table, rows};
  Control control;
  size_t asked = 0;
  control.interrupt = [&] { return ++asked > 2; };
  constexpr size_t count = size_t{1} << 30;  // not to be waited for
  EXPECT_THROW(synthetic_rows({&sample, 1}, cells_of(sample), count, 1, nullptr, false, control),
               Error);
}

TEST(SyntheticRows, TakeWholeNumbersAsTheyAreWhereTheyMayBeCodes) {
  std::vector<double> codes, sizes, y;
  for (int i = 0; i < 40; ++i) {
    codes.push_back(i % 4 * 3);
    sizes.push_back(i + 0.5);
    y.push_back(i);
  }
  const Table table = numbers_table({numbers(codes), numbers(sizes)}, y);
  const std::vector<RowIndex> rows = all_rows(table);
  const Sample sample{&table, rows};
  const Table more = synthetic_rows({&sample, 1}, cells_of(sample), 200, 1, nullptr, true);
  size_t between = 0;
  for (size_t i = 0; i < more.rows(); ++i) {
    EXPECT_EQ(std::fmod(more.input(0).numbers[i], 3), 0);
    between += std::fmod(more.input(1).numbers[i], 1) != 0.5 ? 1 : 0;
  }
  EXPECT_GT(between, 100U);
}

TEST(SyntheticRows, TakeLevelsAndMissingCellsFromRows) {
  const Table table =
      test::random_table({.rows = 60, .classes = 3, .nominal = 1, .missing = 0.3}, 3);
  const std::vector<RowIndex> rows = all_rows(table);
  const Sample sample{&table, rows};
  const Inputs inputs(sample, typical_values(table, rows), Map::none, Products::none);
  const Table more = synthetic_rows({&sample, 1}, inputs.rows<float>({&sample, 1}, {}), 300, 2);
  ASSERT_EQ(more.features(), table.features());
  for (const int32_t code : more.input(2).codes) EXPECT_LT(code, 5);
  size_t missing = 0;
  for (size_t f = 0; f < more.features(); ++f) missing += more.input(f).missing;
  EXPECT_GT(missing, 0U);
  EXPECT_EQ(
      more.fingerprint(),
      synthetic_rows({&sample, 1}, inputs.rows<float>({&sample, 1}, {}), 300, 2).fingerprint());
  EXPECT_NE(
      more.fingerprint(),
      synthetic_rows({&sample, 1}, inputs.rows<float>({&sample, 1}, {}), 300, 3).fingerprint());
}

}  // namespace
}  // namespace softwood::gradient
