#include "stats/histogram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/tables.h"

namespace softwood {
namespace {

TEST(FixedPoint, KeepsWholeNumbersAsTheyAre) {
  std::vector<int64_t> fixed;
  EXPECT_EQ(to_fixed_point({3, 0, -7, 1e9}, fixed), 1);
  EXPECT_EQ(fixed, (std::vector<int64_t>{3, 0, -7, 1000000000}));
}

TEST(FixedPoint, KeepsOtherNumbersToManyDigits) {
  const std::vector<double> values = {0.1, -0.25, 1e-3, 3.14159};
  std::vector<int64_t> fixed;
  const double unit = to_fixed_point(values, fixed);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(fixed[i]) * unit, values[i], 1e-17);
  }
  // A power of two, so that going there and back adds no rounding of its own.
  int exponent = 0;
  EXPECT_EQ(std::frexp(unit, &exponent), 0.5);
}

TEST(FixedPoint, NeverOverflowsWhenAllIsAddedUp) {
  for (const double size : {1e-300, 1.0, 0.7, 1e18, 1e300}) {
    const std::vector<double> values(1000, size);
    std::vector<int64_t> fixed;
    const double unit = to_fixed_point(values, fixed);
    int64_t sum = 0;
    for (const int64_t value : fixed) {
      ASSERT_FALSE(__builtin_add_overflow(sum, value, &sum));
    }
    EXPECT_NEAR(static_cast<double>(sum) * unit / (1000 * size), 1, 1e-12) << size;
  }
}

// A sum of 1 + 2^-53 * 2^20 that is rounded to 1 in one order only.
TEST(FixedPoint, HasAUnitThatDoesNotDependOnTheOrder) {
  const std::vector<double> small(1 << 10, 0x1p-54);
  std::vector<double> first = small, last = small;
  first.insert(first.begin(), 1 - 0x1p-45);
  last.push_back(1 - 0x1p-45);
  std::vector<int64_t> fixed;
  EXPECT_EQ(to_fixed_point(first, fixed), to_fixed_point(last, fixed));
}

TEST(FixedPoint, OfNothingIsNothing) {
  std::vector<int64_t> fixed;
  to_fixed_point({}, fixed);
  EXPECT_TRUE(fixed.empty());
  to_fixed_point({0, 0}, fixed);
  EXPECT_EQ(fixed, (std::vector<int64_t>{0, 0}));
}

// x0 (numbers): 1 2 1 - 3 2, in three bins; x1 (two levels): a b a a - b. Classes 0 1 0 1 1 0.
struct SixRows {
  Table table = test::classes_table(
      {test::numbers({1, 2, 1, missing_number, 3, 2}), test::codes({0, 1, 0, 0, -1, 1})},
      {0, 1, 0, 1, 1, 0});
  std::vector<RowIndex> rows = all_rows(table);
  std::vector<FeatureBins> bins = make_bins(table, rows, 255, Parallel(1));
  BinnedRows binned{table, rows, bins, Parallel(1)};
  FixedPoint target{2, {0, 1, 0, 1, 1, 0}, {}, {}, 1, 1};
  BinnedShard shard(uint32_t begin, uint32_t end) const {
    return {binned, bins, target, begin, end};
  }
};

// Cells of x0: bins 1, 2, 3, missing; of x1: a, b, missing. Two classes each.
const std::vector<int64_t> root_sums = {2, 0, 1, 1, 0, 1, 0, 1, 2, 1, 1, 1, 0, 1};

TEST(Histograms, CountTheClassesOfEveryCode) {
  const SixRows six;
  BinnedShard shard = six.shard(0, 6);
  EXPECT_EQ(shard.offsets(), (std::vector<uint32_t>{0, 4, 7}));
  Histograms histograms;
  histograms.add(shard, {{}, {}, {0}});
  EXPECT_EQ(histograms.sums(), root_sums);
}

TEST(Histograms, OfPartsAddUpToTheWhole) {
  const SixRows six;
  Histograms sum;
  BinnedShard first = six.shard(0, 0);
  sum.add(first, {{}, {}, {0}});
  for (uint32_t begin = 0; begin < 6; begin += 2) {
    BinnedShard part = six.shard(begin, begin + 2);
    Histograms histograms;
    histograms.add(part, {{}, {}, {0}});
    sum.merge(histograms);
  }
  EXPECT_EQ(sum.sums(), root_sums);
}

TEST(Histograms, FollowTheSplitsOfTheQuery) {
  // Node 0 by x0: code 0 to node 1, codes 1 and 2 to node 2, missing to node 1: rows 0 2 3 | 1 4 5.
  const SixRows six;
  BinnedShard shard = six.shard(0, 6);
  Histograms histograms;
  histograms.add(shard, {{{0, 0, 1, 2, 0}}, {0, 1, 1, 0}, {2, 1}});
  EXPECT_EQ(std::vector<uint32_t>(shard.slots_of(1).begin(), shard.slots_of(1).end()),
            (std::vector<uint32_t>{0, 2, 3}));
  EXPECT_EQ(std::vector<uint32_t>(shard.slots_of(2).begin(), shard.slots_of(2).end()),
            (std::vector<uint32_t>{1, 4, 5}));
  const std::vector<int64_t> expected = {0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1,   // node 2
                                         2, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0};  // node 1
  EXPECT_EQ(histograms.sums(), expected);
  // And a split with three children, of node 2 by x1: a to 3, b to 4, missing to 5.
  Histograms next;
  next.add(shard, {{{2, 1, 3, 3, 0}}, {0, 1, 2}, {}});
  EXPECT_EQ(shard.slots_of(3).size(), 0U);
  EXPECT_EQ(shard.slots_of(4).size(), 2U);
  EXPECT_EQ(shard.slots_of(5)[0], 4U);
}

TEST(Histograms, AddWeightsAndAmounts) {
  SixRows six;
  six.target = {0, {}, {10, 20, 30, 40, 50, 60}, {1, 2, 3, 4, 5, 6}, 1, 1};
  BinnedShard shard = six.shard(0, 6);
  Histograms histograms;
  histograms.add(shard, {{}, {}, {0}});
  // x0 = 1: rows 0 and 2: weight 1 + 3, amount 10 + 30; and so on.
  EXPECT_EQ(histograms.sums(),
            (std::vector<int64_t>{4, 40, 8, 80, 5, 50, 4, 40, 8, 80, 8, 80, 5, 50}));
}

TEST(Histograms, TravelAsBytes) {
  const SixRows six;
  BinnedShard shard = six.shard(0, 6);
  const HistogramQuery query{{{0, 0, 1, 2, 0}}, {0, 1, 1, 0}, {2, 1}};
  ByteWriter out;
  query.write(out);
  const Bytes question = out.take();
  ByteReader in(question);
  const HistogramQuery read = HistogramQuery::read(in);
  Histograms histograms;
  histograms.add(shard, read);
  ByteWriter answer;
  histograms.write(answer);
  const Bytes bytes = answer.take();
  ByteReader back(bytes);
  EXPECT_EQ(Histograms::read(back).sums(), histograms.sums());
}

TEST(Deviations, AreSummedForEveryNodeOfThePath) {
  // Targets 1 … 6, split as above: node 1 has 1 3 4 (mean 8/3), node 2 has 2 5 6 (mean 13/3).
  SixRows six;
  six.target = {0, {}, {1, 2, 3, 4, 5, 6}, {}, 1, 1};
  BinnedShard shard = six.shard(0, 6);
  shard.apply({{{0, 0, 1, 2, 0}}, {0, 1, 1, 0}, {}});
  Deviations deviations;
  const double unit = std::ldexp(1.0, -40);
  deviations.add(shard, {{0, 0, 0}, {0, 1, 1}, {3.5, 8.0 / 3, 13.0 / 3}, unit});
  const auto value = [&](size_t node) { return deviations.sum(node, unit); };
  EXPECT_NEAR(value(0), 17.5, 1e-9);            // 6.25 + 2.25 + .25, twice
  EXPECT_NEAR(value(1), 26 - 64.0 / 3, 1e-9);   // 1 + 9 + 16 - 8^2/3
  EXPECT_NEAR(value(2), 65 - 169.0 / 3, 1e-9);  // 4 + 25 + 36 - 13^2/3
}

// In a unit of 100 all but the last would be 0.
TEST(Deviations, AreNotLostBesideAnOutlier) {
  SixRows six;
  six.target = {0, {}, {1, 2, 3, 4, 5, 1000000}, {}, 1, 1};
  BinnedShard shard = six.shard(0, 6);
  shard.apply({{{0, 0, 1, 2, 0}}, {0, 1, 1, 0}, {}});
  Deviations deviations;
  deviations.add(shard, {{0, 0, 0}, {0, 1, 1}, {0, 8.0 / 3, 0}, 100, 1000});
  EXPECT_NEAR(deviations.sum(1, 100), 26 - 64.0 / 3, 1e-6);
  EXPECT_NEAR(deviations.sum(2, 100), 1e12 + 29, 1e-3);
}

}  // namespace
}  // namespace softwood
