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
  const auto figures = evaluation_figures(known);
  EXPECT_EQ(figures[figures.size() - 2].first, "cost");
  EXPECT_EQ(figures.back().first, "cost_per_row");
  EXPECT_DOUBLE_EQ(figures.back().second, (2 * 1 + 3 * 5) / 7.0);
}

Interval interval(const Evaluation& evaluation, const std::string& name) {
  for (const auto& [known, value] : evaluation.intervals) {
    if (known == name) return value;
  }
  return {};
}

// Actual down, predicted across: no 50 10, yes 5 35.
Evaluation hundred_rows(double threshold = missing_number) {
  std::vector<int32_t> codes;
  std::vector<double> answers;
  const auto add = [&](size_t count, int32_t actual, double of_yes) {
    for (size_t i = 0; i < count; ++i) {
      codes.push_back(actual);
      answers.insert(answers.end(), {1 - of_yes, of_yes});
    }
  };
  add(50, 0, 0.25);
  add(10, 0, 0.75);
  add(5, 1, 0.25);
  add(35, 1, 0.75);
  return evaluated(labelled({"no", "yes"}, codes), answers, 0, threshold);
}

TEST(Evaluate, PrecisionAndRecallOfThePositiveClassByHand) {
  const Evaluation e = hundred_rows();
  EXPECT_DOUBLE_EQ(e.precision, 35.0 / 45);
  EXPECT_DOUBLE_EQ(e.recall, 35.0 / 40);
  EXPECT_DOUBLE_EQ(e.f1, 70.0 / 85);
  EXPECT_DOUBLE_EQ(e.specificity, 50.0 / 60);
  // (35 * 50 - 10 * 5) / sqrt(45 * 40 * 60 * 55)
  EXPECT_NEAR(e.mcc, 1700 / std::sqrt(45.0 * 40 * 60 * 55), 1e-15);
  EXPECT_DOUBLE_EQ(e.per_class[0].precision, 50.0 / 55);
  EXPECT_DOUBLE_EQ(e.per_class[0].recall, e.specificity);
  EXPECT_DOUBLE_EQ(e.macro.recall, (50.0 / 60 + 35.0 / 40) / 2);
  EXPECT_DOUBLE_EQ(e.weighted.recall, e.accuracy);
}

TEST(Evaluate, SpecificityIsThatAtTheThreshold) {
  const Evaluation strict = hundred_rows(0.8);
  EXPECT_DOUBLE_EQ(strict.specificity, 1);
  EXPECT_DOUBLE_EQ(strict.recall, 0);
  EXPECT_TRUE(std::isnan(strict.precision));  // never predicted
  EXPECT_DOUBLE_EQ(strict.f1, 0);
  EXPECT_DOUBLE_EQ(strict.mcc, 0);
}

// R: prop.test(15, 100, correct = FALSE), binom::binom.wilson(35, 40).
TEST(Evaluate, IntervalsOfSharesAreWilsons) {
  const Evaluation e = hundred_rows();
  // (0.15 + z^2/200 -+ z sqrt(0.15 * 0.85 / 100 + z^2 / 40000)) / (1 + z^2 / 100), z^2 = 3.8414588
  EXPECT_NEAR(interval(e, "error").low, 0.0930599, 1e-6);
  EXPECT_NEAR(interval(e, "error").high, 0.2328356, 1e-6);
  EXPECT_NEAR(interval(e, "recall").low, 0.7388788, 1e-6);
  EXPECT_NEAR(interval(e, "recall").high, 0.9454050, 1e-6);
}

// Scores of positives 0.75 (35) and 0.25 (5), negatives 0.75 (10) and 0.25 (50).
// Components: positives (50 + 5) / 60 and 25 / 60, negatives (35 / 2) / 40 and (35 + 5 / 2) / 40.
TEST(Evaluate, IntervalOfTheAreaIsDeLongs) {
  const Evaluation e = hundred_rows();
  const double area = (35 * 55.0 + 5 * 25.0) / 2400;
  EXPECT_DOUBLE_EQ(e.auc, area);
  const auto squares = [&](double n, double value) { return n * (value - area) * (value - area); };
  const double s10 = (squares(35, 55.0 / 60) + squares(5, 25.0 / 60)) / 39;
  const double s01 = (squares(10, 17.5 / 40) + squares(50, 37.5 / 40)) / 59;
  const double half = 1.959963984540054 * std::sqrt(s10 / 40 + s01 / 60);
  EXPECT_NEAR(interval(e, "auc").low, area - half, 1e-12);
  EXPECT_NEAR(interval(e, "auc").high, area + half, 1e-12);
}

// Actual down: a 3 1 0, b 0 2 2, c 1 0 1.
TEST(Evaluate, AveragesOfThreeClassesByHand) {
  std::vector<int32_t> codes;
  std::vector<double> answers;
  const auto add = [&](size_t count, int32_t actual, size_t predicted) {
    for (size_t i = 0; i < count; ++i) {
      codes.push_back(actual);
      for (size_t c = 0; c < 3; ++c) answers.push_back(c == predicted ? 0.5 : 0.25);
    }
  };
  add(3, 0, 0);
  add(1, 0, 1);
  add(2, 1, 1);
  add(2, 1, 2);
  add(1, 2, 0);
  add(1, 2, 2);
  const Evaluation e = evaluated(labelled({"a", "b", "c"}, codes), answers);
  EXPECT_DOUBLE_EQ(e.precision, (3.0 / 4 + 2.0 / 3 + 1.0 / 3) / 3);
  EXPECT_DOUBLE_EQ(e.recall, (3.0 / 4 + 2.0 / 4 + 1.0 / 2) / 3);
  EXPECT_DOUBLE_EQ(e.f1, (6.0 / 8 + 4.0 / 7 + 2.0 / 5) / 3);
  EXPECT_DOUBLE_EQ(e.weighted.f1, (4 * 6.0 / 8 + 4 * 4.0 / 7 + 2 * 2.0 / 5) / 10);
  EXPECT_DOUBLE_EQ(e.specificity, (5.0 / 6 + 5.0 / 6 + 6.0 / 8) / 3);
  // right 6, rows 10, actual 4 4 2, predicted 4 3 3: (60 - 34) / sqrt(64 * 66)
  EXPECT_NEAR(e.mcc, 26 / std::sqrt(64.0 * 66), 1e-15);
}

TEST(Evaluate, UnknownClassIsOneMoreOfTheAverages) {
  const Evaluation e = evaluated(labelled({"no", "yes"}, {0, 1, -1}), {1, 0, 0, 1, 0, 1});
  EXPECT_DOUBLE_EQ(e.precision, 0.5);  // yes was predicted twice
  EXPECT_DOUBLE_EQ(e.recall, 1);
  EXPECT_DOUBLE_EQ(e.specificity, 1);
  EXPECT_DOUBLE_EQ(e.macro.recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(e.macro.specificity, 1);
  // As three classes: right 2, rows 3, actual 1 1 1, predicted 1 2 0.
  EXPECT_NEAR(e.mcc, (2 * 3 - 3) / std::sqrt(6.0 * 4), 1e-15);
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
  for (const auto& [name, of_repeated] : repeated.intervals) {
    EXPECT_NEAR(interval(weighted, name).low, of_repeated.low, 1e-12) << name;
    EXPECT_NEAR(interval(weighted, name).high, of_repeated.high, 1e-12) << name;
  }
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
  EXPECT_EQ(bins[9].rows, 2);
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
  const Table table(schema, 3, {}, Column{Kind::nominal, {}, std::vector<int32_t>{0, 1, 1}, 0}, {});
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

TEST(Evaluate, CalibrationCountsRowsOfUnknownClasses) {
  const Predictions p{2, 2, {0.25, 0.75, 0.25, 0.75}};
  const Table table = labelled({"no", "yes"}, {1, -1});
  const auto bins = calibration(p, table, all_rows(table));
  EXPECT_EQ(bins[7].rows, 2);
  EXPECT_DOUBLE_EQ(bins[7].observed, 0.5);
}

TEST(Evaluate, NothingToEvaluateIsAnError) {
  const Table table = measured({1, 2}, {0, 0});
  const Predictions p{2, 1, {1, 2}};
  EXPECT_THROW(evaluate(p, table, {}, 0), Error);
  EXPECT_THROW(evaluate(p, table, all_rows(table), 0), Error);
}

}  // namespace
}  // namespace softwood
