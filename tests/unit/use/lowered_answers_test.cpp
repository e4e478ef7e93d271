// The lowered form answers as the library does, for random trees of every kind of gate, rule for
// missing values and leaf.
#include <gtest/gtest.h>

#include "support/same_answers.h"
#include "support/sample_models.h"

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
