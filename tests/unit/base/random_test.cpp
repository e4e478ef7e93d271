#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace softwood {
namespace {

// Trees depend on these numbers: they are the same for ever.
TEST(Random, GivesTheNumbersOfItsSeedPurposeAndIndex) {
  Random random(1, "folds");
  Random same(1, "folds", 0);
  const uint64_t first = random.next();
  EXPECT_EQ(same.next(), first);
  EXPECT_NE(random.next(), first);
  EXPECT_NE(Random(2, "folds").next(), first);
  EXPECT_NE(Random(1, "bins").next(), first);
  EXPECT_NE(Random(1, "folds", 1).next(), first);
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafULL);  // the first number of SplitMix64 from seed 0
}

TEST(Random, UniformNumbersFillTheUnitInterval) {
  Random random(1, "uniform");
  double sum = 0, least = 1, most = 0;
  constexpr int count = 10000;
  for (int i = 0; i < count; ++i) {
    const double value = random.uniform();
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, 0.001);
  EXPECT_GT(most, 0.999);
  EXPECT_NEAR(sum / count, 0.5, 0.01);
}

TEST(Random, BelowReachesEveryNumberAndNoOther) {
  Random random(1, "below");
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 7000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, NormalNumbersHaveMeanZeroAndVarianceOne) {
  Random random(1, "normal");
  double sum = 0, squares = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / count, 0, 0.03);
  EXPECT_NEAR(squares / count, 1, 0.05);
}

TEST(Random, ShufflingKeepsTheItems) {
  std::vector<int> items(50);
  for (int i = 0; i < 50; ++i) items[static_cast<size_t>(i)] = i;
  const std::vector<int> before = items;
  Random(1, "shuffle").shuffle(items);
  EXPECT_NE(items, before);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, before);
}

}  // namespace
}  // namespace softwood
