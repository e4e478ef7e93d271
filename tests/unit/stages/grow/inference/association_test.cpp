// Conditional inference: the test of independence and its p-value, against their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "data/class_weights.h"
#include "stages/grow/inference/association.h"
#include "stages/grow/inference/chi_square.h"
#include "stages/grow/split.h"
#include "support/grow.h"
#include "support/iris.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using grow::Association;
using grow::LogTails;
using test::classes_table;
using test::codes;
using test::numbers;
using test::numbers_table;

Association associate(const Table& table, size_t input = 0) {
  const std::vector<RowIndex> rows = all_rows(table);
  const grow::Target target = grow::make_target(table, rows);
  grow::Scratch scratch;
  return grow::associate(table.input(input), table.schema().features[input].levels.size(), target,
                         rows, rows, scratch);
}

// --- the definition -----------------------------------------------------------------------------

using Vectors = std::vector<std::vector<double>>;  // one vector per row

Vectors as_is(const std::vector<double>& values) {
  Vectors all;
  for (const double value : values) all.push_back({value});
  return all;
}
// Indicators of all levels but the last: that one says nothing new, and without it no covariance
// matrix below is singular.
Vectors indicators(const std::vector<int32_t>& codes, int32_t levels) {
  Vectors all;
  for (const int32_t code : codes) {
    all.emplace_back();
    for (int32_t level = 0; level + 1 < levels; ++level)
      all.back().push_back(code == level ? 1 : 0);
  }
  return all;
}

// T = vec(sum g_i h_i^T), for the rows' targets in the given order.
std::vector<double> linear_statistic(const Vectors& g, const Vectors& h,
                                     const std::vector<size_t>& order) {
  std::vector<double> t(g[0].size() * h[0].size(), 0.0);
  for (size_t i = 0; i < g.size(); ++i) {
    for (size_t p = 0; p < g[0].size(); ++p) {
      for (size_t q = 0; q < h[0].size(); ++q) t[p * h[0].size() + q] += g[i][p] * h[order[i]][q];
    }
  }
  return t;
}

// d^T A^-1 d by Gaussian elimination; A is positive definite.
double quadratic_form(Vectors a, const std::vector<double>& d) {
  std::vector<double> x = d;
  for (size_t i = 0; i < d.size(); ++i) {
    for (size_t j = i + 1; j < d.size(); ++j) {
      const double factor = a[j][i] / a[i][i];
      for (size_t k = i; k < d.size(); ++k) a[j][k] -= factor * a[i][k];
      x[j] -= factor * x[i];
    }
  }
  for (size_t i = d.size(); i-- > 0;) {
    for (size_t j = i + 1; j < d.size(); ++j) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
  return std::inner_product(d.begin(), d.end(), x.begin(), 0.0);
}

// The statistic with mean and covariance of T taken over all permutations of the targets.
double by_permutations(const Vectors& g, const Vectors& h) {
  std::vector<size_t> order(g.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const std::vector<double> observed = linear_statistic(g, h, order);
  const size_t size = observed.size();
  std::vector<double> mean(size, 0.0);
  Vectors covariance(size, std::vector<double>(size, 0.0));
  Vectors all;
  do {
    all.push_back(linear_statistic(g, h, order));
  } while (std::next_permutation(order.begin(), order.end()));
  const auto count = static_cast<double>(all.size());
  for (const auto& t : all) {
    for (size_t i = 0; i < size; ++i) mean[i] += t[i] / count;
  }
  for (const auto& t : all) {
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) {
        covariance[i][j] += (t[i] - mean[i]) * (t[j] - mean[j]) / count;
      }
    }
  }
  std::vector<double> deviation(size);
  for (size_t i = 0; i < size; ++i) deviation[i] = observed[i] - mean[i];
  return quadratic_form(covariance, deviation);
}

const std::vector<double> some_numbers = {1.5, -2, 0.25, 7, 3, 3, -1};
const std::vector<double> other_numbers = {2, 1, 4, 4.5, -3, 0, 10};
const std::vector<int32_t> three_levels = {0, 2, 1, 1, 0, 2, 2};
const std::vector<int32_t> three_classes = {1, 1, 0, 2, 1, 0, 2};
const std::vector<int32_t> two_classes = {1, 1, 0, 0, 1, 0, 0};

TEST(Association, WorkedByHand) {
  // T = 3 + 4 = 7, mu = 10 * 1/2 = 5, Sigma = 4/3 * 1/4 * 30 - 1/3 * 1/4 * 100 = 5/3:
  // c = (7 - 5)^2 / (5/3) = 2.4.
  const Association one = associate(classes_table({numbers({1, 2, 3, 4})}, {0, 0, 1, 1}));
  EXPECT_DOUBLE_EQ(one.statistic, 2.4);
  EXPECT_EQ(one.degrees, 1);
  // Table {3 1, 1 3}: Pearson's chi-square is 8 (9 - 1)^2 / 4^4 = 2; times (8 - 1) / 8 it is 1.75.
  const Association table =
      associate(classes_table({codes({0, 0, 0, 0, 1, 1, 1, 1})}, {0, 0, 0, 1, 1, 1, 1, 0}));
  EXPECT_DOUBLE_EQ(table.statistic, 1.75);
  EXPECT_EQ(table.degrees, 1);
}

TEST(Association, IsTheQuadraticFormOverAllPermutations) {
  const auto expect = [](const Table& table, const Vectors& g, const Vectors& h) {
    const Association found = associate(table);
    EXPECT_NEAR(found.statistic, by_permutations(g, h), 1e-10);
    EXPECT_EQ(found.degrees, static_cast<double>(g[0].size() * h[0].size()));
  };
  expect(numbers_table({numbers(some_numbers)}, other_numbers), as_is(some_numbers),
         as_is(other_numbers));
  expect(classes_table({numbers(some_numbers)}, two_classes), as_is(some_numbers),
         indicators(two_classes, 2));
  expect(classes_table({numbers(some_numbers)}, three_classes), as_is(some_numbers),
         indicators(three_classes, 3));
  expect(numbers_table({codes(three_levels)}, other_numbers), indicators(three_levels, 3),
         as_is(other_numbers));
  expect(classes_table({codes(three_levels)}, three_classes), indicators(three_levels, 3),
         indicators(three_classes, 3));
  expect(classes_table({codes(three_levels, Kind::ordinal)}, three_classes),
         as_is({0, 2, 1, 1, 0, 2, 2}), indicators(three_classes, 3));
}

TEST(Association, DoesNotDependOnUnitsAndOrigin) {
  const Association plain = associate(numbers_table({numbers(some_numbers)}, other_numbers));
  std::vector<double> far = some_numbers, small = other_numbers;
  for (double& value : far) value = 1e9 + value;
  for (double& value : small) value *= 1e-12;
  EXPECT_NEAR(associate(numbers_table({numbers(far)}, small)).statistic, plain.statistic, 1e-6);
}

TEST(Association, OfARowOfWeightTwoIsThatOfTheRowTwice) {
  const auto repeat = [](auto values) {
    values.push_back(values[1]);
    values.push_back(values[4]);
    return values;
  };
  const std::vector<double> weights = {1, 2, 1, 1, 2, 1, 1};
  const auto expect = [](const Table& weighted, const Table& repeated) {
    EXPECT_NEAR(associate(weighted).statistic, associate(repeated).statistic, 1e-12);
    EXPECT_EQ(associate(weighted).degrees, associate(repeated).degrees);
  };
  expect(numbers_table({numbers(some_numbers)}, other_numbers, weights),
         numbers_table({numbers(repeat(some_numbers))}, repeat(other_numbers)));
  expect(classes_table({numbers(some_numbers)}, three_classes, weights),
         classes_table({numbers(repeat(some_numbers))}, repeat(three_classes)));
  expect(numbers_table({codes(three_levels)}, other_numbers, weights),
         numbers_table({codes(repeat(three_levels))}, repeat(other_numbers)));
  expect(classes_table({codes(three_levels)}, three_classes, weights),
         classes_table({codes(repeat(three_levels))}, repeat(three_classes)));
}

TEST(Association, LeavesOutRowsWithoutAValue) {
  const double no = missing_number;
  EXPECT_DOUBLE_EQ(
      associate(classes_table({numbers({no, 1, 2, no, 3, 4})}, {1, 0, 0, 1, 1, 1})).statistic, 2.4);
  EXPECT_DOUBLE_EQ(associate(classes_table({codes({-1, 0, 0, 0, 0, 1, 1, 1, 1, -1})},
                                           {1, 0, 0, 0, 1, 1, 1, 1, 0, 1}))
                       .statistic,
                   1.75);
}

TEST(Association, IsNoneWhereSomethingIsConstant) {
  const double no = missing_number;
  EXPECT_EQ(associate(classes_table({numbers({0.1, 0.1, 0.1})}, {0, 1, 1})).degrees, 0);
  EXPECT_EQ(associate(classes_table({numbers({no, no, no})}, {0, 1, 1})).degrees, 0);
  EXPECT_EQ(associate(classes_table({codes({1, 1, 1})}, {0, 1, 1})).degrees, 0);
  EXPECT_EQ(associate(classes_table({numbers({no, 2, 3})}, {0, 1, 1})).degrees, 0);
  EXPECT_EQ(associate(numbers_table({numbers({1, 2, 3})}, {0.1, 0.1, 0.1})).degrees, 0);
  // A row without weight counts for nothing, not even as the origin.
  EXPECT_EQ(associate(numbers_table({numbers({5, 0.1, 0.1})}, {1, 2, 3}, {0, 1, 1})).degrees, 0);
}

// --- p-values -----------------------------------------------------------------------------------

TEST(ChiSquareTails, AreRsToTenDigits) {
  // x, degrees, pchisq(x, degrees, log = TRUE), pchisq(x, degrees, lower = FALSE, log = TRUE)
  const double known[][4] = {
      {1e-6, 1, -7.1335467982935201, -0.00079820290701986929},
      {0.5, 1, -0.65296562567633121, -0.73501112983708439},
      {3.84, 1, -0.051339107277687271, -2.9948622271800254},
      {50, 1, -1.5374597944292145e-12, -27.200889545537436},
      {2500, 1, 0, -1254.13821395886},
      {100000, 1, 0, -50005.982264084887},
      {0.1, 7, -12.977649023446498, -2.3114214699294322e-06},
      {7, 7, -0.56015568437112373, -0.8465784515999768},
      {30, 7, -9.4964234041484402e-05, -9.2620577027666524},
      {10000, 50, 0, -4850.367282216017},
      {70, 50, -0.032909743445835173, -3.4303962566830126},
      {51, 50, -0.56932717741638461, -0.83449432825296599},
      {1200, 1000, -1.225601743529779e-05, -11.309499650376674},
      {5000, 1000, 0, -1200.6943717304728},
      {3, 200, -324.67790409886265, -9.8668347332466716e-142},
  };
  for (const auto& [x, degrees, lower, upper] : known) {
    const LogTails tails = grow::chi_square_log_tails(x, degrees);
    EXPECT_NEAR(tails.lower, lower, 1e-10 * std::abs(lower)) << x << " with " << degrees;
    EXPECT_NEAR(tails.upper, upper, 1e-10 * std::abs(upper)) << x << " with " << degrees;
  }
  EXPECT_EQ(grow::chi_square_log_tails(0, 3).upper, 0);
}

TEST(AdjustedLogP, IsThatOfTheSmallestOfSeveral) {
  const LogTails common = {std::log(0.96), std::log(0.04)};
  EXPECT_DOUBLE_EQ(grow::adjusted_log_p(common, 1), std::log(0.04));
  EXPECT_NEAR(grow::adjusted_log_p(common, 3), std::log(1 - 0.96 * 0.96 * 0.96), 1e-14);
  EXPECT_DOUBLE_EQ(grow::adjusted_log_p({-0.0, -5000}, 8), -5000 + std::log(8));
  // Both ways of computing it meet.
  const double before = grow::adjusted_log_p(grow::chi_square_log_tails(190, 1), 10);
  const double after = grow::adjusted_log_p(grow::chi_square_log_tails(200, 1), 10);
  EXPECT_NEAR(before, grow::chi_square_log_tails(190, 1).upper + std::log(10), 1e-12);
  EXPECT_NEAR(after, grow::chi_square_log_tails(200, 1).upper + std::log(10), 1e-12);
}

// --- growing ------------------------------------------------------------------------------------

const std::string ctree =
    "grow split=conditional-inference min-split=20 min-leaf=7 min-share=0.01 cut-at=node-value ";

std::vector<std::string> conditions(const Tree& tree, const Table& table) {
  std::vector<std::string> all;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf()) {
      const Threshold threshold = as_threshold(tree.node(i).gate()).value();
      all.push_back(table.schema().features[threshold.feature].name +
                    " <= " + number_text(threshold.cut));
    }
  }
  return all;
}

// Vanschoren et al., sections 2.1 and 4.5: ctree on iris with mincriterion 0.95 and with 0, here as
// partykit 1.2-16 grows them.
TEST(ConditionalInference, OfIrisIsThatOfTheCourseNotes) {
  const Table table = test::iris_table();
  const Tree tree = test::run(table, ctree);
  EXPECT_EQ(conditions(tree, table),
            (std::vector<std::string>{"petal_length <= 1.9", "petal_width <= 1.7",
                                      "petal_length <= 4.8"}));
  EXPECT_NEAR(tree.node(0).notes().log_p, -68.7458987087, 1e-6);
  EXPECT_NEAR(tree.node(0).notes().statistic, 140.264386139549, 1e-6);
  EXPECT_NEAR(tree.node(2).notes().log_p, -34.9096991485, 1e-6);
  const Tree all = test::run(table, ctree + "significance=1");
  EXPECT_EQ(
      conditions(all, table),
      (std::vector<std::string>{"petal_length <= 1.9", "petal_width <= 1.7", "petal_length <= 4.8",
                                "petal_length <= 5", "petal_width <= 1.4"}));
}

TEST(ConditionalInference, StopsWhereNothingIsSignificant) {
  const Table table = test::iris_table();
  EXPECT_EQ(test::run(table, ctree + "significance=0").size(), 1U);
  EXPECT_EQ(shape_of(test::run(table, ctree + "significance=1e-4")).leaves, 3U);
  EXPECT_EQ(shape_of(test::run(table, ctree + "significance=1e-3")).leaves, 4U);
}

TEST(ConditionalInference, LeavesAShareOfTheNodeOnEverySide) {
  const Table table = test::iris_table();
  const Tree tree =
      test::run(table,
                "grow split=conditional-inference min-split=20 min-leaf=7 min-share=0.4 "
                "cut-at=node-value");
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (uint32_t c = 0; c < tree.children(i); ++c) {
      EXPECT_GE(tree.weight(tree.node(i).first_child + c), 0.4 * tree.weight(i));
    }
  }
  EXPECT_GT(tree.size(), 1U);
}

TEST(ConditionalInference, TakesTheSecondBestInputWhenTheBestCannotBeCut) {
  // The first input is 1 in three rows of class 1: the strongest association, but no child may have
  // three rows. The second one has a cut with more.
  std::vector<double> rare(40, 0.0), common(40, 0.0);
  std::vector<int32_t> classes(40, 0);
  for (size_t i = 0; i < 5; ++i) classes[i] = 1;
  for (size_t i = 0; i < 4; ++i) rare[i] = 1;
  for (size_t i = 1; i < 9; ++i) common[i] = 1;
  const Table table = classes_table({numbers(rare), numbers(common)}, classes);
  ASSERT_GT(associate(table, 0).statistic, associate(table, 1).statistic);
  const Tree tree = test::run(table, ctree);
  ASSERT_GT(tree.size(), 1U);
  EXPECT_EQ(test::feature_of(tree, 0), 1U);
  EXPECT_NEAR(tree.node(0).notes().statistic, associate(table, 1).statistic, 1e-12);
}

TEST(ConditionalInference, SendsRowsWithoutAValueToTheLargerSide) {
  std::vector<double> x;
  std::vector<int32_t> classes;
  for (int32_t i = 0; i < 60; ++i) {
    x.push_back(i % 6 == 0 ? missing_number : i);
    classes.push_back(i < 20 ? 0 : 1);
  }
  const Table table = classes_table({numbers(x)}, classes);
  const Tree tree = test::run(table, ctree);
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree.node(0).missing().child, 1U);
  EXPECT_EQ(tree.node(0).missing().weight, 10);
  EXPECT_EQ(linear_form(tree.node(0).gate())->cut, 19);
}

TEST(ConditionalInference, OfWeightsIsThatOfRepeatedRows) {
  Random random(5, "conditional inference");
  std::vector<ColumnDraft> inputs = {ColumnDraft(Kind::numeric), ColumnDraft(Kind::nominal),
                                     ColumnDraft(Kind::numeric)};
  std::vector<ColumnDraft> repeated = inputs;
  std::vector<double> weights;
  std::vector<int32_t> classes, repeated_classes;
  for (int row = 0; row < 300; ++row) {
    const double a = random.normal(), b = random.normal();
    const auto level = static_cast<int32_t>(random.below(4));
    const int32_t k =
        a + (level == 2 ? 1.5 : 0) + 0.5 * random.normal() > 0.4 ? (b > 0 ? 2 : 1) : 0;
    const uint64_t weight = 1 + random.below(3);
    for (uint64_t copy = 0; copy <= weight; ++copy) {
      std::vector<ColumnDraft>& to = copy == 0 ? inputs : repeated;
      to[0].numbers.push_back(a);
      to[1].codes.push_back(level);
      to[2].numbers.push_back(b);
      (copy == 0 ? classes : repeated_classes).push_back(k);
    }
    weights.push_back(static_cast<double>(weight));
  }
  const Table weighted = classes_table(finished(inputs), classes, weights);
  const Table all = classes_table(finished(repeated), repeated_classes);
  const Tree tree = test::run(weighted, ctree);
  EXPECT_GT(tree.size(), 5U);
  const Tree other = test::run(all, ctree);
  ASSERT_EQ(other.size(), tree.size());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    ASSERT_EQ(other.node(i).is_leaf(), tree.node(i).is_leaf());
    if (tree.node(i).is_leaf()) continue;
    EXPECT_TRUE(other.node(i).gate() == tree.node(i).gate()) << i;
  }
}

TEST(ConditionalInference, DoesNotDependOnTheUnitOfAnInput) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8}, y = {1, 3, 2, 5, 4, 7, 8, 6};
  const std::vector<int32_t> classes = {0, 0, 1, 0, 1, 1, 0, 1};
  const double of_numbers = associate(numbers_table({numbers(x)}, y)).statistic;
  const double of_classes = associate(classes_table({numbers(x)}, classes)).statistic;
  for (const double unit : {1e160, 1e307, 1e-200, 1e-300}) {
    std::vector<double> scaled;
    for (const double value : x) scaled.push_back(value * unit);
    EXPECT_NEAR(associate(numbers_table({numbers(scaled)}, y)).statistic, of_numbers, 1e-12);
    EXPECT_NEAR(associate(classes_table({numbers(scaled)}, classes)).statistic, of_classes, 1e-12);
  }
}

// As in partykit 1.2-16 with majority = TRUE: min-split counts the rows without a value too.
TEST(ConditionalInference, SplitsNodesByInputsOfWhichFewRowsAreKnown) {
  std::vector<double> x(60, missing_number);
  std::vector<int32_t> classes(60);
  for (int32_t row = 0; row < 60; ++row) {
    if (row < 14) x[static_cast<size_t>(row)] = row;
    classes[static_cast<size_t>(row)] = row < 14 ? row / 7 : row % 2;
  }
  const Table table = classes_table({numbers(x)}, classes);
  const std::string recipe =
      "grow split=conditional-inference missing=majority min-split=20 min-leaf=7";
  EXPECT_EQ(test::run(table, recipe).size(), 3U);
}

// Costs change where a node is cut, not what it asks; priors and class weights are weights of rows.
TEST(ConditionalInference, TestsCountClassWeightsButNotCosts) {
  const Table table = test::iris_table();
  const Tree plain = test::run(table, ctree);
  ASSERT_FALSE(plain.node(0).is_leaf());
  const double statistic = plain.node(0).notes().statistic;
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Training training{derived, rows, {}, 1, false, {0, 1, 4, 2, 0, 1, 1, 3, 0}};
  const Tree costly = run_recipe(Recipe::parse(ctree), training, Parallel(1), {}).tree;
  EXPECT_NEAR(costly.node(0).notes().statistic, statistic, 1e-9 * statistic);
  const std::vector<double> factors =
      factors_for_priors(table, rows, std::vector<double>{0.8, 0.1, 0.1});
  const Tree with_priors = test::run(reweighted(table, factors), ctree);
  EXPECT_GT(std::abs(with_priors.node(0).notes().statistic - statistic), 0.01 * statistic);
}

}  // namespace
}  // namespace softwood
