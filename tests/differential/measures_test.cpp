// Measures of scikit-learn on drawn answers, as recorded by `make peers`.
#include <gtest/gtest.h>

#include <map>

#include "support/grow.h"
#include "support/records.h"
#include "support/tables.h"
#include "use/evaluate.h"
#include "use/roc.h"

namespace softwood {
namespace {

using nlohmann::json;

constexpr double rounding = 1e-12;

json cases() { return test::read_record("measures", "sklearn")["cases"]; }

Table table_of(const json& record) {
  return test::classes_table({}, record["actual"].get<std::vector<int32_t>>(),
                             record["weights"].get<std::vector<double>>(),
                             record["classes"].get<size_t>());
}

Predictions predictions_of(const json& record) {
  return {record["actual"].size(), record["classes"].get<size_t>(),
          record["answers"].get<std::vector<double>>()};
}

TEST(SklearnMeasures, FiguresAgree) {
  for (const json& record : cases()) {
    const Table table = table_of(record);
    const Evaluation e = evaluate(predictions_of(record), table, all_rows(table), 0);
    std::map<std::string, double> figures;
    for (const auto& [name, value] : evaluation_figures(e)) figures[name] = value;
    for (const auto& [name, value] : record["figures"].items()) {
      EXPECT_NEAR(figures.at(name), value.get<double>(), rounding) << name;
    }
    const json& macro = record["averages"]["macro"];
    EXPECT_NEAR(e.macro.precision, macro["precision"].get<double>(), rounding);
    EXPECT_NEAR(e.macro.recall, macro["recall"].get<double>(), rounding);
    EXPECT_NEAR(e.macro.f1, macro["f1"].get<double>(), rounding);
    const json& weighted = record["averages"]["weighted"];
    EXPECT_NEAR(e.weighted.precision, weighted["precision"].get<double>(), rounding);
    EXPECT_NEAR(e.weighted.f1, weighted["f1"].get<double>(), rounding);
    const json& per_class = record["per_class"];
    for (size_t c = 0; c < e.classes.size(); ++c) {
      EXPECT_NEAR(e.per_class[c].precision, per_class["precision"][c].get<double>(), rounding);
      EXPECT_NEAR(e.per_class[c].recall, per_class["recall"][c].get<double>(), rounding);
      EXPECT_NEAR(e.per_class[c].f1, per_class["f1"][c].get<double>(), rounding);
      EXPECT_NEAR(e.per_class[c].weight, per_class["support"][c].get<double>(), rounding);
    }
  }
}

TEST(SklearnMeasures, CurvesAgree) {
  size_t curves = 0;
  for (const json& record : cases()) {
    if (!record.contains("roc")) continue;
    const Table table = table_of(record);
    const ThresholdTable curve = threshold_table(predictions_of(record), table, all_rows(table));
    const json& roc = record["roc"];
    ASSERT_EQ(curve.points.size(), roc["true_positive_rate"].size());
    for (size_t i = 0; i < curve.points.size(); ++i) {
      const ThresholdPoint& point = curve.points[i];
      EXPECT_NEAR(point.true_positive_rate, roc["true_positive_rate"][i].get<double>(), rounding);
      EXPECT_NEAR(point.false_positive_rate, roc["false_positive_rate"][i].get<double>(), rounding);
      if (i == 0) continue;  // never predicted
      EXPECT_NEAR(point.threshold, roc["threshold"][i - 1].get<double>(), rounding);
    }
    ++curves;
  }
  EXPECT_EQ(curves, 2U);
}

// scikit-learn cuts float32 inputs, so cuts may differ in the last digits; the answers do not.
TEST(SklearnMeasures, LeavesByAbsoluteErrorAnswerTheSameMedians) {
  const json record = test::read_record("measures", "sklearn")["medians"];
  const Table table = test::numbers_table(
      {test::numbers(record["x"][0].get<std::vector<double>>()),
       test::numbers(record["x"][1].get<std::vector<double>>())},
      record["y"].get<std::vector<double>>(), record["weights"].get<std::vector<double>>());
  const Tree tree = test::run(table, "grow criterion=mae max-depth=3");
  const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
  for (size_t i = 0; i < answers.rows; ++i) {
    EXPECT_NEAR(answers.answers[i], record["answers"][i].get<double>(), rounding) << i;
  }
}

}  // namespace
}  // namespace softwood
