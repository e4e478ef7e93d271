// Misclassification, twoing, absolute error and Poisson deviance: worked by hand, and against a
// search that looks at every division from scratch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/random.h"
#include "softwood/error.h"
#include "stages/grow/split.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using Rows = std::vector<RowIndex>;

double weight_of(const Table& table, const Rows& rows) {
  double weight = 0;
  for (const RowIndex row : rows) weight += table.weight(row);
  return weight;
}

std::vector<double> counts_of(const Table& table, const Rows& rows) {
  std::vector<double> counts(table.schema().classes());
  for (const RowIndex row : rows) {
    counts[static_cast<size_t>(table.target().codes[row])] += table.weight(row);
  }
  return counts;
}

// Impurity of a set of rows, times its weight.
double impurity(const std::string& criterion, const Table& table, const Rows& rows) {
  const double weight = weight_of(table, rows);
  if (!(weight > 0)) return 0;
  if (table.schema().task() == Task::classification) {
    const std::vector<double> counts = counts_of(table, rows);
    if (criterion == "misclassification") {
      return weight - *std::max_element(counts.begin(), counts.end());
    }
    double sum = 0;
    for (const double n : counts) {
      if (n == 0) continue;
      sum += criterion == "gini" ? n * (1 - n / weight) : -n * std::log2(n / weight);
    }
    return sum;
  }
  const Cells<double>& y = table.target().numbers;
  double sum = 0;
  if (criterion == "mae") {
    // The smallest sum of absolute deviations is that from one of the targets.
    double least = INFINITY;
    for (const RowIndex from : rows) {
      sum = 0;
      for (const RowIndex row : rows) sum += table.weight(row) * std::abs(y[row] - y[from]);
      least = std::min(least, sum);
    }
    return least;
  }
  for (const RowIndex row : rows) sum += table.weight(row) * y[row];
  double deviance = 0;
  for (const RowIndex row : rows) {
    if (y[row] > 0) deviance += table.weight(row) * y[row] * std::log(y[row] * weight / sum);
  }
  return deviance;
}

// What a division is worth, per row; 0 when it is none.
double worth(const std::string& criterion, const Table& table, const std::vector<Rows>& parts) {
  Rows all;
  for (const Rows& part : parts) all.insert(all.end(), part.begin(), part.end());
  if (criterion == "twoing") {
    const auto left = counts_of(table, parts[0]), right = counts_of(table, parts[1]);
    const double a = weight_of(table, parts[0]), b = weight_of(table, parts[1]);
    double apart = 0;
    for (size_t k = 0; k < left.size(); ++k) apart += std::abs(left[k] / a - right[k] / b);
    return a * b / ((a + b) * (a + b)) / 4 * apart * apart;
  }
  double gain = impurity(criterion, table, all);
  for (const Rows& part : parts) {
    if (criterion == "poisson" && std::all_of(part.begin(), part.end(), [&](RowIndex row) {
          return table.target().numbers[row] == 0;
        })) {
      return 0;
    }
    gain -= impurity(criterion, table, part);
  }
  return gain / weight_of(table, all);
}

// Calls body(left, right) for every cut of every numeric input, missing values on either side.
using Division = std::function<void(const Rows&, const Rows&)>;
void each_cut(const Table& table, double min_leaf, const Division& body) {
  const Rows rows = all_rows(table);
  for (size_t f = 0; f < table.features(); ++f) {
    const Column& column = table.input(f);
    if (column.kind == Kind::nominal) continue;
    for (const RowIndex at : rows) {
      if (column.is_missing(at)) continue;
      for (const bool missing_left : {false, true}) {
        Rows left, right;
        for (const RowIndex row : rows) {
          const bool goes_left =
              column.is_missing(row) ? missing_left : column.value(row) <= column.value(at);
          (goes_left ? left : right).push_back(row);
        }
        if (left.empty() || right.empty()) continue;
        if (weight_of(table, left) < min_leaf || weight_of(table, right) < min_leaf) continue;
        body(left, right);
      }
    }
  }
}

// The same for every division in two of the levels of the only, nominal, input.
void each_subset(const Table& table, const Division& body) {
  const Column& column = table.input(0);
  const size_t levels = table.schema().features[0].levels.size();
  for (uint32_t in_right = 2; in_right < 1U << levels; in_right += 2) {
    Rows left, right;
    for (const RowIndex row : all_rows(table)) {
      const auto code = static_cast<uint32_t>(column.codes[row]);
      ((in_right >> code & 1U) != 0 ? right : left).push_back(row);
    }
    if (!left.empty() && !right.empty()) body(left, right);
  }
}

// The rows of each child of the root, as the tree sends them.
std::vector<Rows> parts_of(const Tree& tree, const Table& table) {
  const auto rows = all_rows(table);
  const auto nodes = predict_nodes(tree, table, rows, Parallel(1));
  std::vector<Rows> parts(tree.children(0));
  for (const RowIndex row : rows) parts[nodes[row] - 1].push_back(row);
  return parts;
}

Table table_for(const std::string& criterion, test::RandomTable what, uint64_t seed,
                bool weighted) {
  const bool numbers = criterion == "mae" || criterion == "poisson";
  if (numbers) what.classes = 0;
  Table table = test::random_table(what, seed);
  std::vector<double> weights;
  Random random(seed, "weights");
  for (size_t i = 0; weighted && i < table.rows(); ++i) {
    weights.push_back(0.25 * static_cast<double>(1 + random.below(8)));
  }
  if (criterion != "poisson") return weighted ? test::with_weights(table, weights) : table;
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  std::vector<double> counts = table.target().numbers.to_vector();
  for (double& y : counts) y = std::floor(std::abs(y));
  return test::numbers_table(std::move(inputs), std::move(counts), std::move(weights));
}

class EveryCriterion : public testing::TestWithParam<const char*> {
 protected:
  static void expect_best(const test::RandomTable& what, bool weighted, double min_leaf) {
    const std::string criterion = GetParam();
    size_t splits = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Table table = table_for(criterion, what, seed, weighted);
      const Tree tree = test::run(table, "grow max-depth=1 criterion=" + criterion +
                                             " min-leaf=" + std::to_string(min_leaf));
      double best = 0;
      each_cut(table, min_leaf, [&](const Rows& left, const Rows& right) {
        best = std::max(best, worth(criterion, table, {left, right}));
      });
      if (tree.node(0).is_leaf()) {
        EXPECT_NEAR(best, 0, 1e-9) << seed;
        continue;
      }
      ++splits;
      ASSERT_NEAR(tree.node(0).notes().gain, best, 1e-9 * (1 + best)) << seed;
      ASSERT_NEAR(worth(criterion, table, parts_of(tree, table)), best, 1e-9 * (1 + best)) << seed;
    }
    EXPECT_GT(splits, 10U);
  }
};
INSTANTIATE_TEST_SUITE_P(Criteria, EveryCriterion,
                         testing::Values("misclassification", "twoing", "mae", "poisson"),
                         test::ByText());

TEST_P(EveryCriterion, FindsTheBestOfAllCuts) {
  expect_best({.rows = 40, .classes = 3, .nominal = 0, .ordinal = 1}, false, 1);
  expect_best({.rows = 40, .classes = 2, .nominal = 0, .distinct = 0}, false, 1);
}

TEST_P(EveryCriterion, FindsTheBestWithWeightsMissingValuesAndALeastWeight) {
  expect_best({.rows = 40, .classes = 3, .nominal = 0, .missing = 0.3}, true, 1);
  expect_best({.rows = 40, .classes = 4, .nominal = 0, .missing = 0.2}, true, 9);
}

TEST_P(EveryCriterion, SaysWhatItsDivisionOfLevelsIsWorthAndFindsTheBest) {
  const std::string criterion = GetParam();
  size_t best_found = 0, all = 0;
  for (const size_t levels : {4, 7, 12}) {  // 12: more than all subsets are tried for
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const test::RandomTable what{
          .rows = 120, .classes = 3, .numeric = 0, .nominal = 1, .levels = levels, .noise = 0.7};
      const Table table = table_for(criterion, what, seed, seed % 2 == 1);
      const Tree tree = test::run(table, "grow max-depth=1 criterion=" + criterion);
      if (tree.node(0).is_leaf()) continue;
      double best = 0;
      each_subset(table, [&](const Rows& left, const Rows& right) {
        best = std::max(best, worth(criterion, table, {left, right}));
      });
      const double gain = tree.node(0).notes().gain;
      ASSERT_NEAR(worth(criterion, table, parts_of(tree, table)), gain, 1e-9 * (1 + gain));
      ASSERT_LE(gain, best + 1e-9);
      // Misclassification of three classes is in the principal order with 12 levels, the absolute
      // error always in the order of medians: both may miss the best.
      const bool sure = criterion == "twoing" || criterion == "poisson" ||
                        (criterion == "misclassification" && levels <= grow::exhaustive_levels);
      if (sure) {
        ASSERT_NEAR(gain, best, 1e-9 * (1 + best)) << levels << " levels, seed " << seed;
      }
      best_found += std::abs(gain - best) <= 1e-9 * (1 + best) ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(2 * best_found, all);
}

TEST_P(EveryCriterion, WorksWithAChildForEachLevelOrSaysThatItDoesNot) {
  const std::string criterion = GetParam();
  const Table table = table_for(
      criterion, {.rows = 200, .classes = 3, .numeric = 0, .nominal = 1, .levels = 4, .noise = 0.5},
      1, true);
  const std::string recipe = "grow max-depth=1 nominal=multiway criterion=" + criterion;
  if (criterion == "twoing") {
    EXPECT_THROW(test::run(table, recipe), Error);
    return;
  }
  const Tree tree = test::run(table, recipe);
  ASSERT_EQ(tree.children(0), 4U);
  const double gain = tree.node(0).notes().gain;
  EXPECT_NEAR(worth(criterion, table, parts_of(tree, table)), gain, 1e-9 * (1 + gain));
}

TEST_P(EveryCriterion, TakesARowOfWeightTwoForTwoRows) {
  const std::string criterion = GetParam();
  const Table table = table_for(criterion, {.rows = 60, .classes = 3, .missing = 0.1}, 3, false);
  std::vector<double> weights;
  Rows repeated;
  for (const RowIndex row : all_rows(table)) {
    weights.push_back(row % 3 == 0 ? 2 : 1);
    for (double i = 0; i < weights.back(); ++i) repeated.push_back(row);
  }
  const std::string recipe = "grow criterion=" + criterion;
  test::expect_same_division(test::run(test::with_weights(table, weights), recipe),
                             test::run(test::part_of(table, repeated), recipe), 1e-9);
}

// In bins that hold every value the same tree is found; the absolute error has no bins.
TEST_P(EveryCriterion, FindsTheSameTreeInBinsOrSaysThatItHasNone) {
  const std::string criterion = GetParam();
  const Table table = table_for(criterion, {.rows = 150, .classes = 3, .nominal = 1}, 5, false);
  const std::string recipe = "grow max-depth=4 criterion=" + criterion;
  if (criterion == "mae") {
    EXPECT_THROW(test::run(table, recipe + " search=binned"), Error);
    EXPECT_THROW(test::run(table, recipe + " missing=separate"), Error);
    return;
  }
  test::expect_same_division(test::run(table, recipe + " search=binned"), test::run(table, recipe),
                             1e-9);
}

// Fayyad & Irani 1993: within rows of one class the worth of a cut is convex, so that the best cut
// is between two values of which not all rows have the same class, or the first or the last that
// min-leaf allows. Looking at all cuts finds nothing better, and neither than what growing finds.
class ConvexCriterion : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Criteria, ConvexCriterion,
                         testing::Values("gini", "entropy", "misclassification", "twoing"),
                         test::ByText());

TEST_P(ConvexCriterion, HasItsBestCutAtABoundaryOfClasses) {
  const std::string criterion = GetParam();
  size_t inner = 0, split = 0;  // cuts that need not be looked at; tables that were split
  for (const double min_leaf : {1.0, 6.0}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Table table = test::random_table({.rows = 80,
                                              .classes = 2 + seed % 3,
                                              .numeric = 1,
                                              .nominal = 0,
                                              .distinct = 60,
                                              .noise = 0.2},
                                             seed);
      const Cells<double>& x = table.input(0).numbers;
      // Rows of a value have one class: that; else -1.
      const auto class_at = [&](double value) {
        int32_t found = -2;
        for (const RowIndex row : all_rows(table)) {
          if (x[row] != value) continue;
          const int32_t code = table.target().codes[row];
          found = found == -2 || found == code ? code : -1;
        }
        return found;
      };
      double best = 0, every = 0, first = 0, last = 0, lowest = INFINITY, highest = -INFINITY;
      each_cut(table, min_leaf, [&](const Rows& left, const Rows& right) {
        const auto less = [&](RowIndex a, RowIndex b) { return x[a] < x[b]; };
        const double below = x[*std::max_element(left.begin(), left.end(), less)],
                     above = x[*std::min_element(right.begin(), right.end(), less)];
        const double here = worth(criterion, table, {left, right});
        every = std::max(every, here);
        if (below < lowest) std::tie(lowest, first) = std::tie(below, here);
        if (below > highest) std::tie(highest, last) = std::tie(below, here);
        if (class_at(below) >= 0 && class_at(below) == class_at(above)) {
          ++inner;
        } else {
          best = std::max(best, here);
        }
      });
      best = std::max({best, first, last});
      const Tree tree = test::run(table, "grow max-depth=1 criterion=" + criterion +
                                             " min-leaf=" + std::to_string(min_leaf));
      const double gain = tree.node(0).is_leaf() ? 0 : tree.node(0).notes().gain;
      EXPECT_NEAR(gain, every, 1e-12) << seed;
      EXPECT_NEAR(best, every, 1e-12) << seed;
      split += tree.node(0).is_leaf() ? 0 : 1;
    }
  }
  EXPECT_GT(inner, 400U);
  EXPECT_GT(split, 20U);
}

double gain_of(const Table& table, const std::string& recipe) {
  const Tree tree = test::run(table, recipe);
  return tree.node(0).is_leaf() ? 0 : tree.node(0).notes().gain;
}

Table two_sides(const std::vector<int>& left, const std::vector<int>& right) {
  std::vector<double> x;
  std::vector<int32_t> y;
  for (const auto* side : {&left, &right}) {
    for (size_t k = 0; k < side->size(); ++k) {
      x.insert(x.end(), static_cast<size_t>((*side)[k]), side == &left ? 0.0 : 1.0);
      y.insert(y.end(), static_cast<size_t>((*side)[k]), static_cast<int32_t>(k));
    }
  }
  return test::classes_table({test::numbers(x)}, y, {}, left.size());
}

TEST(Misclassification, ByHand) {
  // {3,1} | {1,5} of {4,6}: 4 errors become 1 + 1, of 10 rows.
  EXPECT_DOUBLE_EQ(gain_of(two_sides({3, 1}, {1, 5}), "grow criterion=misclassification"), 0.2);
  // Both sides answer as the node: nothing is gained, though the left side is pure.
  EXPECT_EQ(gain_of(two_sides({4, 0}, {5, 3}), "grow criterion=misclassification"), 0);
  EXPECT_GT(gain_of(two_sides({4, 0}, {5, 3}), "grow criterion=gini"), 0);
}

TEST(Twoing, ByHand) {
  // Shares {2,1,0}/3 and {0,1,2}/3: differences 2/3 + 0 + 2/3; 1/2 * 1/2 / 4 * 16/9 = 1/9.
  EXPECT_NEAR(gain_of(two_sides({2, 1, 0}, {0, 1, 2}), "grow criterion=twoing"), 1.0 / 9, 1e-14);
  // Two classes: half of the decrease of the Gini index.
  EXPECT_NEAR(gain_of(two_sides({3, 1}, {1, 5}), "grow criterion=twoing"),
              gain_of(two_sides({3, 1}, {1, 5}), "grow criterion=gini") / 2, 1e-14);
}

TEST(AbsoluteError, ByHand) {
  // Targets 1 1 4 9, deviations from a median (1 … 4): 0 0 3 8. After three: 3 and 0 are left, 8 of
  // 11 are gained; after two: 5 are left; after one: 3 + 5.
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4})}, {1, 1, 4, 9});
  const Tree tree = test::run(table, "grow criterion=mae max-depth=1");
  EXPECT_DOUBLE_EQ(test::cut_of(tree, 0), 3.5);
  EXPECT_NEAR(tree.node(0).notes().gain, 2, 1e-14);
  // The leaves answer the median: 1 of 1 1 4.
  const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
  EXPECT_EQ(answers.answers, (std::vector<double>{1, 1, 1, 9}));
  // An outlier weighs as its distance, not as the square of it. Sums of deviations: 4 * 400 + 600
  // of all, 1000 when cut after five rows, 1600 when the outlier is cut off.
  const Table outlier = test::numbers_table({test::numbers({1, 2, 3, 4, 5, 6, 7, 8, 9})},
                                            {1000, 0, 0, 0, 0, 400, 400, 400, 400});
  EXPECT_DOUBLE_EQ(test::cut_of(test::run(outlier, "grow max-depth=1"), 0), 1.5);
  EXPECT_DOUBLE_EQ(test::cut_of(test::run(outlier, "grow criterion=mae max-depth=1"), 0), 5.5);
}

// Against all divisions, worked out by sorting. The order of medians does not hold all of them.
TEST(AbsoluteError, FindsTheBestOfAllDivisionsOfLevels) {
  const auto deviations = [](std::vector<double> y) {
    std::sort(y.begin(), y.end());
    double sum = 0;
    for (const double value : y) sum += std::fabs(value - y[(y.size() - 1) / 2]);
    return sum;
  };
  Random random(5, "levels");
  size_t beyond_order = 0;  // as many as the order of medians does not have
  for (size_t trial = 0; trial < 100; ++trial) {
    // 9 9, 1 5 1, 0 9 and 1 1; then random ones.
    std::vector<int32_t> codes = {0, 0, 1, 1, 1, 2, 2, 3, 3};
    std::vector<double> y = {9, 9, 1, 5, 1, 0, 9, 1, 1};
    const size_t levels = 4 + trial % 4, rows = trial == 0 ? y.size() : 2 * levels + trial % 3;
    for (size_t i = 0; i < rows && trial > 0; ++i) {
      codes.resize(rows);
      y.resize(rows);
      codes[i] = static_cast<int32_t>(i < levels ? i : random.below(levels));
      y[i] = static_cast<double>(random.below(10));
    }
    const Table table = test::numbers_table({test::codes(codes)}, y);
    double best = 0;
    for (uint32_t left = 1; left + 1 < (1U << levels); ++left) {
      std::vector<double> sides[2];
      for (size_t i = 0; i < rows; ++i) sides[left >> codes[i] & 1U].push_back(y[i]);
      if (sides[0].size() < 3 || sides[1].size() < 3) continue;
      best = std::max(best, deviations(y) - deviations(sides[0]) - deviations(sides[1]));
    }
    const auto gain = [&](const std::string& nominal) {
      const Tree tree =
          test::run(table, "grow criterion=mae min-leaf=3 max-depth=1 nominal=" + nominal);
      return tree.size() > 1 ? tree.node(0).notes().gain * static_cast<double>(rows) : 0;
    };
    EXPECT_NEAR(gain("subset"), best, 1e-9) << trial;
    beyond_order += gain("prefix") < best - 1e-9 ? 1 : 0;
  }
  EXPECT_GT(beyond_order, 0U);
}

TEST(AbsoluteError, DoesNotDependOnScaleAndPlaceOfTheTarget) {
  const Table table = test::random_table({.rows = 200, .classes = 0, .noise = 0.5}, 9);
  const Tree tree = test::run(table, "grow criterion=mae min-leaf=5");
  EXPECT_GT(tree.size(), 15U);
  for (const double scale : {0x1p-60, 0x1p60}) {
    std::vector<Column> inputs;
    for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
    std::vector<double> y = table.target().numbers.to_vector();
    for (double& value : y) value *= scale;
    const Tree other = test::run(test::numbers_table(std::move(inputs), std::move(y)),
                                 "grow criterion=mae min-leaf=5");
    ASSERT_EQ(other.size(), tree.size());
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      EXPECT_NEAR(other.mean(i), scale * tree.mean(i), 1e-9 * scale);
    }
  }
}

TEST(Poisson, ByHand) {
  // 1 1 | 3 3, mean 2: 2 * 1 log(1/2) + 2 * 3 log(3/2) is all explained.
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4})}, {1, 1, 3, 3});
  EXPECT_NEAR(gain_of(table, "grow criterion=poisson"), (2 * std::log(0.5) + 6 * std::log(1.5)) / 4,
              1e-14);
}

TEST(Poisson, MakesNoLeafOfZeros) {
  // 0 0 | 3 3 would; 0 0 3 | 3 is the only other cut with something on both sides: means 1 and 3 of
  // 1.5: (3 log(1/1.5) + 3 log(3/1.5)) / 4.
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4})}, {0, 0, 3, 3});
  const Tree tree = test::run(table, "grow criterion=poisson");
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_DOUBLE_EQ(test::cut_of(tree, 0), 3.5);
  EXPECT_NEAR(tree.node(0).notes().gain, (3 * std::log(1 / 1.5) + 3 * std::log(2)) / 4, 1e-14);
  // Nothing but zeros: one leaf.
  EXPECT_EQ(
      test::run(test::numbers_table({test::numbers({1, 2})}, {0, 0}), "grow criterion=poisson")
          .size(),
      1U);
}

TEST(Poisson, RefusesNegativeTargets) {
  const Table table = test::numbers_table({test::numbers({1, 2})}, {1, -1});
  EXPECT_THROW(test::run(table, "grow criterion=poisson"), Error);
  EXPECT_THROW(test::run(table, "grow criterion=poisson search=binned"), Error);
}

}  // namespace
}  // namespace softwood
