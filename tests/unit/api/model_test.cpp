// Answers into the caller's memory, and views of a model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "softwood/softwood.h"

namespace softwood {
namespace {

// Every seventh cell of the first column is missing.
DataSet clouds() {
  const DataColumns drawn = generate("twonorm", {{"rows", "300"}});
  DataColumns columns;
  for (const ColumnView& view : drawn.columns()) {
    if (!columns.columns().empty()) {
      columns.add(view);
      continue;
    }
    const auto* const cells = static_cast<const double*>(view.chunks[0].values);
    std::vector<double> first(cells, cells + drawn.rows());
    for (size_t row = 0; row < first.size(); row += 7) first[row] = std::nan("");
    columns.number(view.name, std::move(first));
  }
  return DataSet::from(columns);
}

TreeModel trained(const DataSet& data, const std::string& recipe) {
  TrainSettings settings;
  settings.recipe = recipe;
  return train(data, settings).model;
}

class EachRecipe : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Recipes, EachRecipe,
                         ::testing::Values("grow", "grow | prune | soften by=anneal",
                                           "grow missing=fractional"),
                         [](const auto& each) { return "Number" + std::to_string(each.index); });

TEST_P(EachRecipe, AnswersIntoTheCallersBuffers) {
  const DataSet data = clouds();
  const TreeModel model = trained(data, GetParam());
  std::vector<double> answers(data.rows() * model.answer_width(), -1);
  model.predict(data, answers);
  EXPECT_EQ(answers, model.predict(data));
  EXPECT_EQ(answers, model.predict(data, 1));
  std::vector<uint32_t> codes(data.rows());
  model.predict_codes(data, codes);
  const std::vector<std::string> names = model.predict_class(data);
  for (size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(model.classes()[codes[i]], names[i]);
}

TEST_P(EachRecipe, DecidesByAThreshold) {
  const DataSet data = clouds();
  const TreeModel model = trained(data, GetParam());
  const std::vector<double> answers = model.predict(data);
  const std::string positive = model.positive();
  const auto of = std::find(model.classes().begin(), model.classes().end(), positive);
  const auto column = static_cast<size_t>(of - model.classes().begin());
  for (const double threshold : {0.1, 0.5, 0.9}) {
    const std::vector<std::string> names = model.predict_class(data, 1, threshold);
    const EvaluationResult result = model.evaluate(data, 1, threshold);
    double predicted = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(names[i] == positive, answers[2 * i + column] >= threshold);
      predicted += names[i] == positive ? 1 : 0;
    }
    EXPECT_EQ(result.confusion[column] + result.confusion[2 + column], predicted);
  }
  EXPECT_THROW(model.predict_class(data, 1, -0.1), Error);
  EXPECT_THROW(model.evaluate(data, 1, 1.5), Error);
  EXPECT_THROW(model.evaluate(data, 1, std::nan("")), Error);
}

TEST_P(EachRecipe, SaysHowOftenItsProbabilitiesComeTrue) {
  const DataSet data = clouds();
  const TreeModel model = trained(data, GetParam());
  const EvaluationResult result = model.evaluate(data);
  ASSERT_EQ(result.calibration.size(), 10U);
  size_t rows = 0;
  for (const CalibrationBin& bin : result.calibration) rows += bin.rows;
  EXPECT_EQ(rows, data.rows());
}

TEST_P(EachRecipe, DividesRowsAmongItsEndNodes) {
  const DataSet data = clouds();
  const TreeModel model = trained(data, GetParam());
  const std::vector<uint32_t> ends = model.end_nodes();
  EXPECT_GE(ends.size(), model.leaves());
  std::vector<double> weights(data.rows() * ends.size(), -1);
  model.path_weights(data, weights);
  std::vector<uint32_t> nodes(data.rows());
  model.leaf_numbers(data, nodes);
  for (size_t row = 0; row < data.rows(); ++row) {
    const auto begin = weights.begin() + static_cast<ptrdiff_t>(row * ends.size());
    const auto end = begin + static_cast<ptrdiff_t>(ends.size());
    EXPECT_NEAR(std::accumulate(begin, end, 0.0), 1, 1e-12);
    const auto place = std::find(ends.begin(), ends.end(), nodes[row]) - ends.begin();
    EXPECT_EQ(begin[place], *std::max_element(begin, end));
  }
}

TEST(TreeModelTest, RefusesBuffersOfAnotherSize) {
  const DataSet data = clouds();
  const TreeModel model = trained(data, "grow");
  std::vector<double> answers(1);
  EXPECT_THROW(model.predict(data, answers), Error);
  EXPECT_THROW(model.path_weights(data, answers), Error);
  std::vector<uint32_t> codes(1);
  EXPECT_THROW(model.predict_codes(data, codes), Error);
  EXPECT_THROW(model.leaf_numbers(data, codes), Error);
}

TEST(TreeModelTest, RefusesDataOfOtherColumns) {
  const TreeModel model = trained(clouds(), "grow");
  const DataSet other = DataSet::from(DataColumns().number("a", {1, 2}).text("y", {"p", "q"}));
  EXPECT_THROW(model.predict(other), Error);
  EXPECT_THROW(model.evaluate(other), Error);
}

TEST(TreeModelTest, OutlivesTheObjectThatItWasCopiedFrom) {
  const DataSet data = clouds();
  std::optional<TreeModel> first = trained(data, "grow");
  const TreeModel copy = *first;
  const std::vector<double> answers = first->predict(data);
  first.reset();
  EXPECT_EQ(copy.predict(data), answers);
}

TEST(TreeModelTest, AnswersSeveralThreadsAtATime) {
  const DataSet data = clouds();
  const TreeModel model = trained(data, "grow");
  const std::vector<double> expected = model.predict(data);
  std::vector<std::vector<double>> answers(4);
  std::vector<std::thread> threads;
  for (auto& answer : answers) threads.emplace_back([&] { answer = model.predict(data, 2); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, expected);
}

TEST(TreeModelTest, EvaluatesWithAConfusionMatrix) {
  const DataSet data = clouds();
  const EvaluationResult result = trained(data, "grow").evaluate(data);
  EXPECT_EQ(result.rows, data.rows());
  ASSERT_EQ(result.confusion.size(), 4U);
  EXPECT_EQ(std::accumulate(result.confusion.begin(), result.confusion.end(), 0.0),
            static_cast<double>(data.rows()));
  EXPECT_NEAR(result.at("error"), 1 - result.at("accuracy"), 1e-15);
  EXPECT_THROW(result.at("rmse"), Error);
}

TEST(TreeModelTest, IsShownInEveryView) {
  const TreeModel model = trained(clouds(), "grow max-depth=3 | prune");
  for (const TextView view : {TextView::tree, TextView::rpart, TextView::c50, TextView::rules,
                              TextView::pruning, TextView::summary}) {
    EXPECT_FALSE(model.show(view).empty());
  }
}

TEST(TreeModelTest, IsPlainData) {
  const DataSet data = clouds();
  const TreeModel model = trained(data, "grow | prune");
  const LoweredTree& tree = model.tree();
  EXPECT_EQ(&tree, &model.tree());  // made once
  EXPECT_EQ(tree.nodes.size(), model.nodes());
  EXPECT_EQ(tree.leaves, model.leaves());
  EXPECT_EQ(tree.depth, model.depth());
  EXPECT_EQ(tree.parameters, model.parameters());
  EXPECT_EQ(tree.target.classes, model.classes());
  EXPECT_EQ(tree.origin.recipe, "grow | prune");
  EXPECT_EQ(tree.origin.fingerprint, data.fingerprint());
  ASSERT_TRUE(tree.complexity);
  EXPECT_EQ(tree.nodes[0].weight, static_cast<double>(data.rows()));
}

TEST(TreeModelTest, HasTheWordsOfEveryCondition) {
  const TreeModel model = trained(clouds(), "grow max-depth=2");
  const std::vector<std::string> conditions = model.branch_texts();
  ASSERT_EQ(conditions.size(), model.nodes());
  EXPECT_EQ(conditions[0], "");
  const std::string shown = model.show(TextView::tree);
  for (size_t i = 1; i < conditions.size(); ++i) {
    EXPECT_NE(shown.find(conditions[i]), std::string::npos) << conditions[i];
  }
  const LoweredNode& leaf = model.tree().nodes.back();
  const auto number = static_cast<uint32_t>(model.nodes() - 1);
  EXPECT_EQ(model.path_conditions(number).size(), leaf.depth);
  EXPECT_TRUE(model.path_conditions(0).empty());
  EXPECT_THROW(model.path_conditions(number + 1), Error);
}

TEST(TreeModelTest, OfBadTextIsAnError) {
  EXPECT_THROW(TreeModel::from_text("{}"), Error);
  EXPECT_THROW(TreeModel::from_text("no JSON"), Error);
}

}  // namespace
}  // namespace softwood
