// Numbers of the target with a large offset or far from the others: what is rounding is measured by
// the numbers of a node, and no digits are lost.
#include <gtest/gtest.h>

#include <cmath>

#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::numbers;
using test::numbers_table;

// By hand: means 1 and 4 with the weights 1e16 and 2; 2 * 1e16 / (1e16 + 2)^2 * 3^2 = 1.8e-15.
TEST(Gain, IsThatOfTheMeansWhereWeightsAreFarApart) {
  const Table table = test::with_weights(numbers_table({numbers({1, 2, 3, 4})}, {0.5, 1.5, 3, 5}),
                                         {5e15, 5e15, 1, 1});
  const Tree tree = test::run(table, "grow max-depth=2");
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const NodeIndex first = tree.node(i).first_child;
    const double left = tree.weight(first), right = tree.weight(first + 1);
    const double distance = tree.sums(first)[1] - tree.sums(first + 1)[1], all = left + right;
    EXPECT_NEAR(tree.node(i).notes().gain / (left / all * (right / all) * distance * distance), 1,
                1e-9)
        << i;
  }
  const Table two =
      test::with_weights(numbers_table({numbers({1, 2, 2})}, {1, 3, 5}), {1e16, 1, 1});
  EXPECT_NEAR(test::run(two, "grow max-depth=1").node(0).notes().gain, 1.8e-15, 1e-24);
}

// 200 rows, y = 9 (x > 0.5) + 3 + noise, and one target far away.
Table with_outlier(double outlier) {
  Random random(1, "outlier");
  std::vector<double> x, y;
  for (int row = 0; row < 200; ++row) {
    x.push_back(random.uniform());
    y.push_back((x.back() > 0.5 ? 12 : 3) + random.uniform());
  }
  y[17] = outlier;
  return numbers_table({numbers(x)}, y);
}

class Outlier : public testing::TestWithParam<std::string> {};
TEST_P(Outlier, DoesNotStopTheGrowth) {
  for (const double outlier : {1e9, 1e11}) {
    const Table table = with_outlier(outlier);
    const Tree tree = test::run(table, "grow max-leaves=20 " + GetParam());
    const std::vector<double> answers = tree.answers();
    // The two halves have their own answers, but for the leaf of the outlier.
    size_t low = 0, high = 0;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (!tree.node(i).is_leaf()) continue;
      low += std::abs(answers[i] - 3.5) < 1 ? 1 : 0;
      high += std::abs(answers[i] - 12.5) < 1 ? 1 : 0;
    }
    EXPECT_GE(low, 1U);
    EXPECT_GE(high, 1U);
    EXPECT_GE(low + high, 15U);
  }
}
INSTANTIATE_TEST_SUITE_P(Criteria, Outlier,
                         testing::Values("criterion=mse", "criterion=mae", "search=binned bins=200",
                                         "criterion=poisson"),
                         test::ByText());

TEST(Growth, StopsWhereTargetsAreEqualUpToTheirRounding) {
  const std::vector<double> y = {0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 7, 7};
  const Tree tree = test::run(numbers_table({numbers({1, 2, 3, 4, 5, 6})}, y), "grow");
  EXPECT_EQ(tree.size(), 3U);
}

// Whole numbers: the gain of each split is computed exactly.
double best_gain(const std::vector<std::vector<double>>& x, const std::vector<double>& y,
                 const std::vector<double>& weight) {
  double best = 0, total = 0, sum = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    total += weight[i];
    sum += weight[i] * y[i];
  }
  for (const std::vector<double>& column : x) {
    for (const double cut : column) {
      double left = 0, left_sum = 0;
      for (size_t i = 0; i < y.size(); ++i) {
        if (column[i] > cut) continue;
        left += weight[i];
        left_sum += weight[i] * y[i];
      }
      if (left == total) continue;
      const double apart = left_sum * total - left * sum;
      best = std::max(best, apart * apart / (left * (total - left)) / total / total);
    }
  }
  return best;
}

class Offset : public testing::TestWithParam<std::string> {};
TEST_P(Offset, OfTheTargetLosesNoDigits) {
  for (const double offset : {0.0, 1e9, 1e15}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Random random(seed, "offset");
      std::vector<std::vector<double>> x(2);
      std::vector<double> small, y, weight, weighted_y;
      for (int row = 0; row < 40; ++row) {
        for (auto& column : x) column.push_back(static_cast<double>(random.below(12)));
        small.push_back(static_cast<double>(random.below(23)));
        y.push_back(offset + small.back());
        weight.push_back(static_cast<double>(1 + random.below(3)));
      }
      const std::string recipe = "grow max-depth=1 " + GetParam();
      const Tree tree = test::run(numbers_table({numbers(x[0]), numbers(x[1])}, y, weight), recipe);
      const double gain = best_gain(x, small, weight);
      ASSERT_NEAR(tree.node(0).notes().gain, gain, 1e-12 * gain) << offset << ", seed " << seed;
      std::vector<std::vector<double>> twice_x(2);
      std::vector<double> twice_y;
      for (size_t row = 0; row < y.size(); ++row) {
        for (double copy = 0; copy < weight[row]; ++copy) {
          for (size_t f = 0; f < 2; ++f) twice_x[f].push_back(x[f][row]);
          twice_y.push_back(y[row]);
        }
      }
      const Tree copies =
          test::run(numbers_table({numbers(twice_x[0]), numbers(twice_x[1])}, twice_y), recipe);
      ASSERT_TRUE(copies.node(0).gate() == tree.node(0).gate());
      for (NodeIndex i = 0; i < 3; ++i) {
        const std::vector<double> ours = test::sums_of(tree, i), theirs = test::sums_of(copies, i);
        for (size_t k = 0; k < 3; ++k) ASSERT_NEAR(ours[k], theirs[k], 1e-14 * theirs[k]);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Searches, Offset, testing::Values("search=exact", "search=binned"),
                         test::ByText());

}  // namespace
}  // namespace softwood
