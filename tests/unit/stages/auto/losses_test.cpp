// What rows lose, against values worked out by hand.
#include "stages/auto/losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "softwood/error.h"
#include "support/tables.h"

namespace softwood::choice {
namespace {

using test::classes_table;
using test::numbers;
using test::numbers_table;

struct Two {
  Table table = classes_table({numbers({0, 0, 0, 0})}, {0, 1, 1, 0});
  std::vector<RowIndex> rows = all_rows(table);
  // Probabilities of the second class: 0.2, 0.9, 0.4, 0.4.
  Predictions answers{4, 2, {0.8, 0.2, 0.1, 0.9, 0.6, 0.4, 0.6, 0.4}};

  double mean(Metric metric) const {
    const std::vector<double> weights(4, 1.0);
    return mean_of(row_losses(metric, answers, {&table, rows}), weights).value;
  }
};

TEST(RowLosses, OfClasses) {
  const Two two;
  EXPECT_NEAR(two.mean(Metric::logloss),
              -(std::log(0.8) + std::log(0.9) + std::log(0.4) + std::log(0.6)) / 4, 1e-12);
  EXPECT_DOUBLE_EQ(two.mean(Metric::error), 0.25);
  EXPECT_DOUBLE_EQ(two.mean(Metric::cost), 0.25);
}

TEST(RowLosses, CostsAreThoseOfTheModel) {
  Two two;
  two.answers.costs = {0, 1, 5, 0};  // to miss the second class costs 5
  // The second class costs least wherever its probability is above 1/6.
  EXPECT_DOUBLE_EQ(two.mean(Metric::cost), (1 + 0 + 0 + 1) / 4.0);
}

// Pairs: (0.9, 0.2) and (0.9, 0.4) right, (0.4, 0.2) right, (0.4, 0.4) a tie.
TEST(RowLosses, TheirMeanIsOneMinusAuc) {
  EXPECT_NEAR(Two().mean(Metric::auc), 1 - 3.5 / 4, 1e-12);
}

// The third class has no row: the mean is over the two others, as that of evaluate.
TEST(RowLosses, AucLeavesClassesWithoutRowsOut) {
  const Table table = classes_table({numbers({0, 0, 0, 0, 0})}, {0, 1, 1, 0, 2});
  const std::vector<RowIndex> rows = {0, 1, 2, 3};
  const Predictions answers{4, 3, {0.8, 0.2, 0, 0.1, 0.9, 0, 0.6, 0.4, 0, 0.6, 0.4, 0}};
  const std::vector<double> weights(4, 1.0);
  EXPECT_NEAR(mean_of(row_losses(Metric::auc, answers, {&table, rows}), weights).value, 1 - 3.5 / 4,
              1e-12);
}

TEST(RowLosses, OfNumbers) {
  const Table table = numbers_table({numbers({0, 0})}, {1, 5});
  const std::vector<RowIndex> rows = all_rows(table);
  const Predictions answers{2, 1, {2, 3}};
  EXPECT_EQ(row_losses(Metric::mse, answers, {&table, rows}), (std::vector<double>{1, 4}));
  EXPECT_EQ(row_losses(Metric::mae, answers, {&table, rows}), (std::vector<double>{1, 2}));
}

TEST(Metrics, AreOfTheirTask) {
  EXPECT_EQ(metric_for(Metric::usual, Task::classification), Metric::logloss);
  EXPECT_EQ(metric_for(Metric::usual, Task::regression), Metric::mse);
  EXPECT_THROW(metric_for(Metric::auc, Task::regression), Error);
  EXPECT_THROW(metric_for(Metric::mae, Task::classification), Error);
}

TEST(Means, OtherWeightsThanCountsAreOfFewerRows) {
  const std::vector<double> losses = {1, 2, 3}, halves = {0.5, 0.5, 0.5}, ones = {1, 1, 1};
  EXPECT_DOUBLE_EQ(mean_of(losses, halves).standard_error, mean_of(losses, ones).standard_error);
  EXPECT_EQ(rows_of(halves), 3U);
  EXPECT_EQ(rows_of(std::vector<double>{2, 3}), 5U);
}

TEST(Means, AWeightOfTwoIsTheRowTwice) {
  const std::vector<double> once = {1, 2}, twice = {1, 2, 2};
  const std::vector<double> weights = {1, 2}, ones = {1, 1, 1};
  EXPECT_DOUBLE_EQ(mean_of(once, weights).value, mean_of(twice, ones).value);
  EXPECT_NEAR(mean_of(twice, ones).standard_error, 1.0 / 3, 1e-12);
  EXPECT_NEAR(mean_of(once, weights).standard_error, 1.0 / 3, 1e-12);
  EXPECT_EQ(mean_difference(once, once, weights).standard_error, 0);
}

}  // namespace
}  // namespace softwood::choice
