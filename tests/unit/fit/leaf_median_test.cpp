#include <gtest/gtest.h>

#include "fit/leaf_learners.h"

namespace softwood::fit {
namespace {

double median(std::vector<double> values, std::vector<double> weights) {
  return weighted_median(values, weights);
}

TEST(WeightedMedian, IsTheMiddleValue) {
  EXPECT_EQ(median({7}, {2}), 7);
  EXPECT_EQ(median({9, 1, 5}, {1, 1, 1}), 5);
  EXPECT_EQ(median({9, 1, 5, 6}, {1, 1, 1, 1}), 5.5);
}

// As scikit-learn's WeightedMedianCalculator: half of the weight exactly is between two values.
TEST(WeightedMedian, CountsWeightsAsRows) {
  EXPECT_EQ(median({1, 2, 3}, {1, 1, 2}), 2.5);
  EXPECT_EQ(median({1, 2, 3}, {1, 1, 3}), 3);
  EXPECT_EQ(median({1, 2, 3}, {0.5, 0.25, 0.25}), 1.5);
  EXPECT_EQ(median({1, 2, 2, 3}, {1, 1, 1, 1}), median({1, 2, 3}, {1, 2, 1}));
}

TEST(WeightedMedian, OfHugeValuesIsFinite) {
  EXPECT_EQ(median({1e308, 1.5e308}, {1, 1}), 1.25e308);
}

}  // namespace
}  // namespace softwood::fit
