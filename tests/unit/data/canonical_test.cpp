#include "data/canonical.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/content.h"
#include "data/folds.h"
#include "data/sorted.h"
#include "support/tables.h"

namespace softwood {
namespace {

// Rows (x, class), each with its weight.
Table table_of(std::vector<double> x, std::vector<int32_t> classes,
               std::vector<double> weights = {}) {
  return test::classes_table({test::numbers(std::move(x))}, std::move(classes), std::move(weights));
}

Table canonical(const Table& table, size_t parts) {
  return canonical_table(table, all_rows(table), parts, Parallel(2));
}

using Rows = std::vector<std::tuple<double, int32_t, double>>;
Rows rows_of(const Table& table) {
  Rows rows;
  for (RowIndex row = 0; row < table.rows(); ++row) {
    rows.emplace_back(table.input(0).numbers[row], table.target().codes[row], table.weight(row));
  }
  return rows;
}

TEST(Content, IsValuesAndNamesOfLevels) {
  Schema schema;
  schema.features = {{"c", Kind::nominal, {"red", "green"}}, {"x", Kind::numeric, {}}};
  schema.target = {"y", Kind::numeric, {}};
  Schema other = schema;
  std::swap(other.features[0].levels[0], other.features[0].levels[1]);
  const double no = missing_number;
  const Table table(schema, 3, {test::codes({0, 1, -1}), test::numbers({0.0, 2, no})},
                    test::numbers({1, 2, 3}), {});
  const Table same(other, 3, {test::codes({1, 0, -1}), test::numbers({-0.0, 2, -no})},
                   test::numbers({1, 2, 3}), std::vector<double>{1, 2, 3});
  EXPECT_EQ(content_hashes(table, all_rows(table)), content_hashes(same, all_rows(same)));
  const auto hashes = content_hashes(table, all_rows(table));
  EXPECT_EQ(std::set<uint64_t>(hashes.begin(), hashes.end()).size(), 3U);
}

TEST(Content, OrdersRowsWhereverTheyStand) {
  std::vector<double> x;
  for (int i = 0; i < 5000; ++i) x.push_back(i % 4000);
  const Table table = table_of(x, std::vector<int32_t>(x.size(), 0));
  std::reverse(x.begin(), x.end());
  const Table reversed = table_of(x, std::vector<int32_t>(x.size(), 0));
  const auto order = content_order(table, all_rows(table));
  const auto again = content_order(reversed, all_rows(reversed));
  size_t groups = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(order[i] & new_value_mark, again[i] & new_value_mark);
    EXPECT_EQ(table.input(0).numbers[order[i] & ~new_value_mark],
              reversed.input(0).numbers[again[i] & ~new_value_mark]);
    groups += (order[i] & new_value_mark) != 0 ? 1 : 0;
  }
  EXPECT_EQ(groups, 4000U);
}

TEST(Canonical, MergesEqualRows) {
  const Table copies = table_of({1, 2, 1, 3, 2, 1}, {0, 1, 0, 0, 0, 0});
  const Table weights = table_of({3, 2, 2, 1, 1, 9}, {0, 0, 1, 0, 0, 1}, {1, 1, 1, 2, 1, 0});
  Rows merged = rows_of(canonical(copies, 1));
  EXPECT_EQ(rows_of(canonical(weights, 1)), merged);
  EXPECT_TRUE(canonical(weights, 1).canonical());
  std::sort(merged.begin(), merged.end());
  EXPECT_EQ(merged, (Rows{{1, 0, 3}, {2, 0, 1}, {2, 1, 1}, {3, 0, 1}}));
}

TEST(Canonical, KeepsRowsWhereNoneHasWeight) {
  EXPECT_EQ(canonical(table_of({1, 2}, {0, 1}, {0, 0}), 1).rows(), 2U);
}

TEST(Canonical, DealsWeightsThatCountRows) {
  Rows dealt = rows_of(canonical(table_of({1, 2, 3}, {0, 1, 0}, {23, 2, 1}), 10));
  std::sort(dealt.begin(), dealt.end());
  Rows expected(7, {1, 0, 2});
  expected.insert(expected.end(), 3, {1, 0, 3});
  expected.insert(expected.end(), {{2, 1, 1}, {2, 1, 1}, {3, 0, 1}});
  EXPECT_EQ(dealt, expected);
}

TEST(Canonical, DealsOtherWeightsWhereOneRowOutweighsAPart) {
  Rows dealt = rows_of(canonical(table_of({1, 2, 3}, {0, 1, 0}, {0.5, 0.75, 8.75}), 4));
  std::sort(dealt.begin(), dealt.end());
  EXPECT_EQ(dealt, (Rows{{1, 0, 0.5},
                         {2, 1, 0.75},
                         {3, 0, 8.75 / 4},
                         {3, 0, 8.75 / 4},
                         {3, 0, 8.75 / 4},
                         {3, 0, 8.75 / 4}}));
}

TEST(Canonical, GrowsAFewTimesLongerAtMost) {
  std::vector<double> x(50'000), weights(x.size(), 100.0);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const Table table = table_of(x, std::vector<int32_t>(x.size(), 0), weights);
  EXPECT_EQ(canonical(table, 10).rows(), 4 * x.size());
}

TEST(Canonical, SaysWhereRowsAreDividedAlikeWithoutIt) {
  const Table few = table_of({1, 1, 2}, {0, 0, 1}), many = table_of({1, 1, 1}, {0, 0, 0});
  EXPECT_TRUE(divides_as_canonical(few, all_rows(few), 2, Parallel(1)));
  EXPECT_FALSE(divides_as_canonical(many, all_rows(many), 2, Parallel(1)));
}

// Folds as sets of rows with their weights.
std::vector<Rows> folds_of(const Table& table, size_t folds) {
  const Table dealt = canonical(table, folds);
  const auto fold = stratified_folds(dealt, all_rows(dealt), folds, 3);
  std::vector<Rows> result(folds);
  const Rows rows = rows_of(dealt);
  for (size_t i = 0; i < rows.size(); ++i) result[fold[i]].push_back(rows[i]);
  return result;
}

TEST(Canonical, FoldsAreTheSameForCopiesAndWeightsInAnyOrder) {
  std::vector<double> x, distinct, weights;
  std::vector<int32_t> classes, of_distinct;
  for (int i = 0; i < 30; ++i) {
    distinct.push_back(i);
    of_distinct.push_back(i % 2);
    weights.push_back(i % 4 + 1);
    for (int copy = 0; copy <= i % 4; ++copy) {
      x.insert(x.begin(), i);
      classes.insert(classes.begin(), i % 2);
    }
  }
  const auto folds = folds_of(table_of(x, classes), 5);
  EXPECT_EQ(folds, folds_of(table_of(distinct, of_distinct, weights), 5));
  for (const Rows& fold : folds) EXPECT_FALSE(fold.empty());
  // Three different rows are enough for ten folds, where they weigh enough.
  for (const Rows& fold : folds_of(table_of({1, 2, 3}, {0, 1, 0}, {10, 10, 10}), 10)) {
    EXPECT_FALSE(fold.empty());
  }
}

}  // namespace
}  // namespace softwood
