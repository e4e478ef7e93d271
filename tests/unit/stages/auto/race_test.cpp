// What the race judges, drops and keeps time for.
#include "stages/auto/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <stdexcept>

#include "base/random.h"
#include "data/canonical.h"
#include "softwood/error.h"
#include "stages/auto/constants.h"
#include "stages/recipe.h"
#include "stages/unsuitable.h"
#include "support/tables.h"

namespace softwood::choice {
namespace {

// A context, with what it refers to.
struct Ground {
  explicit Ground(const Table& table) : derived(table), rows(all_rows(table)) {}

  Derived derived;
  std::vector<RowIndex> rows;
  Options options = {};
  Parallel parallel = Parallel(1);
  Control control = {};
  StageReport report = {};

  Context context() {
    return {derived, false,  rows, {std::nullopt, report.validation_used}, options, 1, parallel,
            control, report, {}};
  }
};

// Three steps, of which each is half as high as the one before it, and two inputs beside them.
Table steps(size_t rows) {
  Random random(7, "steps");
  std::vector<std::vector<double>> inputs(5, std::vector<double>(rows));
  std::vector<double> y(rows);
  for (size_t i = 0; i < rows; ++i) {
    for (std::vector<double>& input : inputs) input[i] = random.uniform();
    y[i] = 4.0 * (inputs[0][i] > 0.5) + 2.0 * (inputs[1][i] > 0.5) + 1.0 * (inputs[2][i] > 0.5) +
           0.3 * random.normal();
  }
  std::vector<Column> columns;
  for (std::vector<double>& input : inputs) columns.push_back(test::numbers(std::move(input)));
  return test::numbers_table(std::move(columns), std::move(y));
}

// A tree of eight leaves beats all that have four, and may not be taken.
TEST(Race, WhatBreaksTheLimitsDropsNothingThatKeepsThem) {
  const Table table = steps(600);
  Ground ground(table);
  const Context context = ground.context();
  const Field field = field_of(context, Metric::mse);
  Wanted wanted;
  wanted.limits.leaves = 4;
  const std::vector<Candidate> candidates = {
      {"grow max-leaves=1", Effort::quick},
      {"grow max-leaves=8 min-leaf=10", Effort::quick},
      {"grow max-leaves=4 min-leaf=10 leaf=ridge", Effort::quick}};
  Race race(field, candidates, wanted);
  race.run();
  const Entrant& large = race.all()[1];
  const Entrant& allowed = race.all()[2];
  ASSERT_LT(large.figures.parameters, allowed.figures.parameters);
  EXPECT_FALSE(allowed.dropped);
  EXPECT_EQ(allowed.judged, 2U);

  Race free(field, candidates, {});
  free.run();
  EXPECT_TRUE(free.all()[2].dropped);
}

TEST(Race, KeepsTimeForWhatWouldBeTaken) {
  const Table table = steps(600);
  Ground ground(table);
  ground.control.deadline = Control::Clock::now() + std::chrono::hours(1);
  const Context context = ground.context();
  const Field field = field_of(context, Metric::mse);
  const std::vector<Candidate> candidates = {{"grow max-leaves=1", Effort::quick},
                                             {"grow max-leaves=2 min-leaf=10", Effort::quick},
                                             {"grow max-leaves=16 min-leaf=10", Effort::quick}};
  const auto reserved = [&](const Wanted& wanted, size_t taken) {
    Race race(field, candidates, wanted);
    race.run();
    return race.reserved() / (Constants::reserve * race.expected_seconds(race.all()[taken]));
  };
  EXPECT_DOUBLE_EQ(reserved({}, 2), 1);
  Wanted small;
  small.limits.leaves = 2;
  EXPECT_DOUBLE_EQ(reserved(small, 1), 1);  // the least loss of all is not allowed
}

// Trees that are distilled from the same rows share what they learn from; a last fit has to make
// it.
TEST(Race, SharedWorkCountsForAllWhoUseIt) {
  const Table table = steps(400);
  Ground ground(table);
  const Context context = ground.context();
  const SharedWork::Keeper keeper(ground.derived.shared_work());
  const auto seconds = [&](const char* recipe) {
    return fit_recipe(context, recipe, ground.rows, ground.control)->seconds;
  };
  const double first = seconds("grow-distilled max-leaves=4");
  const auto start = Control::Clock::now();
  const double second = seconds("grow-distilled max-leaves=5");
  const double elapsed = std::chrono::duration<double>(Control::Clock::now() - start).count();
  EXPECT_GT(first, 0);
  EXPECT_GT(second, elapsed);
}

TEST(Race, ALastFitThatWasCutShortIsNotWhatWasJudged) {
  const Table table = steps(300);
  Ground ground(table);
  const Context context = ground.context();
  const Field field = field_of(context, Metric::mse);
  Race race(field, {{"grow max-leaves=1", Effort::quick}, {"grow max-leaves=8", Effort::quick}},
            {});
  race.run();
  const auto fitted = [&](const char* recipe, bool cut_short) {
    std::optional<Fitted> fit = fit_recipe(context, recipe, ground.rows, ground.control);
    fit->cut_short = cut_short;
    return std::move(*fit);
  };
  EXPECT_EQ(race.judged().parts, 2U);
  EXPECT_EQ(race.judged_by_first().parts, 1U);  // what a stop leaves
  const Entrant& judged = race.all()[1];
  EXPECT_LT(loss_on_first_part(field, fitted("grow max-leaves=8", true).tree),
            loss_on_first_part(field, fitted("grow max-leaves=2", true).tree));
  EXPECT_TRUE(is_less_than_judged(field, judged, fitted("grow max-leaves=2", true)));
  EXPECT_FALSE(is_less_than_judged(field, judged, fitted("grow max-leaves=8", true)));
  EXPECT_FALSE(is_less_than_judged(field, judged, fitted("grow max-leaves=2", false)));
}

// Rows with two nominal inputs and two classes, as copies in this order or another, or as weights.
Table copies(bool weights, bool backwards) {
  std::vector<int32_t> a, b, classes;
  std::vector<double> weight;
  for (int32_t i = 0; i < 8; ++i) {
    const int32_t cell = backwards ? 7 - i : i;
    const size_t count = 100 + 17 * static_cast<size_t>(cell);
    for (size_t copy = 0; copy < (weights ? 1 : count); ++copy) {
      a.push_back(cell / 4);
      b.push_back(cell / 2 % 2);
      classes.push_back(cell % 2);
      if (weights) weight.push_back(static_cast<double>(count));
    }
  }
  return test::classes_table({test::codes(a), test::codes(b)}, classes, weight);
}

TEST(Race, CountsCopiesOfRowsWhetherMergedOrNot) {
  const size_t all = 8 * 100 + 17 * 28;
  std::vector<Frontier> found;
  for (const bool weights : {false, true}) {
    for (const bool backwards : {false, true}) {
      const Table plain = copies(weights, backwards);
      const Parallel parallel(1);
      const Table table = canonical_table(plain, all_rows(plain), 10, parallel);
      ASSERT_EQ(table.rows(), 80U);
      Derived derived(table);
      const std::vector<RowIndex> rows = all_rows(table);
      const Trained trained = run_recipe(Recipe::parse("auto hard=yes metric=error max-leaves=4"),
                                         {derived, rows, {}, 1}, parallel, {});
      found.push_back(*trained.report.frontier);
    }
  }
  // With 1000 rows or more one of three parts judges.
  EXPECT_NEAR(static_cast<double>(found[0].rows), static_cast<double>(all) / 3, 60);
  const double share = found[0].estimate;
  const double error = std::sqrt(share * (1 - share) / static_cast<double>(found[0].rows));
  EXPECT_LT(found[0].standard_error, 2 * error);
  for (const Frontier& other : found) EXPECT_EQ(other, found[0]);
}

// One number beyond what can be squared: no tree can be grown from it.
TEST(Race, AnErrorOfTheRowsIsPassedOn) {
  Random random(1, "huge");
  std::vector<double> x(200), y(200);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = random.uniform();
    y[i] = random.uniform();
  }
  y[10] = 1e200;
  const Table table = test::numbers_table({test::numbers(x)}, y);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  try {
    run_recipe(Recipe::parse("auto max-leaves=4"), {derived, rows, {}, 1}, Parallel(1), {});
    FAIL() << "a tree of such rows";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

TEST(Unsuitable, IsAnErrorOrALackOfMemory) {
  const auto why = [](const auto& failing) {
    try {
      failing();
    } catch (...) {
      return why_unsuitable();
    }
    return std::string();
  };
  EXPECT_EQ(why([] { throw Error(ErrorKind::data, "no classes"); }), "no classes");
  EXPECT_EQ(why([] { throw std::bad_alloc(); }), "there is not memory enough");
  EXPECT_EQ(why([] { throw std::length_error("vector"); }), "there is not memory enough");
  EXPECT_THROW(why([] { throw std::logic_error("a defect"); }), std::logic_error);
}

TEST(Candidates, HoldNoMoreCellsThanTheLastFitMay) {
  // As many rows as are judged may hold all levels; all of these rows may not.
  std::vector<int32_t> levels(60000), classes(60000);
  for (size_t i = 0; i < levels.size(); ++i) {
    levels[i] = static_cast<int32_t>(i % 900);
    classes[i] = static_cast<int32_t>(i % 2);
  }
  const Table table = test::classes_table({test::codes(levels)}, classes);
  const std::vector<Candidate> list = candidates_for({&table, all_rows(table)}, {}, true);
  const auto has = [&](const char* text) {
    return std::any_of(list.begin(), list.end(), [&](const Candidate& candidate) {
      return candidate.recipe.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("grow-distilled"));
  EXPECT_FALSE(has("grow-soft"));
}

// Splits about squares, products and mapped values are no sums of inputs.
TEST(TreeFigures, MappedInputsCantBeRead) {
  const Table table = test::random_table({.rows = 120, .classes = 2}, 3);
  Ground ground(table);
  const Context context = ground.context();
  for (const auto& [recipe, plain] :
       {std::pair{"grow max-leaves=4", true},
        {"grow split=quadratic max-leaves=2", false},
        {"grow-soft shape=full depth=1 folds=2 members=1 leaves=constant map=asinh", false}}) {
    SCOPED_TRACE(recipe);
    const std::optional<Fitted> fit = fit_recipe(context, recipe, ground.rows, ground.control);
    TreeFigures figures = figures_of(fit->tree);
    EXPECT_EQ(figures.plain_terms, plain);
    figures.inputs_per_split = 2;
    EXPECT_EQ(is_readable(figures, 2), plain);
  }
}

}  // namespace
}  // namespace softwood::choice
