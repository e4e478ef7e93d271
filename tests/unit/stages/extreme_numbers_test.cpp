// Outliers, offsets and weights that are far from 1.
#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/tables.h"

namespace softwood {
namespace {

// y = 10 for the upper half of x, with noise, and one outlier.
Table with_outlier(double outlier) {
  Random random(3, "outlier");
  std::vector<double> x, y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(random.uniform());
    y.push_back((x.back() > 0.5 ? 10 : 0) + random.uniform());
  }
  y[7] = outlier;
  return test::numbers_table({test::numbers(x)}, y);
}

TEST(ExtremeNumbers, PruningKeepsSplitsBesideAnOutlier) {
  const Table table = with_outlier(1e9);
  const Tree grown = test::run(table, "grow min-leaf=5");
  const Tree pruned = test::run(table, "grow min-leaf=5 | prune alpha=0");
  EXPECT_GT(grown.size(), 30U);
  EXPECT_EQ(pruned.size(), grown.size());
}

TEST(ExtremeNumbers, BinnedGrowthKnowsDeviationsBesideAnOutlier) {
  const Table table = with_outlier(1e9);
  const Tree exact = test::run(table, "grow max-depth=3");
  const Tree binned = test::run(table, "grow max-depth=3 search=binned");
  ASSERT_EQ(exact.size(), binned.size());
  for (NodeIndex node = 0; node < exact.size(); ++node) {
    EXPECT_NEAR(binned.sums(node)[2], exact.sums(node)[2], 1e-4 * exact.sums(node)[2] + 1e-6)
        << node;
  }
}

TEST(ExtremeNumbers, WeightsThatCannotBeSquaredTwiceAreRefused) {
  const std::vector<double> x = {1, 2, 3, 4};
  const Table heavy =
      test::classes_table({test::numbers(x)}, {0, 0, 1, 1}, {1e150, 1e150, 1e150, 1e150});
  EXPECT_THROW(test::run(heavy, "grow"), Error);
  const Table large =
      test::classes_table({test::numbers(x)}, {0, 0, 1, 1}, {1e60, 1e60, 1e60, 1e60});
  EXPECT_EQ(test::run(large, "grow").size(), 3U);
}

TEST(ExtremeNumbers, LogisticLeavesEndWithTinyWeights) {
  std::vector<double> x, weights;
  std::vector<int32_t> classes;
  for (int i = 0; i < 60; ++i) {
    x.push_back(i % 17);
    classes.push_back(i * 5 % 7 > 3 ? 1 : 0);
    weights.push_back(1e-310);
  }
  const Table table = test::classes_table({test::numbers(x)}, classes, weights);
  EXPECT_EQ(test::run(table, "grow max-depth=0 leaf=logistic").size(), 1U);
}

TEST(ExtremeNumbers, SimplifyingKeepsAnswersThatDifferAtAnOffset) {
  const Table table =
      test::numbers_table({test::numbers({1, 2, 3, 4})}, {1e13, 1e13 + 1, 1e13 + 8, 1e13 + 9});
  EXPECT_EQ(test::run(table, "grow max-depth=1 | prune by=simplify").size(), 3U);
}

}  // namespace
}  // namespace softwood
