// The public face of the library.
#include "softwood/softwood.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace softwood {
namespace {

DataColumns flowers() {
  return DataColumns()
      .number("length", {1, 2, 3, 10, 11, 12})
      .text("species", {"small", "small", "small", "large", "large", "large"});
}

TrainSettings grow_only() {
  TrainSettings settings;
  settings.recipe = "grow";
  return settings;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("softwood-face-" + std::to_string(::getpid()) + ".csv"))
                  .string()) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Face, TrainsPredictsAndExplains) {
  const DataSet data = DataSet::from(flowers());
  const TreeModel model = train(data, grow_only()).model;
  EXPECT_EQ(model.nodes(), 3U);
  const DataSet more = DataSet::from_for(
      model, DataColumns().number("length", {0, 20, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_EQ(model.predict_class(more), (std::vector<std::string>{"small", "large", "small"}));
  EXPECT_EQ(model.path_texts(more)[1], "length > 6.5");
  EXPECT_EQ(model.path_texts(more)[2], "length missing (taken as length <= 6.5)");
  EXPECT_EQ(model.evaluate(data).at("error"), 0);
}

TEST(Face, SaysWhyAndWhatWouldChangeTheAnswer) {
  const DataSet data = DataSet::from(flowers());
  const TreeModel model = train(data, grow_only()).model;
  const DataSet more = DataSet::from_for(model, DataColumns().number("length", {0, 20}));
  const Explanation explanation = model.explain(more);
  ASSERT_EQ(explanation.rows, 2U);
  EXPECT_EQ(explanation.outputs, std::vector<std::string>{model.positive()});
  for (size_t row = 0; row < 2; ++row) {
    double sum = explanation.base_values[0];
    for (size_t f = 0; f < explanation.feature_names.size(); ++f) sum += explanation.value(row, f);
    EXPECT_NEAR(sum, explanation.answers[row], 1e-12);
  }
  EXPECT_EQ(model.explain(more, {}, &data).method, ExplainMethod::interventional);

  const std::vector<Change> changes = model.nearest_changes(more, {}, &data);
  ASSERT_EQ(changes[0].inputs.size(), 1U);
  EXPECT_TRUE(changes[0].is_exact);
  EXPECT_EQ(changes[0].inputs[0].to, 7);  // above 6.5, and lengths are whole numbers
  EXPECT_EQ(changes[1].inputs[0].to, 6);

  PartialSettings settings;
  settings.inputs = {"length"};
  const PartialDependence partial = model.partial_dependence(data, settings);
  EXPECT_EQ(partial.means.size(), partial.grid[0].size());
  EXPECT_EQ(partial.means.front() + partial.means.back(), 1);
}

TEST(Face, LongWorkOfAModelCanBeStopped) {
  const DataSet data = DataSet::from(flowers());
  const TreeModel model = train(data, grow_only()).model;
  std::atomic<bool> stop = true;
  Controls controls;
  controls.stop_flag = &stop;
  PartialSettings partial;
  partial.inputs = {"length"};
  const auto expect_interrupted = [](const auto& work) {
    try {
      work();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
  };
  expect_interrupted([&] { model.explain(data, {}, nullptr, &controls); });
  expect_interrupted([&] { model.explain(data, {}, &data, &controls); });
  expect_interrupted([&] { model.partial_dependence(data, partial, &controls); });
  expect_interrupted([&] { model.nearest_changes(data, {}, nullptr, &controls); });
  expect_interrupted([&] { model.permutation_importance(data, 10, 1, 1, &controls); });
  std::vector<double> answers(data.rows() * model.answer_width());
  std::vector<double> weights(data.rows() * model.end_nodes().size());
  std::vector<uint32_t> codes(data.rows());
  expect_interrupted([&] { model.predict(data, answers, 1, &controls); });
  expect_interrupted([&] { model.predict_codes(data, codes, 1, {}, &controls); });
  expect_interrupted([&] { model.leaf_numbers(data, codes, 1, &controls); });
  expect_interrupted([&] { model.path_weights(data, weights, 1, &controls); });
  expect_interrupted([&] { model.evaluate(data, 1, {}, &controls); });
  stop = false;
  model.predict(data, answers, 1, &controls);
  EXPECT_EQ(answers, model.predict(data));
  EXPECT_EQ(model.explain(data, {}, nullptr, &controls).rows, data.rows());
}

TEST(Face, ReportsOnOneModelAndOnSeveral) {
  const DataSet data = DataSet::from(flowers());
  const TreeModel model = train(data, grow_only()).model;
  const std::string alone = report(model), measured = report(model, &data);
  EXPECT_NE(alone.find("</html>"), std::string::npos);
  EXPECT_GT(measured.size(), alone.size());
  ReportSettings settings;
  settings.rows = 0;
  settings.model_name = "flowers.json";
  EXPECT_NE(report(model, &data, settings).find("flowers.json"), std::string::npos);
  EXPECT_NE(comparison_report({{"first", model, data}, {"second", model, data}}).find("second"),
            std::string::npos);
  EXPECT_THROW(comparison_report({{"first", model, data}}), Error);
  const DataSet unanswered = DataSet::from_for(model, DataColumns().number("length", {0, 20}));
  EXPECT_NE(report(model, &unanswered).find("</html>"), std::string::npos);
  EXPECT_THROW(comparison_report({{"a", model, unanswered}, {"b", model, unanswered}}), Error);
}

TEST(Face, TellsWarningsFromNotes) {
  TrainSettings settings;
  settings.recipe = "grow";
  settings.controls.budget = std::chrono::duration<double>(100);
  const TrainResult result = train(DataSet::from(flowers()), settings);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].message.find("the budget changes nothing"), std::string::npos);
  EXPECT_GE(result.notes.size(), 1U);  // warnings are notes, too
}

TEST(Face, EvaluatesByTheNamesOfClassesNotByTheirOrder) {
  const TreeModel model = train(DataSet::from(flowers()), grow_only()).model;
  // The other class comes first here.
  const TemporaryFile file("length,species\n12,large\n1,small\n2,small\n3,\n");
  DataSettings other;
  other.levels["species"] = {"small", "large"};
  EXPECT_THROW(model.evaluate(DataSet::read(file.path(), other)), Error);
  const DataSet known = DataSet::read_to_evaluate(model, file.path());
  EXPECT_EQ(known.rows(), 3U);  // the row without an answer is left out
  EXPECT_EQ(model.evaluate(known).at("error"), 0);
}

TEST(Face, RefusesToLearnFromRowsWithoutAnAnswer) {
  const TreeModel model = train(DataSet::from(flowers()), grow_only()).model;
  const DataSet unanswered = DataSet::from_for(model, DataColumns().number("length", {1, 2}));
  EXPECT_THROW(train(unanswered, grow_only()), Error);
}

TEST(Face, RefusesValidationRowsOfAnotherKind) {
  const DataSet data = DataSet::from(flowers());
  const DataSet other = DataSet::from(
      DataColumns().number("width", {1, 2, 3}).text("species", {"small", "large", "small"}));
  TrainSettings settings;
  settings.validation = other;
  EXPECT_THROW(train(data, settings), Error);
  const TemporaryFile file("length,species\n1,small\n11,large\n12,large\n");
  const DataSet same = DataSet::read_like(data, file.path());
  settings.validation = same;
  EXPECT_EQ(train(data, settings).model.leaves(), 2U);
}

TEST(Face, GrowsOnOneLargeColumnWithSeveralThreads) {
  std::vector<double> x(250000);
  std::vector<std::string> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(static_cast<double>(i));
    y[i] = x[i] > 0.25 ? "high" : "low";
  }
  TrainSettings settings = grow_only();
  settings.threads = 2;
  const DataSet data = DataSet::from(DataColumns().number("x", x).text("y", y));
  EXPECT_EQ(train(data, settings).model.leaves(), 2U);
}

TEST(Face, RefusesTargetsThatCanNotBeSquared) {
  DataSettings settings;
  settings.task = "regression";
  const DataSet data = DataSet::from(
      DataColumns().number("x", {1, 2, 3, 4}).number("y", {1e200, -1e200, 2e200, 0.5}), settings);
  EXPECT_THROW(train(data, grow_only()), Error);
}

TEST(Face, AnswersWithoutInputsAreTheMajority) {
  DataSettings settings;
  const DataSet data = DataSet::from(DataColumns().text("y", {"a", "b", "b", "a", "b"}), settings);
  for (const char* recipe : {"grow", "grow search=binned", "grow | prune"}) {
    TrainSettings train_settings;
    train_settings.recipe = recipe;
    const TreeModel model = train(data, train_settings).model;
    EXPECT_EQ(model.nodes(), 1U) << recipe;
    EXPECT_EQ(model.predict_class(data)[0], "b") << recipe;
  }
}

TEST(Face, SettingsAreAboutColumnsThatAreThere) {
  DataSettings settings;
  settings.ignore = {"lenght"};
  EXPECT_THROW(DataSet::from(flowers(), settings), Error);
  settings.ignore = {};
  settings.numeric = {"species"};
  EXPECT_THROW(DataSet::from(flowers(), settings), Error);
  settings.numeric = {"length"};
  EXPECT_EQ(DataSet::from(flowers(), settings).rows(), 6U);
}

TEST(Face, SavesWholeFilesAndReadsThemBack) {
  const TreeModel model = train(DataSet::from(flowers()), grow_only()).model;
  const TemporaryFile file("");
  model.save(file.path());
  EXPECT_EQ(TreeModel::load(file.path()).text(), model.text());
  EXPECT_THROW(model.save("/no/such/folder/model.json"), Error);
  EXPECT_THROW(TreeModel::load("/no/such/model.json"), Error);
}

// Three of one class and one of the other with the same value: one leaf.
DataColumns mixed() {
  return DataColumns().number("x", {1, 1, 1, 1}).text("y", {"no", "no", "no", "yes"});
}

TEST(Face, CountsClassesAsAsked) {
  const DataSet data = DataSet::from(mixed());
  TrainSettings settings = grow_only();
  EXPECT_EQ(train(data, settings).model.predict_class(data)[0], "no");
  settings.classes.weights = {{"yes", 9}};  // 9 of 12
  EXPECT_NEAR(train(data, settings).model.predict(data)[1], 0.75, 1e-12);
  settings.classes.priors = {{"yes", 0.9}, {"no", 0.1}};
  EXPECT_THROW(train(data, settings), Error);
  settings.classes.weights.clear();
  EXPECT_NEAR(train(data, settings).model.predict(data)[1], 0.9, 1e-12);
  settings.classes.priors = {{"yes", 1}};
  EXPECT_THROW(train(data, settings), Error);
}

TEST(Face, AnswersWhatCostsLeast) {
  const DataSet data = DataSet::from(mixed());
  TrainSettings settings = grow_only();
  settings.classes.costs["yes"]["no"] = 2;
  EXPECT_EQ(train(data, settings).model.predict_class(data)[0], "no");
  settings.classes.costs["yes"]["no"] = 4;
  EXPECT_EQ(train(data, settings).model.predict_class(data)[0], "yes");
  EXPECT_EQ(train(data, settings).model.predict(data)[1], 0.25);
  settings.classes.costs["maybe"]["no"] = 4;
  EXPECT_THROW(train(data, settings), Error);
}

}  // namespace
}  // namespace softwood
