#include "use/roc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "softwood/error.h"
#include "support/tables.h"

namespace softwood {
namespace {

// Probabilities of class 1: 0.9 1, 0.8 0, 0.8 1, 0.4 1, 0.2 0, 0.1 0; actual class behind.
ThresholdTable six_rows(const std::vector<double>& costs = {}) {
  const Table table = test::classes_table({}, {1, 0, 1, 1, 0, 0});
  const Predictions p{6, 2, {0.1, 0.9, 0.2, 0.8, 0.2, 0.8, 0.6, 0.4, 0.8, 0.2, 0.9, 0.1}};
  return threshold_table(p, table, all_rows(table), costs);
}

TEST(ThresholdTable, HasOnePointForEachProbability) {
  const ThresholdTable table = six_rows();
  ASSERT_EQ(table.points.size(), 6U);
  EXPECT_TRUE(std::isinf(table.points[0].threshold));
  EXPECT_EQ(table.points[0].true_positive_rate, 0);
  const double thresholds[] = {0.9, 0.8, 0.4, 0.2, 0.1};
  const double hits[] = {1, 2, 3, 3, 3}, false_alarms[] = {0, 1, 1, 2, 3};
  for (size_t i = 0; i < 5; ++i) {
    const ThresholdPoint& point = table.points[i + 1];
    EXPECT_EQ(point.threshold, thresholds[i]);
    EXPECT_DOUBLE_EQ(point.true_positive_rate, hits[i] / 3);
    EXPECT_DOUBLE_EQ(point.false_positive_rate, false_alarms[i] / 3);
    EXPECT_DOUBLE_EQ(point.precision, hits[i] / (hits[i] + false_alarms[i]));
    EXPECT_DOUBLE_EQ(point.error, (3 - hits[i] + false_alarms[i]) / 6);
  }
}

TEST(ThresholdTable, NamesTheBestPoints) {
  EXPECT_EQ(six_rows().points[six_rows().least_cost].threshold, 0.4);
  EXPECT_EQ(six_rows().points[six_rows().largest_youden].threshold, 0.4);
  // A false alarm that costs 5 times as much as a miss: at 0.9 two misses, else 5 and more.
  const ThresholdTable dear = six_rows({0, 5, 1, 0});
  EXPECT_EQ(dear.points[dear.least_cost].threshold, 0.9);
  EXPECT_DOUBLE_EQ(dear.points[dear.least_cost].cost, 2);
  EXPECT_EQ(dear.points[dear.within_false_positive_rate(0.2)].threshold, 0.9);
  EXPECT_EQ(dear.points[dear.within_false_positive_rate(0.34)].threshold, 0.4);
  EXPECT_EQ(dear.points[dear.within_false_positive_rate(1)].threshold, 0.4);
}

TEST(ThresholdTable, CountsUnknownClassesAsErrorsOnly) {
  const Table table = test::classes_table({}, {1, 0, -1});
  const Predictions p{3, 2, {0.1, 0.9, 0.8, 0.2, 0.5, 0.5}};
  const ThresholdTable curve = threshold_table(p, table, all_rows(table));
  ASSERT_EQ(curve.points.size(), 3U);
  EXPECT_DOUBLE_EQ(curve.points[1].true_positive_rate, 1);
  EXPECT_DOUBLE_EQ(curve.points[1].error, 1.0 / 3);
}

TEST(ThresholdTable, NeedsTwoClassesWithRows) {
  const Table three = test::classes_table({}, {0, 1, 2}, {}, 3);
  EXPECT_THROW(threshold_table({3, 3, std::vector<double>(9, 0.3)}, three, all_rows(three)), Error);
  const Table one = test::classes_table({}, {0, 0});
  EXPECT_THROW(threshold_table({2, 2, {1, 0, 1, 0}}, one, all_rows(one)), Error);
}

}  // namespace
}  // namespace softwood
