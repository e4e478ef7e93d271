#include "use/predict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/sample_models.h"
#include "tree/compiled.h"

namespace softwood {
namespace {

TEST(Predict, ProbabilitiesSumToOne) {
  Random random(1, "predict");
  const Schema schema = testing::mixed_schema(Task::classification);
  for (int trial = 0; trial < 30; ++trial) {
    const Tree tree = testing::random_tree(schema, {}, random);
    const Table table = testing::random_table(schema, 500, random);
    const Predictions p = predict(tree, table, all_rows(table), Parallel(1));
    ASSERT_EQ(p.answers.size(), 1500U);
    for (size_t i = 0; i < p.rows; ++i) {
      EXPECT_NEAR(p.answers[3 * i] + p.answers[3 * i + 1] + p.answers[3 * i + 2], 1, 1e-12);
    }
  }
}

TEST(Predict, AnswersAreWeightedMeansOfNodes) {
  Random random(2, "predict mean");
  const Schema schema = testing::mixed_schema(Task::regression);
  for (int trial = 0; trial < 30; ++trial) {
    const Tree tree = testing::random_tree(schema, {trial % 2 == 0, false, 12}, random);
    const Table table = testing::random_table(schema, 200, random);
    std::vector<RowIndex> rows = all_rows(table);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<RowIndex>(i / 3);  // repeated
    const Predictions p = predict(tree, table, rows, Parallel(1));
    const std::vector<double> answers = tree.answers();
    std::vector<Arrival> arrivals;
    for (size_t i = 0; i < rows.size(); ++i) {
      Compiled(tree).arrivals(table, std::span(&rows[i], 1), arrivals);
      double expected = 0;
      for (const Arrival& arrival : arrivals) {
        double answer = answers[arrival.node];
        std::vector<double> outputs;
        const Owned<LeafModel>& model = tree.node(arrival.node).model;
        if (model) {
          leaf_model_answer(*model, table, arrival.row, tree.typical(), outputs, {&answer, 1});
        }
        expected += arrival.weight * answer;
      }
      EXPECT_DOUBLE_EQ(p.answers[i], expected);
    }
  }
}

// Two leaves with half of the row each: log odds of 2 and 0, so the answer has those of 1.
TEST(Predict, MixesScoresBeforeTheSoftmax) {
  const Schema schema = testing::mixed_schema(Task::classification);
  Random random(4, "scores");
  const Table table = testing::random_table(schema, 5, random);
  Tree tree(Task::classification, 3);
  ScoreGate gate = threshold_gate(0, 0);
  gate.terms[0].coefficient = 0;
  gate.link.form = LinkForm::logistic;
  Missing halves;
  halves.rule = MissingRule::shares;
  halves.shares = {0.5, 0.5};
  tree.split(0, gate, halves);
  tree.set_typical({0, 0, 0, 0, 0});
  LeafModel model;
  model.link = LeafLink::softmax;
  model.classes = {0, 1, 2};
  model.coefficients = {0, 2, -1};
  tree.node(1).model = Owned<LeafModel>(model);
  tree.set_leaf_plan(trained_leaves(LeafMixing::scores));
  // The second leaf has no model: one row of each class, so its scores are alike.
  for (double& sum : tree.sums(2)) sum = 1;
  const Predictions p = predict(tree, table, all_rows(table), Parallel(1));
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(std::log(p.answers[3 * i + 1] / p.answers[3 * i]), 1, 1e-12);
    EXPECT_NEAR(std::log(p.answers[3 * i + 2] / p.answers[3 * i]), -0.5, 1e-12);
  }
  tree.set_leaf_plan(trained_leaves(LeafMixing::answers));
  const double third = 1.0 / 3, sum = 1 + std::exp(2.0) + std::exp(-1.0);
  EXPECT_NEAR(predict(tree, table, all_rows(table), Parallel(1)).answers[1],
              0.5 * std::exp(2.0) / sum + 0.5 * third, 1e-12);
}

TEST(Predict, SameOnAnyNumberOfThreads) {
  Random random(3, "predict threads");
  const Schema schema = testing::mixed_schema(Task::classification);
  const Table table = testing::random_table(schema, 20000, random);
  for (const bool hard : {true, false}) {
    const Tree tree = testing::random_tree(schema, {hard, false, 20}, random);
    const std::vector<RowIndex> rows = all_rows(table);
    const Predictions one = predict(tree, table, rows, Parallel(1));
    const Predictions three = predict(tree, table, rows, Parallel(3));
    EXPECT_EQ(one.answers, three.answers);
    EXPECT_EQ(predict_nodes(tree, table, rows, Parallel(1)),
              predict_nodes(tree, table, rows, Parallel(3)));
  }
}

TEST(Predict, ClassesAreTheTopOnes) {
  Random random(4, "predict classes");
  const Schema schema = testing::mixed_schema(Task::classification);
  const Table table = testing::random_table(schema, 5000, random);
  for (const bool hard : {true, false}) {
    const Tree tree = testing::random_tree(schema, {hard, false, 20}, random);
    const std::vector<RowIndex> rows = all_rows(table);
    const Predictions p = predict(tree, table, rows, Parallel(1));
    const std::vector<uint32_t> classes = predict_classes(tree, table, rows, Parallel(1));
    for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(classes[i], p.top_class(i));
  }
}

TEST(Predict, NodesHoldMostOfTheWeight) {
  Tree tree(Task::regression, 0);
  ScoreGate gate = threshold_gate(0, 0);
  gate.link = {LinkForm::ramp, 1, 1};
  tree.split(0, gate, {});
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}};
  schema.target = {"y", Kind::numeric, {}};
  const Table table(schema, 3, {Column{Kind::numeric, {{-0.5, 0.5, 0}}, {}, 0}}, Column{}, {});
  EXPECT_EQ(predict_nodes(tree, table, all_rows(table), Parallel(1)),
            (std::vector<NodeIndex>{1, 2, 1}));
  // With leaves 3 and 4 below the first child, the halves of a row on the cut are at 3 and 2.
  tree.split(1, threshold_gate(0, 10), {});
  EXPECT_EQ(predict_nodes(tree, table, all_rows(table), Parallel(1)),
            (std::vector<NodeIndex>{3, 2, 3}));
}

}  // namespace
}  // namespace softwood
