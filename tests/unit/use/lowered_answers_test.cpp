// The lowered form answers as the library does, for random trees of every kind of gate, rule for
// missing values and leaf.
#include <gtest/gtest.h>

#include "support/same_answers.h"
#include "support/sample_models.h"
#include "support/tables.h"

namespace softwood {
namespace {

void expect_for_random_trees(Task task, const testing::RandomTreeOptions& options) {
  const Schema schema = testing::mixed_schema(task);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, "lowered");
    Model model{schema, testing::random_tree(schema, options, random), {}, {}};
    const Table table = testing::random_table(schema, 120, random);
    test::expect_lowered_answers(model, table);
    if (task == Task::classification) {
      model.tree.set_costs({0, 1, 2, 3, 0, 4, 5, 6, 0});
      test::expect_lowered_answers(model, table);
    }
  }
}

TEST(LoweredAnswers, AreThoseOfSoftTrees) {
  expect_for_random_trees(Task::classification, {});
  expect_for_random_trees(Task::regression, {});
}

TEST(LoweredAnswers, AreThoseOfHardTrees) {
  expect_for_random_trees(Task::classification, {.hard = true});
  expect_for_random_trees(Task::regression, {.hard = true});
}

TEST(LoweredAnswers, AreThoseOfPlainThresholds) {
  expect_for_random_trees(Task::classification, {.only_thresholds = true});
  expect_for_random_trees(Task::regression, {.only_thresholds = true});
}

TEST(LoweredAnswers, AreThoseOfEveryEstimate) {
  const Schema schema = testing::mixed_schema(Task::classification);
  for (const LeafEstimator estimator :
       {LeafEstimator::majority, LeafEstimator::laplace, LeafEstimator::m_estimate}) {
    Random random(1, "estimates");
    Model model{schema, testing::random_tree(schema, {.only_thresholds = true}, random), {}, {}};
    model.tree.set_leaf_plan({estimator});
    test::expect_lowered_answers(model, testing::random_table(schema, 50, random));
  }
}

// Scores are mixed before the softmax; leaves without a formula mix their logarithms.
TEST(LoweredAnswers, AreThoseOfMixedScores) {
  const Schema schema = testing::mixed_schema(Task::classification);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, "scores");
    Model model{schema, Tree(Task::classification, 3), {}, {}};
    Tree& tree = model.tree;
    ScoreGate soft = threshold_gate(0, random.normal());
    soft.link.form = LinkForm::logistic;
    tree.split(0, soft, {});
    tree.set_typical({0.25, missing_number, 1, 2, 0});
    LeafModel leaf;
    do {
      leaf = testing::random_leaf_model(schema, random);
    } while (leaf.classes.size() < 3);
    tree.node(1).model = Owned<LeafModel>(leaf);
    tree.set_leaf_plan(trained_leaves(LeafMixing::scores));
    for (NodeIndex i = 0; i < 3; ++i) tree.sums(i)[i] = 4;
    test::expect_lowered_answers(model, testing::random_table(schema, 50, random));
  }
}

// Also where every row ends in one leaf.
TEST(LoweredAnswers, AreThoseOfScoresOfHardTrees) {
  const Schema schema = testing::mixed_schema(Task::classification);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, "hard scores");
    Model model{schema, testing::random_tree(schema, {.only_thresholds = true}, random), {}, {}};
    model.tree.set_leaf_plan(trained_leaves(LeafMixing::scores));
    test::expect_lowered_answers(model, testing::random_table(schema, 50, random));
  }
}

// The same bits whether rows may be divided or not: hard gates and no missing value send a row down
// one path, where a leaf without a formula answers as it would in a mix.
TEST(LoweredAnswers, AreThoseOfMixedScoresOnSinglePaths) {
  Model model{testing::mixed_schema(Task::classification), Tree(Task::classification, 3), {}, {}};
  Tree& tree = model.tree;
  tree.split(0, threshold_gate(0, 0.5), {});
  LeafModel leaf;
  leaf.link = LeafLink::softmax;
  leaf.terms = {{TermForm::value, 1, 0, 1.0}};
  leaf.classes = {0, 1, 2};
  leaf.coefficients = {0.1, 0.3, 1, -0.5, -2, 0.7};
  tree.node(1).model = Owned<LeafModel>(leaf);
  tree.set_leaf_plan(trained_leaves(LeafMixing::scores));
  for (NodeIndex i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) tree.sums(i)[k] = static_cast<double>(3 * i + 7 * k + 1);
  }
  const Table table(model.schema, 2,
                    {test::numbers({0.2, 0.9}), test::numbers({0.3, 0.7}),
                     test::codes({0, 1}, Kind::ordinal), test::codes({0, 1}), test::codes({0, 1})},
                    {}, {});
  test::expect_lowered_answers(model, table);
}

// Numbers are held between the limits of the tree.
TEST(LoweredAnswers, AreHeldBetweenTheLimitsOfTheTree) {
  const Schema schema = testing::mixed_schema(Task::regression);
  Random random(1, "limits");
  Model model{schema, testing::random_tree(schema, {.only_thresholds = true}, random), {}, {}};
  LeafPlan plan = trained_leaves(LeafMixing::answers);
  plan.low = 10;
  plan.high = 20;
  model.tree.set_leaf_plan(plan);
  test::expect_lowered_answers(model, testing::random_table(schema, 50, random));
}

}  // namespace
}  // namespace softwood
