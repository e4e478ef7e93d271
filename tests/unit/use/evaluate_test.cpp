#include "use/evaluate.h"
#include "support/tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "softwood/error.h"

namespace softwood {
namespace {

Table labelled(std::vector<std::string> classes, std::vector<int32_t> codes,
               std::vector<double> weights = {}) {
  Schema schema;
  schema.target = {"y", Kind::nominal, std::move(classes)};
  const size_t rows = codes.size();
  return {schema, rows, {}, Column{Kind::nominal, {}, std::move(codes), 0}, std::move(weights)};
}

Table measured(std::vector<double> values, std::vector<double> weights = {}) {
  Schema schema;
  schema.target = {"y", Kind::numeric, {}};
  const size_t rows = values.size();
  return {schema, rows, {}, Column{Kind::numeric, std::move(values), {}, 0}, std::move(weights)};
}

Evaluation evaluated(const Table& table, std::vector<double> answers, size_t majority = 0,
                     double threshold = missing_number) {
  const size_t width = table.schema().task() == Task::regression ? 1 : table.schema().classes();
  return evaluate({table.rows(), width, std::move(answers)}, table, all_rows(table), majority,
                  {1, threshold});
}

TEST(Evaluate, TwoClassesByHand) {
  const Table table = labelled({"no", "yes"}, {0, 0, 1, 1});
  const Evaluation e = evaluated(table, {0.9, 0.1, 0.4, 0.6, 0.2, 0.8, 0.4, 0.6});
  EXPECT_EQ(e.rows, 4U);
  EXPECT_DOUBLE_EQ(e.error, 0.25);
  EXPECT_DOUBLE_EQ(e.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(e.balanced_accuracy, 0.75);
  EXPECT_DOUBLE_EQ(e.logloss, -(std::log(0.9) + std::log(0.4) + std::log(0.8) + std::log(0.6)) / 4);
  EXPECT_DOUBLE_EQ(e.brier, (2 * 0.01 + 2 * 0.36 + 2 * 0.04 + 2 * 0.16) / 4);
  EXPECT_DOUBLE_EQ(e.auc, 3.5 / 4);
  EXPECT_DOUBLE_EQ(e.majority_error, 0.5);
  EXPECT_EQ(e.confusion, (std::vector<double>{1, 1, 0, 2}));
}

TEST(Evaluate, ThresholdDecidesTheSecondClass) {
  const Table table = labelled({"no", "yes"}, {0, 0, 1, 1});
  const Evaluation e = evaluated(table, {0.9, 0.1, 0.4, 0.6, 0.2, 0.8, 0.4, 0.6}, 0, 0.8);
  EXPECT_EQ(e.confusion, (std::vector<double>{2, 0, 1, 1}));
}

// Truth down, answers across: to miss a "yes" costs 5.
const std::vector<double> dear_yes = {0, 1, 5, 0};

TEST(Evaluate, CostsAreThoseOfTheAnswers) {
  const Table table = labelled({"no", "yes"}, {0, 0, 1, -1}, {1, 2, 1, 3});
  Predictions predictions{4, 2, {0.9, 0.1, 0.4, 0.6, 0.7, 0.3, 0.9, 0.1}};
  const auto rows = all_rows(table);
  EXPECT_TRUE(std::isnan(evaluate(predictions, table, rows, 0).cost));
  // Answers no, yes, no: a row of weight 2 costs 1, one costs 5, and the unknown class 5 each.
  const Evaluation given = evaluate(predictions, table, rows, 0, {}, dear_yes);
  EXPECT_DOUBLE_EQ(given.cost, 2 * 1 + 5 + 3 * 5);
  // A model that knows the costs answers yes where 5 * 0.3 > 0.7.
  predictions.costs = dear_yes;
  const Evaluation known = evaluate(predictions, table, rows, 0);
  EXPECT_DOUBLE_EQ(known.cost, 2 * 1 + 3 * 5);
  EXPECT_DOUBLE_EQ(known.logloss, given.logloss);
  EXPECT_EQ(evaluation_figures(known).back().first, "cost");
}

TEST(Evaluate, WeightsAreRepeatedRows) {
  const std::vector<double> p{0.9, 0.1, 0.4, 0.6, 0.2, 0.8};
  const Evaluation weighted = evaluated(labelled({"no", "yes"}, {0, 0, 1}, {2, 1, 3}), p);
  const Evaluation repeated =
      evaluated(labelled({"no", "yes"}, {0, 0, 0, 1, 1, 1}),
                {0.9, 0.1, 0.9, 0.1, 0.4, 0.6, 0.2, 0.8, 0.2, 0.8, 0.2, 0.8});
  const auto a = evaluation_figures(weighted);
  const auto b = evaluation_figures(repeated);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_DOUBLE_EQ(a[i].second, b[i].second) << a[i].first;
}

TEST(Evaluate, UnknownClassIsAnError) {
  const Table table = labelled({"no", "yes"}, {0, -1});
  const Evaluation e = evaluated(table, {1, 0, 1, 0});
  EXPECT_DOUBLE_EQ(e.error, 0.5);
  EXPECT_DOUBLE_EQ(e.majority_error, 0.5);
  EXPECT_DOUBLE_EQ(e.balanced_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(e.logloss, -std::log(1e-15) / 2);
  EXPECT_DOUBLE_EQ(e.brier, 1);
  EXPECT_DOUBLE_EQ(e.unknown, 1);
  EXPECT_TRUE(std::isnan(e.auc));
}

TEST(Evaluate, AreaIsThatOfAllPairs) {
  Random random(1, "auc");
  for (int trial = 0; trial < 50; ++trial) {
    const size_t classes = 2 + random.below(3), rows = 2 + random.below(60);
    std::vector<int32_t> codes;
    std::vector<double> answers, weights;
    for (size_t i = 0; i < rows; ++i) {
      codes.push_back(static_cast<int32_t>(random.below(classes + 1)) - 1);
      weights.push_back(static_cast<double>(random.below(4)) + 0.5);
      for (size_t c = 0; c < classes; ++c) {
        answers.push_back(static_cast<double>(random.below(6)) / 5);  // many ties
      }
    }
    double sum = 0, count = 0;
    for (size_t c = classes == 2 ? 1 : 0; c < classes; ++c) {
      double right = 0, pairs = 0;
      for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < rows; ++j) {
          if (codes[i] != static_cast<int32_t>(c) || codes[j] == codes[i] || codes[j] < 0) continue;
          const double a = answers[i * classes + c], b = answers[j * classes + c];
          right += weights[i] * weights[j] * (a > b ? 1 : a == b ? 0.5 : 0);
          pairs += weights[i] * weights[j];
        }
      }
      if (pairs > 0) {
        sum += right / pairs;
        ++count;
      }
    }
    std::vector<std::string> names{"a", "b", "c", "d"};
    names.resize(classes);
    const Evaluation e = evaluated(labelled(names, codes, weights), answers);
    if (count == 0) {
      EXPECT_TRUE(std::isnan(e.auc));
    } else {
      EXPECT_NEAR(e.auc, sum / count, 1e-12);
    }
  }
}

TEST(Evaluate, RegressionByHand) {
  const Evaluation e = evaluated(measured({1, 2, 6}), {1, 4, 5});
  EXPECT_DOUBLE_EQ(e.mse, 5.0 / 3);
  EXPECT_DOUBLE_EQ(e.rmse, std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(e.mae, 1);
  EXPECT_DOUBLE_EQ(e.nmse, 5.0 / 14);  // squared deviations from the mean 3: 4 + 1 + 9
  EXPECT_DOUBLE_EQ(e.r2, 1 - 5.0 / 14);
}

TEST(Evaluate, RegressionWeights) {
  const Evaluation weighted = evaluated(measured({1, 2}, {3, 1}), {2, 2});
  const Evaluation repeated = evaluated(measured({1, 1, 1, 2}), {2, 2, 2, 2});
  EXPECT_DOUBLE_EQ(weighted.mse, repeated.mse);
  EXPECT_DOUBLE_EQ(weighted.nmse, repeated.nmse);
}

TEST(Evaluate, ConstantTargetHasNoShareOfVariance) {
  const Evaluation e = evaluated(measured({2, 2}), {2, 3});
  EXPECT_DOUBLE_EQ(e.mse, 0.5);
  EXPECT_TRUE(std::isnan(e.nmse));
  EXPECT_TRUE(std::isnan(e.r2));
}

TEST(Evaluate, CalibrationComparesPredictedWithObserved) {
  const Table two = test::classes_table({}, {0, 1, 1, 0}, {1, 1, 2, 1});
  const Predictions p{4, 2, {0.75, 0.25, 0.8, 0.2, 0, 1, 0.1, 0.9}};
  const auto bins = calibration(p, two, all_rows(two));
  ASSERT_EQ(bins.size(), 10);
  EXPECT_DOUBLE_EQ(bins[2].weight, 2);
  EXPECT_DOUBLE_EQ(bins[2].predicted, 0.225);
  EXPECT_DOUBLE_EQ(bins[2].observed, 0.5);
  EXPECT_DOUBLE_EQ(bins[9].weight, 3);  // 1 belongs to the last one
  EXPECT_DOUBLE_EQ(bins[9].predicted, (2 * 1 + 0.9) / 3);
  EXPECT_DOUBLE_EQ(bins[9].observed, 2.0 / 3);
  EXPECT_TRUE(std::isnan(bins[0].predicted));
  // With three classes it is the class answered that counts.
  const Table three = test::classes_table({}, {2, 0}, {}, 3);
  const auto answered =
      calibration({2, 3, {0.2, 0.25, 0.55, 0.3, 0.55, 0.15}}, three, all_rows(three));
  EXPECT_DOUBLE_EQ(answered[5].weight, 2);
  EXPECT_DOUBLE_EQ(answered[5].observed, 0.5);
}

// Of two classes the schema says which one is positive; a threshold names its own.
TEST(Evaluate, CalibrationAndCurveAreAboutThePositiveClass) {
  Schema schema;
  schema.target = {"y", Kind::nominal, {"no", "yes"}};
  schema.positive = 0;
  const Table table(schema, 3, {}, Column{Kind::nominal, {}, {{0, 1, 1}}, 0}, {});
  const Predictions p{3, 2, {0.75, 0.25, 0.25, 0.75, 0.875, 0.125}};
  const auto bins = calibration(p, table, all_rows(table));
  EXPECT_EQ(bins[7].observed, 1);
  EXPECT_EQ(bins[2].observed, 0);
  EXPECT_EQ(bins[8].predicted, 0.875);
  const Evaluation e = evaluate(p, table, all_rows(table), 0, {0, 0.8});
  EXPECT_EQ(e.positive, 0U);
  EXPECT_EQ(e.auc, 0.5);
  EXPECT_EQ(e.confusion, (std::vector<double>{0, 1, 1, 1}));  // "no" from 0.8 on
}

TEST(Evaluate, NothingToEvaluateIsAnError) {
  const Table table = measured({1, 2}, {0, 0});
  const Predictions p{2, 1, {1, 2}};
  EXPECT_THROW(evaluate(p, table, {}, 0), Error);
  EXPECT_THROW(evaluate(p, table, all_rows(table), 0), Error);
}

}  // namespace
}  // namespace softwood
