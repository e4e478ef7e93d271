#include "use/predict.h"

#include <gtest/gtest.h>

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
  const Table table(schema, 3, {Column{Kind::numeric, {-0.5, 0.5, 0}, {}, 0}}, Column{}, {});
  EXPECT_EQ(predict_nodes(tree, table, all_rows(table), Parallel(1)),
            (std::vector<NodeIndex>{1, 2, 1}));
}

}  // namespace
}  // namespace softwood
