#include "study/cv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/iris.h"
#include "support/tables.h"

namespace softwood {
namespace {

const std::vector<double>& figure(const CvOutcome& outcome, size_t candidate,
                                  const std::string& name) {
  for (const auto& [known, values] : outcome.candidates[candidate].figures) {
    if (known == name) return values;
  }
  throw std::out_of_range(name);
}

TEST(MeanSd, IsTheSampleStandardDeviation) {
  // 2 4 4 4 5 5 7 9: mean 5, squares 9+1+1+1+0+0+4+16 = 32, sd sqrt(32 / 7).
  const MeanSd known = mean_sd({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(known.mean, 5);
  EXPECT_DOUBLE_EQ(known.sd, std::sqrt(32.0 / 7));
}

TEST(MeanSd, LeavesOutWhatIsNotDefined) {
  const MeanSd some = mean_sd({1, missing_number, 3});
  EXPECT_DOUBLE_EQ(some.mean, 2);
  EXPECT_DOUBLE_EQ(some.sd, std::sqrt(2.0));
  EXPECT_EQ(mean_sd({4}).mean, 4);
  EXPECT_EQ(mean_sd({4}).sd, 0);
  EXPECT_TRUE(std::isnan(mean_sd({}).mean));
  EXPECT_TRUE(std::isnan(mean_sd({missing_number}).sd));
}

// x: 1 … 8; class 1 from 5 on, but row 1 (x = 2) is of class 1, too.
Table tiny() {
  return test::classes_table({test::numbers({1, 2, 3, 4, 5, 6, 7, 8})}, {0, 1, 0, 0, 1, 1, 1, 1});
}

TEST(CrossValidate, GivesTheFiguresWorkedByHand) {
  // Run 0 trains on rows 0 2 5 7 (x 1 3 6 8: 0 0 1 1, cut 4.5) and tests rows 1 3 4 6
  // (x 2 4 5 7: answers 0 0 1 1, truth 1 0 1 1): 1 of 4 wrong.
  // Run 1 trains on rows 1 3 4 6 (x 2 4 5 7: 1 0 1 1) and tests rows 0 2 5 7 (x 1 3 6 8, truth
  // 0 0 1 1). Of the cuts 3, 4.5 and 6 the gini decreases are .375 - .333 = .042, .375 - .25 =
  // .125, .375 - .333; at 4.5 the right side {5, 7} is pure, the left {2: 1, 4: 0} is cut at 3.
  // Answers: x <= 3: 1, up to 4.5: 0, above: 1. So 1 1 1 1: 2 of 4 wrong, three leaves.
  const std::vector<softwood::Run> runs = {{{0, 2, 5, 7}, {}, {1, 3, 4, 6}},
                                           {{1, 3, 4, 6}, {}, {0, 2, 5, 7}}};
  const CvOutcome outcome =
      cross_validate(tiny(), runs, {{"", Recipe::parse("grow")}}, 1, Parallel(1), {});
  ASSERT_EQ(outcome.candidates.size(), 1U);
  EXPECT_EQ(outcome.candidates[0].recipe, "grow");
  EXPECT_EQ(figure(outcome, 0, "error"), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(figure(outcome, 0, "accuracy"), (std::vector<double>{0.75, 0.5}));
  EXPECT_EQ(figure(outcome, 0, "leaves"), (std::vector<double>{2, 3}));
  EXPECT_EQ(figure(outcome, 0, "nodes"), (std::vector<double>{3, 5}));
  EXPECT_EQ(figure(outcome, 0, "depth"), (std::vector<double>{1, 2}));
  // Training majorities: a tie, so class 0 (3 of 4 test rows are not); class 1 (2 of 4 are not).
  EXPECT_EQ(figure(outcome, 0, "majority_error"), (std::vector<double>{0.75, 0.5}));
  // Recalls of run 0: class 0 1/1, class 1 2/3; of run 1: 0/2, 2/2.
  EXPECT_NEAR(figure(outcome, 0, "balanced_accuracy")[0], 5.0 / 6, 1e-12);
  EXPECT_NEAR(figure(outcome, 0, "balanced_accuracy")[1], 0.5, 1e-12);
  EXPECT_EQ(figure(outcome, 0, "fit_seconds").size(), 2U);
  EXPECT_TRUE(outcome.tests.empty());
}

// What a model that was trained on rows without level 2 makes of it: a missing cell.
TEST(CrossValidate, LevelsThatTheTrainingRowsLackCountAsMissing) {
  std::vector<int32_t> levels, unknown, classes;
  std::vector<double> z;
  for (int32_t i = 0; i < 24; ++i) {
    levels.push_back(i < 10 ? 0 : i < 20 ? 1 : 2);
    unknown.push_back(i < 20 ? levels.back() : missing_code);
    classes.push_back((i < 10 ? i % 4 == 0 : i % 5 != 0) ? 1 : 0);
    z.push_back(i % 7);
  }
  std::vector<softwood::Run> runs(1);
  for (RowIndex row = 0; row < 24; ++row) {
    (row < 20 ? runs[0].train : runs[0].test).push_back(row);
  }
  std::vector<std::string> warnings;
  Control control;
  control.warning = [&](const Note& note) { warnings.push_back(note.text()); };
  // Refining gives every level that the schema has a number of its own.
  const auto logloss = [&](std::vector<int32_t> x) {
    const Table table = test::classes_table({test::codes(std::move(x)), test::numbers(z)}, classes);
    const std::vector<Candidate> candidates = {{"", Recipe::parse("grow | refine by=gradient")}};
    return figure(cross_validate(table, runs, candidates, 1, Parallel(1), control), 0, "logloss");
  };
  EXPECT_EQ(logloss(levels), logloss(unknown));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("4 test cells"), std::string::npos) << warnings[0];
}

TEST(CrossValidate, TestsTheDifferenceOfEveryPair) {
  // A stump against a single leaf. Leaf: run 0 answers 0 (a tie of 0 0 1 1): 3 of 4 wrong; run 1
  // answers 1: 2 of 4. Whole tree as above: 1 and 2 of 4. Differences leaf - tree: .5 and 0.
  // Mean .25, sd sqrt(2 * .0625) = .353553; test rows / train rows = 1.
  // t = .25 / (.353553 * sqrt(1/2 + 1)) = .577350; with one degree of freedom
  // p = 2 (1/2 - atan(t) / pi) = 1 - 2 * (pi / 6) / pi = 2/3.
  const std::vector<softwood::Run> runs = {{{0, 2, 5, 7}, {}, {1, 3, 4, 6}},
                                           {{1, 3, 4, 6}, {}, {0, 2, 5, 7}}};
  const CvOutcome outcome = cross_validate(
      tiny(), runs, {{"", Recipe::parse("grow max-depth=0")}, {"", Recipe::parse("grow")}}, 1,
      Parallel(1), {});
  ASSERT_EQ(outcome.tests.size(), 1U);
  EXPECT_EQ(outcome.tests[0].first, 0U);
  EXPECT_EQ(outcome.tests[0].second, 1U);
  EXPECT_DOUBLE_EQ(outcome.tests[0].difference, 0.25);
  EXPECT_NEAR(outcome.tests[0].p, 2.0 / 3, 1e-12);
}

TEST(CrossValidate, TestOfEqualMethodsHasPOne) {
  const Table table = test::iris_table();
  const CvOutcome outcome = cross_validate(table, cross_validation_runs(table, 5, 1, 1),
                                           {{"", Recipe::parse("grow")},
                                            {"", Recipe::parse("grow criterion=gini")},
                                            {"", Recipe::parse("grow max-depth=0")}},
                                           1, Parallel(2), {});
  ASSERT_EQ(outcome.tests.size(), 3U);  // 0-1, 0-2, 1-2
  EXPECT_EQ(outcome.tests[0].p, 1);
  EXPECT_EQ(outcome.tests[0].difference, 0);
  EXPECT_LT(outcome.tests[1].p, 1e-4);
  EXPECT_LT(outcome.tests[1].difference, -0.5);
  EXPECT_EQ(outcome.tests[2].second, 2U);
}

TEST(CrossValidate, TestOfOneRunIsNotDefined) {
  const CvOutcome outcome = cross_validate(
      tiny(), {{{0, 2, 5, 7}, {}, {1, 3, 4, 6}}},
      {{"", Recipe::parse("grow")}, {"", Recipe::parse("grow max-depth=0")}}, 1, Parallel(1), {});
  EXPECT_TRUE(std::isnan(outcome.tests[0].p));
}

TEST(CrossValidate, OfNumbersComparesSquaredErrors) {
  // Trained on x 1 2 8 9 with targets 0 0 10 10, cut 5: answers 0 and 10. Tested on x 3 (truth 2)
  // and 7 (truth 9): squared errors 4 and 1. Mean of the tests 5.5, variance 12.25.
  const Table table =
      test::numbers_table({test::numbers({1, 2, 8, 9, 3, 7})}, {0, 0, 10, 10, 2, 9});
  const CvOutcome outcome = cross_validate(
      table, {{{0, 1, 2, 3}, {}, {4, 5}}, {{0, 1, 2, 3}, {}, {4, 5}}},
      {{"", Recipe::parse("grow")}, {"", Recipe::parse("grow max-depth=0")}}, 1, Parallel(1), {});
  EXPECT_DOUBLE_EQ(figure(outcome, 0, "mse")[0], 2.5);
  EXPECT_DOUBLE_EQ(figure(outcome, 0, "rmse")[0], std::sqrt(2.5));
  EXPECT_DOUBLE_EQ(figure(outcome, 0, "mae")[0], 1.5);
  EXPECT_NEAR(figure(outcome, 0, "nmse")[0], 2.5 / 12.25, 1e-12);
  EXPECT_NEAR(figure(outcome, 0, "r2")[0], 1 - 2.5 / 12.25, 1e-12);
  // The leaf answers 5: squared errors 9 and 16. Both runs alike: no doubt about the difference.
  EXPECT_DOUBLE_EQ(outcome.tests[0].difference, 2.5 - 12.5);
  EXPECT_EQ(outcome.tests[0].p, 0);
}

TEST(CrossValidate, LetsTheRunsValidationRowsChoose) {
  // Validation rows say that the split of the training rows is wrong: it is pruned.
  const Table table =
      test::classes_table({test::numbers({1, 2, 3, 1, 3, 3, 1, 3})}, {0, 0, 1, 0, 0, 0, 0, 1});
  const softwood::Run with{{0, 1, 2}, {3, 4, 5}, {6, 7}};
  const CvOutcome outcome = cross_validate(
      table, {with}, {{"", Recipe::parse("grow | prune rule=min")}}, 1, Parallel(1), {});
  EXPECT_EQ(figure(outcome, 0, "nodes"), (std::vector<double>{1}));
  EXPECT_EQ(figure(outcome, 0, "error"), (std::vector<double>{0.5}));
}

TEST(CrossValidate, DoesNotDependOnThreads) {
  const Table table = test::iris_table();
  const auto runs = cross_validation_runs(table, 10, 2, 7);
  const std::vector<Candidate> candidates = {{"cart", Recipe::parse("grow | prune")},
                                             {"", Recipe::parse("grow search=binned")}};
  const CvOutcome one = cross_validate(table, runs, candidates, 7, Parallel(1), {});
  const CvOutcome two = cross_validate(table, runs, candidates, 7, Parallel(2), {});
  for (size_t c = 0; c < 2; ++c) {
    for (const char* name : {"error", "logloss", "brier", "nodes"}) {
      EXPECT_EQ(figure(one, c, name), figure(two, c, name));
    }
    EXPECT_EQ(figure(one, c, "error").size(), 20U);
    EXPECT_LT(mean_sd(figure(one, c, "error")).mean, 0.08);
  }
  EXPECT_EQ(one.tests[0].p, two.tests[0].p);
}

// Three rows of class 0 and one of class 1 train, so with these priors the leaf answers 0.4 and
// 0.6. Were the test rows counted, too, the one row of class 1 would weigh a fifth of that.
TEST(CrossValidate, CountsClassesByTheTrainingRowsAlone) {
  const Table table =
      test::classes_table({test::numbers({1, 1, 1, 1, 1, 1, 1, 1})}, {0, 0, 0, 1, 1, 1, 1, 1});
  const std::vector<softwood::Run> runs = {{{0, 1, 2, 3}, {}, {4, 5, 6, 7}}};
  const CvOutcome outcome = cross_validate(table, runs, {{"", Recipe::parse("grow")}}, 1,
                                           Parallel(1), {}, {{{}, {0.4, 0.6}}, {}});
  EXPECT_EQ(figure(outcome, 0, "error"), (std::vector<double>{0}));
  EXPECT_NEAR(figure(outcome, 0, "logloss")[0], -std::log(0.6), 1e-12);
}

// Rows (x, level, y) of which each counts one to three times: by its weight, or by copies in
// another order.
Table repeated_rows(bool copies, bool numbers) {
  std::vector<double> x, y, weights;
  std::vector<int32_t> level, of_class;
  const auto add = [&](size_t i, double weight) {
    x.push_back(i % 7 == 0 ? missing_number : static_cast<double>(i * i % 101));
    level.push_back(static_cast<int32_t>(i % 3));
    y.push_back(0.1 * static_cast<double>(i * i % 101 + 3 * (i % 5)));
    of_class.push_back(i * i % 101 + i % 20 > 60 ? 1 : 0);
    weights.push_back(weight);
  };
  constexpr size_t rows = 90;
  for (size_t i = 0; i < rows; ++i) {
    if (!copies) add(i, static_cast<double>(1 + i % 3));
  }
  for (size_t turn = 0; copies && turn < 3; ++turn) {
    for (size_t i = rows; i-- > 0;) {
      if (turn <= i % 3) add(i, 1);
    }
  }
  std::vector<Column> inputs = {test::numbers(x), test::codes(level)};
  if (copies) weights.clear();
  return numbers ? test::numbers_table(std::move(inputs), y, weights)
                 : test::classes_table(std::move(inputs), of_class, weights);
}

TEST(CrossValidate, GivesTheSameFiguresForCopiesAndWeightsInAnyOrder) {
  for (const bool numbers : {false, true}) {
    std::vector<CvOutcome> outcomes;
    for (const bool copies : {false, true}) {
      const Table table = rows_for_folds(repeated_rows(copies, numbers), 5, Parallel(1));
      outcomes.push_back(cross_validate(
          table, cross_validation_runs(table, 5, 2, 1),
          {{"", Recipe::parse("grow | prune rule=min")}, {"", Recipe::parse("grow max-depth=3")}},
          1, Parallel(1), {}));
    }
    for (size_t c = 0; c < 2; ++c) {
      const auto &ours = outcomes[0].candidates[c].figures,
                 &theirs = outcomes[1].candidates[c].figures;
      ASSERT_EQ(ours.size(), theirs.size());
      for (size_t f = 0; f < ours.size(); ++f) {
        if (ours[f].first == "fit_seconds") continue;
        ASSERT_EQ(ours[f].second.size(), theirs[f].second.size());
        for (size_t run = 0; run < ours[f].second.size(); ++run) {
          const double a = ours[f].second[run], b = theirs[f].second[run];
          EXPECT_TRUE(a == b || (a != a && b != b)) << ours[f].first << ", run " << run;
        }
      }
    }
  }
}

}  // namespace
}  // namespace softwood
