// Models fitted to leaves, by values worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "fit/leaf_learners.h"
#include "softwood/error.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::classes_table;
using test::codes;
using test::numbers;
using test::numbers_table;

// One leaf with a model, as text of the recipe's options.
Tree leaf(const Table& table, const std::string& options) {
  return test::run(table, "grow max-depth=0 " + options);
}

double answer(const Tree& tree, const Table& table, RowIndex row = 0, size_t k = 0) {
  const RowIndex rows[] = {row};
  return predict(tree, table, rows, Parallel(1)).answers[k];
}

// Mean of x 1.5, of y 2.75; Sxx = 5, Sxy = 5.5, Syy = 8.75.
Table four_points() { return numbers_table({numbers({0, 1, 2, 3})}, {1, 3, 2, 5}); }

Table at(double x) { return numbers_table({numbers({x})}, {0}); }

TEST(LinearLeaf, IsTheLineOfLeastSquares) {
  const Tree tree = leaf(four_points(), "leaf=linear");
  ASSERT_TRUE(tree.node(0).model);
  const std::vector<double>& line = tree.node(0).model->coefficients;
  EXPECT_NEAR(line[0], 1.1, 1e-12);  // 2.75 - 1.1 * 1.5
  EXPECT_NEAR(line[1], 1.1, 1e-12);  // 5.5 / 5
  EXPECT_NEAR(answer(tree, at(2)), 3.3, 1e-12);
  // Targets are from 1 to 5, a tenth of 4 is 0.4.
  EXPECT_NEAR(answer(tree, at(100)), 5.4, 1e-12);
  EXPECT_NEAR(answer(tree, at(-100)), 0.6, 1e-12);
  // The median of x stands for a missing one.
  EXPECT_NEAR(answer(tree, at(missing_number)), 2.75, 1e-12);
}

TEST(RidgeLeaf, ShrinksByThePenaltyInStandardDeviations) {
  // Standardised: Z'Z = 4, so a penalty of 4 halves the slope.
  const Tree tree = leaf(four_points(), "leaf=ridge leaf-penalty=4");
  ASSERT_TRUE(tree.node(0).model);
  EXPECT_NEAR(tree.node(0).model->coefficients[1], 0.55, 1e-12);
  EXPECT_NEAR(tree.node(0).model->coefficients[0], 2.75 - 0.55 * 1.5, 1e-12);
}

TEST(LinearLeaf, StaysConstantWithoutTwoRowsANumber) {
  EXPECT_FALSE(leaf(numbers_table({numbers({0, 1, 2})}, {0, 1, 2}), "leaf=linear").node(0).model);
  EXPECT_TRUE(
      leaf(numbers_table({numbers({0, 1, 2})}, {0, 1, 2}, {1, 2, 1}), "leaf=linear").node(0).model);
}

TEST(LinearLeaf, StaysConstantWhereTheLineExplainsNothing) {
  const Table table = numbers_table({numbers({0, 1, 2, 3})}, {1, 2, 2, 1});
  EXPECT_FALSE(leaf(table, "leaf=linear").node(0).model);
  EXPECT_FALSE(leaf(table, "leaf=ridge").node(0).model);
  EXPECT_NEAR(answer(leaf(table, "leaf=linear"), at(1)), 1.5, 1e-15);
}

TEST(LinearLeaf, HasATermForEachLevelButTheHeaviestAndNoneForConstants) {
  const Table table =
      numbers_table({codes({0, 0, 1, 1, 1, 2, 2, 2, 2}), numbers(std::vector<double>(9, 3.0))},
                    {1, 1, 5, 5, 5, 2, 2, 2, 2});
  const Tree tree = leaf(table, "leaf=linear");
  ASSERT_TRUE(tree.node(0).model);
  const LeafModel& model = *tree.node(0).model;
  ASSERT_EQ(model.terms.size(), 2U);
  EXPECT_EQ(model.terms[0].other, 1U);  // the larger effect first: 3 against -1
  EXPECT_NEAR(model.coefficients[0], 2, 1e-12);
  EXPECT_NEAR(model.coefficients[1], 3, 1e-12);
  EXPECT_NEAR(model.coefficients[2], -1, 1e-12);
}

TEST(LinearLeaf, CopesWithColumnsThatSayTheSame) {
  const Table table = numbers_table({numbers({0, 1, 2, 3, 4, 5}), numbers({0, 2, 4, 6, 8, 10})},
                                    {0, 3, 6, 9, 12, 15});
  const Tree tree = leaf(table, "leaf=linear");
  for (RowIndex row = 0; row < 6; ++row) EXPECT_NEAR(answer(tree, table, row), 3.0 * row, 1e-9);
}

TEST(LogisticLeaf, MeetsTheSharesOfTwoGroups) {
  // Of x = 0 three in four are class 0, of x = 1 one in four.
  const Table table = classes_table({numbers({0, 0, 0, 0, 1, 1, 1, 1})}, {0, 0, 0, 1, 1, 1, 1, 0});
  const Tree tree = leaf(table, "leaf=logistic leaf-penalty=0");
  ASSERT_TRUE(tree.node(0).model);
  EXPECT_NEAR(answer(tree, table, 0), 0.75, 1e-5);
  EXPECT_NEAR(answer(tree, table, 7), 0.25, 1e-5);
  const LeafModel& model = *tree.node(0).model;
  EXPECT_EQ(model.classes, (std::vector<uint32_t>{0, 1}));
  EXPECT_NEAR(model.coefficients[3], 2 * std::log(3), 1e-4);  // log odds from -log 3 to log 3
}

TEST(LogisticLeaf, IsAtTheLeastOfLossAndPenalty) {
  // Where the derivative of the penalty, lambda b, is that of the loss: for the standardised
  // x = -1, 1 and d the difference of both outputs' coefficients, b = d / 2 each:
  // lambda d / 2 = sum of x (y - p). The constant is 0 by symmetry.
  const Table table = classes_table({numbers({0, 0, 0, 0, 1, 1, 1, 1})}, {0, 0, 0, 0, 1, 1, 1, 1});
  const Tree tree = leaf(table, "leaf=logistic leaf-penalty=3");
  ASSERT_TRUE(tree.node(0).model);
  const double d = tree.node(0).model->coefficients[3] / 2;  // scale of x is 1/2
  EXPECT_NEAR(3 * d / 2, 8 * (1 - 1 / (1 + std::exp(-d))), 1e-5);
}

TEST(LogisticLeaf, StaysConstantWhenPureOrNoBetterThanItsNumbersAreWorth) {
  EXPECT_FALSE(
      leaf(classes_table({numbers({0, 1, 2, 3})}, {1, 1, 1, 1}), "leaf=logistic").node(0).model);
  EXPECT_FALSE(
      leaf(classes_table({numbers({0, 1, 2, 3})}, {0, 1, 1, 0}), "leaf=logistic").node(0).model);
}

TEST(NaiveBayesLeaf, OfNumbersIsGaussian) {
  // Means 1 and 5; in each class S = 2; variance of all 5; so variances (2 + 5) / 3.
  const Table table = classes_table({numbers({0, 2, 4, 6})}, {0, 0, 1, 1});
  const Tree tree = leaf(table, "leaf=naive-bayes");
  ASSERT_TRUE(tree.node(0).model);
  const auto odds = [](double x) { return ((x - 1) * (x - 1) - (x - 5) * (x - 5)) * 3 / 14; };
  for (RowIndex row = 0; row < 4; ++row) {
    const double expected = 1 / (1 + std::exp(-odds(table.input(0).numbers[row])));
    EXPECT_NEAR(answer(tree, table, row, 1), expected, 1e-12);
  }
}

TEST(NaiveBayesLeaf, OfLevelsCountsOneMore) {
  // P(l0 | 0) = 3/5, P(l1 | 0) = 2/5, P(l0 | 1) = 1/5, P(l1 | 1) = 4/5.
  const Table table = classes_table({codes({0, 0, 1, 1, 1, 1})}, {0, 0, 0, 1, 1, 1});
  const Tree tree = leaf(table, "leaf=naive-bayes");
  ASSERT_TRUE(tree.node(0).model);
  EXPECT_NEAR(answer(tree, table, 0), 0.75, 1e-12);
  EXPECT_NEAR(answer(tree, table, 2), 1.0 / 3, 1e-12);
}

TEST(LeafModels, AreAtLeavesOnlyAndLeaveTheTreeAsItWas) {
  const Table table = test::random_table({.rows = 300, .classes = 0, .missing = 0.1}, 1);
  const Tree plain = test::run(table, "grow min-leaf=20 | prune");
  const Tree tree = test::run(table, "grow min-leaf=20 leaf=ridge | prune");
  test::expect_same_tree(tree, plain);
  size_t models = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).model) {
      EXPECT_TRUE(tree.node(i).is_leaf());
      ++models;
    }
  }
  EXPECT_GT(models, 0U);
}

TEST(LeafModels, OfAWrongTaskAreRefused) {
  EXPECT_THROW(leaf(four_points(), "leaf=naive-bayes"), Error);
  EXPECT_THROW(leaf(four_points(), "leaf=laplace"), Error);
  EXPECT_THROW(leaf(classes_table({numbers({0, 1})}, {0, 1}), "leaf=linear"), Error);
}

TEST(LeafModels, TakeARowOfWeightTwoAsTwoRows) {
  for (const std::string& form : fit::leaf_choices()) {
    for (const size_t classes : {0, 3}) {
      const Task task = classes == 0 ? Task::regression : Task::classification;
      if (!fit::leaf_choice_fits(form, task)) continue;
      SCOPED_TRACE(form);
      const Table table = test::random_table({.rows = 200, .classes = classes, .missing = 0.1}, 2);
      std::vector<RowIndex> rows;
      std::vector<double> weights;
      for (RowIndex row = 0; row < table.rows(); ++row) {
        weights.push_back(row % 3 == 0 ? 2 : 1);
        rows.insert(rows.end(), row % 3 == 0 ? 2 : 1, row);
      }
      const std::string recipe = "grow max-depth=2 leaf=" + form;
      const Tree weighted = test::run(test::with_weights(table, weights), recipe);
      const Tree repeated = test::run(test::part_of(table, rows), recipe);
      const auto all = all_rows(table);
      const Predictions a = predict(weighted, table, all, Parallel(1));
      const Predictions b = predict(repeated, table, all, Parallel(1));
      for (size_t i = 0; i < a.answers.size(); ++i) {
        ASSERT_NEAR(a.answers[i], b.answers[i], 1e-5) << i;
      }
    }
  }
}

// Two classes a spread apart; the unit of x does not matter.
class ScaledLeaf : public testing::TestWithParam<std::string> {};
TEST_P(ScaledLeaf, LearnsFromVeryLargeAndVerySmallNumbers) {
  for (const double unit : {1.0, 1e160, 1e-200}) {
    std::vector<double> x;
    std::vector<int32_t> classes;
    for (int row = 0; row < 40; ++row) {
      classes.push_back(row % 2);
      x.push_back(unit * (row % 2 == 0 ? 1 + 0.02 * row : 2 + 0.02 * row));
    }
    const Table table = classes_table({numbers(x)}, classes);
    const Tree tree = leaf(table, "leaf=" + GetParam());
    ASSERT_TRUE(tree.node(0).model) << unit;
    EXPECT_GT(answer(tree, table, 0, 0), 0.8) << unit;
    EXPECT_GT(answer(tree, table, 39, 1), 0.8) << unit;
    EXPECT_NO_THROW(model_from_text(test::text_of(tree, table.schema()), "m"));
  }
}
INSTANTIATE_TEST_SUITE_P(Learners, ScaledLeaf, testing::Values("logistic", "naive-bayes"),
                         test::ByText());

}  // namespace
}  // namespace softwood
