// The whole choice on small tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>

#include "base/random.h"
#include "softwood/error.h"
#include "stages/auto/candidates.h"
#include "stages/auto/constants.h"
#include "stages/auto/race.h"
#include "stages/recipe.h"
#include "support/iris.h"
#include "support/tables.h"

namespace softwood::choice {
namespace {

struct Outcome {
  Trained trained;
  std::vector<std::string> notes;
};

Outcome run(const Table& table, const std::string& recipe, uint64_t seed = 1, int threads = 2,
            std::optional<Sample> validation = {}) {
  Outcome outcome{{Tree(Task::classification, 2), {}, {}}, {}};
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  Control control;
  control.note = [&](const Note& note) { outcome.notes.push_back(note.text()); };
  outcome.trained = run_recipe(Recipe::parse(recipe), {derived, rows, validation, seed},
                               Parallel(threads), control);
  return outcome;
}

// Classes by chance.
Table noise(size_t rows) {
  Random random(3, "noise");
  std::vector<double> a(rows), b(rows);
  std::vector<int32_t> classes(rows);
  for (size_t i = 0; i < rows; ++i) {
    a[i] = random.uniform();
    b[i] = random.uniform();
    classes[i] = random.uniform() < 0.5 ? 1 : 0;
  }
  return test::classes_table({test::numbers(a), test::numbers(b)}, classes);
}

// A step of one input, which a threshold tells exactly.
Table step(size_t rows) {
  Random random(4, "step");
  std::vector<double> a(rows), b(rows), y(rows);
  for (size_t i = 0; i < rows; ++i) {
    a[i] = random.uniform();
    b[i] = random.uniform();
    y[i] = (a[i] < 0.4 ? 1.0 : 5.0) + 0.1 * random.uniform();
  }
  return test::numbers_table({test::numbers(a), test::numbers(b)}, y);
}

TEST(Auto, SaysWhatItDidAndKeepsTheFrontier) {
  const Outcome outcome = run(test::iris_table(), "auto hard=yes");
  ASSERT_TRUE(outcome.trained.report.frontier);
  const Frontier& frontier = *outcome.trained.report.frontier;
  EXPECT_EQ(frontier.metric, "logloss");
  EXPECT_EQ(frontier.rows, 100U);
  ASSERT_GE(frontier.points.size(), 2U);
  double before = 1e9;
  for (const FrontierPoint& point : frontier.points) {
    if (point.dominated) continue;
    EXPECT_LT(point.loss, before);
    before = point.loss;
    EXPECT_TRUE(point.hard);
  }
  EXPECT_LT(frontier.estimate, 0.12);
  ASSERT_EQ(outcome.notes.size(), 3U);
  EXPECT_NE(outcome.notes[0].find("judged by 100 rows in 2 parts"), std::string::npos);
}

TEST(Auto, IsTheSameOnAnyNumberOfThreads) {
  const Table table = test::iris_table();
  const Outcome one = run(table, "auto", 5, 1), two = run(table, "auto", 5, 2);
  EXPECT_EQ(*one.trained.report.frontier, *two.trained.report.frontier);
}

TEST(Auto, FindsAStep) {
  const Outcome outcome = run(step(200), "auto prefer=balanced");
  EXPECT_EQ(shape_of(outcome.trained.tree).leaves, 2U);
  EXPECT_LT(outcome.trained.report.frontier->estimate, 0.05);
}

// A line through all rows: a regression is all that there is to learn.
TEST(Auto, SaysThatASingleLeafWithAModelIsNoTree) {
  Random random(5, "line");
  std::vector<double> a(120), b(120), y(120);
  for (size_t i = 0; i < y.size(); ++i) {
    a[i] = random.uniform();
    b[i] = random.uniform();
    y[i] = 3 * a[i] - 2 * b[i] + 0.01 * random.uniform();
  }
  const Table table = test::numbers_table({test::numbers(a), test::numbers(b)}, y);
  const Outcome outcome = run(table, "auto prefer=balanced");
  ASSERT_EQ(shape_of(outcome.trained.tree).leaves, 1U);
  EXPECT_NE(outcome.notes[1].find("a regression, not a tree"), std::string::npos)
      << outcome.notes[1];
  // It has no path, and asks about both inputs.
  for (const char* limit : {"hard=yes", "inputs-per-split=1"}) {
    SCOPED_TRACE(limit);
    const TreeFigures limited =
        figures_of(run(table, std::string("auto prefer=balanced ") + limit).trained.tree);
    EXPECT_FALSE(is_only_a_regression(limited));
    if (std::string_view(limit) != "hard=yes") {
      EXPECT_EQ(limited.inputs_per_split, 1U);
    }
  }
}

// What a tighter limit tries, a looser one tries as well.
TEST(Candidates, LimitsAddNone) {
  const Table table = test::random_table({.rows = 4000, .classes = 2}, 3);
  const std::vector<RowIndex> rows = all_rows(table);
  for (const bool probabilities : {false, true}) {
    std::vector<std::string> free;
    for (const Candidate& one : candidates_for({&table, rows}, {}, probabilities)) {
      free.push_back(one.recipe);
    }
    std::vector<Limits> limits(6);
    limits[0].leaves = 5;
    limits[1].leaves = 100;
    limits[2].inputs_per_split = 1;
    limits[3].inputs_per_split = 4;
    limits[4].hard = true;
    limits[5].parameters = 20;
    for (size_t i = 0; i < limits.size(); ++i) {
      SCOPED_TRACE(i);
      const std::vector<Candidate> list = candidates_for({&table, rows}, limits[i], probabilities);
      EXPECT_GT(list.size(), 5U);
      for (const Candidate& one : list) {
        EXPECT_NE(std::find(free.begin(), free.end(), one.recipe), free.end()) << one.recipe;
      }
    }
  }
}

// A share of 0 has an infinite log-loss.
TEST(Candidates, LeavesOfClassesAreNeverPlainShares) {
  const Table table = test::random_table({.rows = 400, .classes = 2}, 3);
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<Candidate> list = candidates_for({&table, rows}, {}, true);
  for (size_t i = 1; i < list.size(); ++i) {
    if (!list[i].recipe.starts_with("grow ")) continue;
    EXPECT_NE(list[i].recipe.find(" leaf="), std::string::npos) << list[i].recipe;
  }
}

TEST(Auto, ExpectsNothingOfNoise) {
  const Outcome outcome = run(noise(300), "auto metric=error");
  const Frontier& frontier = *outcome.trained.report.frontier;
  EXPECT_NEAR(frontier.estimate, 0.5, 2 * frontier.standard_error);
}

TEST(Auto, SaysWhereItMayBeNoBetterThanASingleLeaf) {
  size_t said = 0, silent = 0;
  for (size_t rows = 60; rows <= 140; rows += 10) {
    const Outcome outcome = run(noise(rows), "auto hard=yes max-leaves=8 metric=error");
    const Frontier& frontier = *outcome.trained.report.frontier;
    const bool no_better =
        outcome.trained.tree.size() > 1 && frontier.expected_loss->value >= frontier.baseline;
    const bool says =
        outcome.notes.back().find("no better than a single leaf") != std::string::npos;
    EXPECT_EQ(says, no_better);
    ++(says ? said : silent);
  }
  EXPECT_GT(said, 0U);
  EXPECT_GT(silent, 0U);
}

TEST(Auto, KeepsLimits) {
  const Table table = test::iris_table();
  for (const char* limit :
       {"max-leaves=3", "max-parameters=12", "inputs-per-split=1", "hard=yes"}) {
    SCOPED_TRACE(limit);
    const Outcome outcome = run(table, std::string("auto ") + limit);
    const TreeFigures figures = figures_of(outcome.trained.tree);
    Limits limits;
    if (std::string_view(limit) == "max-leaves=3") limits.leaves = 3;
    if (std::string_view(limit) == "max-parameters=12") limits.parameters = 12;
    if (std::string_view(limit) == "inputs-per-split=1") limits.inputs_per_split = 1;
    limits.hard = std::string_view(limit) == "hard=yes";
    EXPECT_TRUE(within_limits(figures, limits)) << figures.parameters << " " << figures.leaves;
  }
}

TEST(Auto, ReadableTreesCanBeRead) {
  const Outcome outcome = run(test::iris_table(), "auto prefer=readable");
  EXPECT_TRUE(is_readable(figures_of(outcome.trained.tree), 3));
}

// A sum of eight inputs is a regression of nine numbers, which nobody may read as a tree: larger
// trees that people can read stay in the race.
TEST(Auto, ReadableTreesAreNotDroppedForOthers) {
  Random random(5, "sum");
  std::vector<std::vector<double>> inputs(8, std::vector<double>(400));
  std::vector<int32_t> classes(400);
  for (size_t i = 0; i < classes.size(); ++i) {
    double sum = 0;
    for (std::vector<double>& input : inputs) sum += input[i] = random.normal();
    classes[i] = sum > 0 ? 1 : 0;
  }
  std::vector<Column> columns;
  for (std::vector<double>& input : inputs) columns.push_back(test::numbers(std::move(input)));
  const Outcome outcome =
      run(test::classes_table(std::move(columns), classes), "auto prefer=readable");
  const TreeFigures figures = figures_of(outcome.trained.tree);
  EXPECT_TRUE(is_readable(figures, 2));
  EXPECT_GT(figures.parameters, 9U);
}

TEST(Auto, TakesCartWhereThereAreTooFewRows) {
  const Table table = test::random_table({.rows = 40, .classes = 2}, 1);
  const Outcome outcome = run(table, "auto");
  EXPECT_FALSE(outcome.trained.report.frontier);
  ASSERT_FALSE(outcome.notes.empty());
  EXPECT_NE(outcome.notes[0].find("too few"), std::string::npos);
}

TEST(Auto, JudgesByValidationRowsWhereThereAreSome) {
  const Table table = test::iris_table();
  const std::vector<RowIndex> all = all_rows(table);
  const Outcome outcome = run(table, "auto hard=yes", 1, 2, Sample{&table, all});
  EXPECT_TRUE(outcome.trained.report.validation_used);
  EXPECT_EQ(outcome.trained.report.frontier->rows, 150U);
}

TEST(Auto, SaysThatErrorsCostOneWhereNoCostsAreGiven) {
  const Outcome outcome = run(noise(60), "auto metric=cost max-leaves=2 hard=yes");
  ASSERT_FALSE(outcome.notes.empty());
  EXPECT_NE(outcome.notes[0].find("every error costs 1"), std::string::npos) << outcome.notes[0];
}

TEST(Auto, RefusesAMetricOfTheOtherTask) { EXPECT_THROW(run(step(60), "auto metric=auc"), Error); }

// A run that is interrupted when it has asked so often.
Trained interrupted_after(const Table& table, const std::string& recipe, int asks,
                          const Checkpoint* checkpoint = nullptr) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  Control control;
  std::atomic<int> left = asks;
  control.interrupt = [&] { return --left < 0; };
  Training training{derived, rows, {}, 1};
  training.checkpoint = checkpoint;
  return run_recipe(Recipe::parse(recipe), training, Parallel(1), control);
}

// Told to stop at some point: a tree fitted to all rows, or none.
TEST(Auto, LeavesATreeOfAllRowsOrNoneWhenItIsStopped) {
  const Table table = test::iris_table();
  size_t none = 0, some = 0;
  for (const int asks : {1, 300, 3000, 30000}) {
    SCOPED_TRACE(asks);
    const Trained trained = interrupted_after(table, "auto", asks);
    ASSERT_EQ(trained.report.stopped, Stopped::interrupt);
    if (trained.report.part_of_rows) {
      ++none;
      continue;
    }
    ++some;
    EXPECT_EQ(trained.tree.weight(0), 150);
    EXPECT_GT(trained.tree.size(), 1U);
  }
  EXPECT_GT(none, 0U);
  EXPECT_GT(some, 0U);
}

// What an interrupt leaves is within the limits, and can be read where that is preferred.
TEST(Auto, WhatAStopLeavesIsWhatIsWanted) {
  const Table table = test::random_table({.rows = 300, .classes = 2}, 3);
  for (const char* options : {"max-parameters=20", "prefer=readable"}) {
    size_t left = 0;
    for (const int asks : {1000, 3000, 10000, 30000}) {
      SCOPED_TRACE(std::string(options) + " " + std::to_string(asks));
      const Trained trained = interrupted_after(table, std::string("auto ") + options, asks);
      if (trained.report.stopped == Stopped::converged || trained.report.part_of_rows) continue;
      ++left;
      const TreeFigures figures = figures_of(trained.tree);
      if (std::string_view(options) == "prefer=readable") {
        EXPECT_TRUE(is_readable(figures, 2)) << figures.leaves;
      } else {
        EXPECT_LE(figures.parameters, 20U);
      }
    }
    EXPECT_GT(left, 0U) << options;
  }
}

TEST(Auto, GoesOnFromACheckpointAsIfNothingHadHappened) {
  const Table table = test::iris_table();
  const std::string recipe = "auto hard=yes max-leaves=4";
  Bytes state;
  const Checkpoint first{{}, [&](const Bytes& bytes) { state = bytes; }};
  const Trained part = interrupted_after(table, recipe, 500, &first);
  EXPECT_EQ(part.report.stopped, Stopped::interrupt);
  ASSERT_FALSE(state.empty());
  const Checkpoint second{state, [](const Bytes&) {}};
  const Trained rest = interrupted_after(table, recipe, 1 << 30, &second);
  const Outcome whole = run(table, recipe);
  EXPECT_EQ(*rest.report.frontier, *whole.trained.report.frontier);
  EXPECT_EQ(rest.tree.answers(), whole.trained.tree.answers());
}

TEST(Auto, RefusesALimitThatNoTreeKeeps) {
  const Table table = test::iris_table();
  try {
    run(table, "auto max-parameters=2");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("a single leaf has 3 parameters"), std::string::npos)
        << error.what();
  }
  const Outcome least = run(table, "auto max-parameters=3");
  EXPECT_EQ(shape_of(least.trained.tree).leaves, 1U);
}

// A run in which memory runs out once: when it has asked so often whether to stop, counted from
// the beginning or from the last fit.
struct ShortOfMemory {
  Trained trained;
  std::vector<std::string> notes;
};
ShortOfMemory short_of_memory_after(const Table& table, int asks, bool in_last_fit) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  std::atomic<int> left = asks;
  std::atomic<bool> counts = !in_last_fit;
  std::vector<std::string> notes;
  Control control;
  control.note = [&](const Note& note) { notes.push_back(note.text()); };
  control.progress = [&](const Progress& now) {
    if (now.activity == "auto: last fit") counts = true;
  };
  control.interrupt = [&]() -> bool {
    if (counts && --left == 0) throw std::bad_alloc();
    return false;
  };
  Trained trained = run_recipe(Recipe::parse("auto hard=yes max-leaves=4"), {derived, rows, {}, 1},
                               Parallel(1), control);
  return {std::move(trained), std::move(notes)};
}

TEST(Auto, ACandidateWithoutMemoryEnoughDoesNotSuit) {
  for (const int asks : {5, 100, 1000}) {
    SCOPED_TRACE(asks);
    const ShortOfMemory run = short_of_memory_after(test::iris_table(), asks, false);
    EXPECT_EQ(run.trained.report.stopped, Stopped::converged);
    EXPECT_GT(run.trained.report.frontier->points.size(), 1U);
  }
}

TEST(Auto, TakesTheNextBestWhereTheBestCantBeFittedToAllRows) {
  const Table table = test::iris_table();
  const Outcome whole = run(table, "auto hard=yes max-leaves=4");
  const ShortOfMemory other = short_of_memory_after(table, 1, true);
  const auto says = [](const std::string& note) {
    return note.find("can't be fitted to all rows") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(other.notes.begin(), other.notes.end(), says));
  const Frontier& best = *whole.trained.report.frontier;
  const Frontier& next = *other.trained.report.frontier;
  EXPECT_EQ(other.trained.report.stopped, Stopped::converged);
  EXPECT_NE(next.points[next.chosen].recipe, best.points[best.chosen].recipe);
}

TEST(Auto, ABudgetLeavesWhatWasFittedToAllRows) {
  const Table table = test::iris_table();
  const Outcome grown = run(table, "grow");
  const Tree& tree = grown.trained.tree;
  StageReport report;
  EXPECT_TRUE(is_result(tree, report));
  report.stopped = Stopped::budget;
  EXPECT_TRUE(is_result(tree, report));
  EXPECT_FALSE(is_result(Tree(Task::classification, 3), report));
  report.part_of_rows = true;
  EXPECT_FALSE(is_result(tree, report));
  report = {};
  report.stopped = Stopped::interrupt;
  EXPECT_FALSE(is_result(tree, report));
  // As much time per row is left for the last fit.
  EXPECT_DOUBLE_EQ(share_of_time(200, 300), 0.4);
  EXPECT_DOUBLE_EQ(share_of_time(1000, 1000000), Constants::least_share_of_time);
}

// However fast the machine is: what time had a part in is said to be stopped.
TEST(Auto, IsTheSameUnderABudgetThatChangedNothing) {
  const Table table = test::random_table({.rows = 150, .classes = 2}, 3);
  const Outcome whole = run(table, "auto max-leaves=4", 1, 1);
  const std::vector<RowIndex> rows = all_rows(table);
  for (const int milliseconds : {100, 1000, 2500}) {
    SCOPED_TRACE(milliseconds);
    Derived derived(table);
    Control control;
    control.deadline = Control::Clock::now() + std::chrono::milliseconds(milliseconds);
    const Trained trained = run_recipe(Recipe::parse("auto max-leaves=4"), {derived, rows, {}, 1},
                                       Parallel(1), control);
    if (trained.report.stopped == Stopped::converged) {
      EXPECT_EQ(*trained.report.frontier, *whole.trained.report.frontier);
    } else if (!trained.report.part_of_rows) {
      EXPECT_NEAR(trained.tree.weight(0), 150, 1e-9);  // soft: shares of rows are added up
      EXPECT_GT(trained.tree.size(), 1U);
    }
  }
}

// Two groups with one answer each, which every tree of two leaves tells apart: of trees that are
// equally good and equally small the first is taken, which is the pruned one of cart.
Table two_groups(size_t rows) {
  Random random(6, "groups");
  std::vector<double> a(rows), b(rows), y(rows);
  for (size_t i = 0; i < rows; ++i) {
    a[i] = random.uniform() + (i % 2 == 0 ? 0 : 2);
    b[i] = random.uniform();
    y[i] = i % 2 == 0 ? 1 : 5;
  }
  return test::numbers_table({test::numbers(a), test::numbers(b)}, y);
}

// Of the tree that is taken, whether or not the race has fitted it to all rows.
TEST(Auto, KeepsThePruningSequenceOfTheTreeThatItTakes) {
  const Table table = two_groups(200);
  const std::vector<RowIndex> all = all_rows(table);
  for (const bool validates : {false, true}) {
    SCOPED_TRACE(validates);
    const std::optional<Sample> validation =
        validates ? std::optional(Sample{&table, all}) : std::nullopt;
    const Outcome outcome = run(table, "auto hard=yes inputs-per-split=1", 1, 2, validation);
    const Frontier& frontier = *outcome.trained.report.frontier;
    const std::string& recipe = frontier.points[frontier.chosen].recipe;
    ASSERT_NE(recipe.find("prune"), std::string::npos) << recipe;
    EXPECT_TRUE(outcome.trained.report.complexity);
  }
}

TEST(Auto, DividesRowsWhereNoValidationRowHasATarget) {
  const Table table = step(120);
  const Table unknown = test::numbers_table({test::numbers({1, 2}), test::numbers({1, 2})},
                                            {missing_number, missing_number});
  const std::vector<RowIndex> rows = all_rows(unknown);
  const Outcome outcome = run(table, "auto hard=yes max-leaves=2", 1, 2, Sample{&unknown, rows});
  ASSERT_TRUE(outcome.trained.report.frontier);
  EXPECT_EQ(outcome.trained.report.frontier->rows, 80U);
  EXPECT_NE(outcome.notes[0].find("no validation row has a known target"), std::string::npos)
      << outcome.notes[0];
}

TEST(Auto, ReportsTheFrontierAsItGrows) {
  const Table table = step(120);
  const std::vector<RowIndex> rows = all_rows(table);
  Derived derived(table);
  Control control;
  std::vector<std::string> told;
  control.progress = [&](const Progress& now) { told.emplace_back(now.activity); };
  run_recipe(Recipe::parse("auto hard=yes max-leaves=2"), {derived, rows, {}, 1}, Parallel(1),
             control);
  const auto shows = [](const std::string& text) {
    return text.starts_with("auto: mse by parameters 1:");
  };
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), shows));
}

TEST(Progress, ShowsTheFrontierShortened) {
  EXPECT_EQ(sizes_and_losses({{3, 0.5}, {1, 0.75}, {9, 0.6}}), "1:0.75 3:0.5");
  std::vector<SizeAndLoss> many;
  for (size_t i = 1; i <= 9; ++i) many.push_back({i, 1.0 / static_cast<double>(i)});
  EXPECT_EQ(sizes_and_losses(many), "1:1 3:0.333 5:0.2 7:0.143 9:0.111");
}

// What candidates are judged by.
struct Divided {
  std::vector<Part> parts;
  bool fits_all_rows;
};
Divided divided(const Table& table, std::span<const softwood::Run> runs,
                const std::optional<Sample>& validation) {
  const std::vector<RowIndex> rows = all_rows(table);
  Derived derived(table);
  const Options options;
  const Parallel parallel(1);
  const Control control;
  StageReport report;
  Context context{derived, false,  rows, {validation, report.validation_used}, options, 1, parallel,
                  control, report, {}};
  context.runs = runs;
  Field field = field_of(context, Metric::mse);
  return {std::move(field.parts), field.fits_all_rows};
}

// More rows change the choice little, wherever they come from.
TEST(Race, DrawsSomeOfVeryManyRows) {
  const Table many = step(Constants::most_judged_rows + 1000);
  const std::vector<RowIndex> rows = all_rows(many);
  const Table few = step(100);
  const std::vector<RowIndex> few_rows = all_rows(few);

  const Divided validated = divided(many, {}, Sample{&many, rows});
  EXPECT_NEAR(static_cast<double>(validated.parts[0].learning.size()), 50000, 1);
  EXPECT_NEAR(static_cast<double>(validated.parts[0].judging.size()), 50000, 1);
  EXPECT_FALSE(validated.fits_all_rows);
  EXPECT_TRUE(divided(few, {}, Sample{&many, rows}).fits_all_rows);

  const std::vector<softwood::Run> runs = {{rows, {}, rows}, {rows, {}, rows}};
  const Divided folds = divided(many, runs, {});
  ASSERT_EQ(folds.parts.size(), 2U);
  for (const Part& part : folds.parts) {
    EXPECT_NEAR(static_cast<double>(part.learning.size()), 50000, 1);
    EXPECT_NEAR(static_cast<double>(part.judging.size()), 25000, 1);
  }
}

bool any_has(const std::vector<Candidate>& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(), [&](const Candidate& candidate) {
    return candidate.recipe.find(text) != std::string::npos;
  });
}

// An input of so many levels, each in one row.
Table one_row_per_level(size_t rows, bool classes) {
  std::vector<int32_t> levels(rows), target(rows);
  std::vector<double> numbers(rows);
  for (size_t i = 0; i < rows; ++i) {
    levels[i] = static_cast<int32_t>(i);
    target[i] = static_cast<int32_t>(i % 2);
    numbers[i] = static_cast<double>(i % 7);
  }
  if (classes) return test::classes_table({test::codes(levels)}, target);
  return test::numbers_table({test::codes(levels)}, numbers);
}

TEST(Candidates, WithVeryManyTermsHaveNoRegressions) {
  for (const bool classes : {false, true}) {
    const char* const model = classes ? "logistic" : "ridge";
    const Table few = one_row_per_level(400, classes), many = one_row_per_level(600, classes);
    EXPECT_TRUE(any_has(candidates_for({&few, all_rows(few)}, {}, true), model));
    EXPECT_FALSE(any_has(candidates_for({&many, all_rows(many)}, {}, true), model));
  }
}

TEST(Candidates, WithVeryManyLevelsHoldNoneOfThemAsColumns) {
  const Table few = one_row_per_level(5000, true), many = one_row_per_level(8000, true);
  EXPECT_TRUE(any_has(candidates_for({&few, all_rows(few)}, {}, true), "grow-soft"));
  const std::vector<Candidate> left = candidates_for({&many, all_rows(many)}, {}, true);
  EXPECT_FALSE(any_has(left, "grow-soft"));
  EXPECT_FALSE(any_has(left, "grow-distilled"));
}

// A tree that divides rows with missing cells has several paths for them.
TEST(Candidates, DividedRowsAreNotHard) {
  std::vector<double> cells;
  std::vector<int32_t> classes;
  for (int i = 0; i < 60; ++i) {
    cells.push_back(i % 10 == 0 ? missing_number : i);
    classes.push_back(i < 30 ? 0 : 1);
  }
  const Table table = test::classes_table({test::numbers(cells)}, classes);
  EXPECT_FALSE(figures_of(run(table, "grow missing=fractional").trained.tree).hard);
  EXPECT_TRUE(figures_of(run(table, "grow").trained.tree).hard);
  const std::vector<RowIndex> rows = all_rows(table);
  Limits hard;
  hard.hard = true;
  EXPECT_FALSE(any_has(candidates_for({&table, rows}, hard, true), "fractional"));
  EXPECT_TRUE(any_has(candidates_for({&table, rows}, {}, true), "fractional"));
}

TEST(Candidates, KeepLimitsByWhatStagesSay) {
  const Table table = test::iris_table();
  const std::vector<RowIndex> rows = all_rows(table);
  Limits hard;
  hard.hard = true;
  for (const Candidate& candidate : candidates_for({&table, rows}, hard, true)) {
    EXPECT_EQ(candidate.recipe.find("soft"), std::string::npos) << candidate.recipe;
  }
  const std::vector<Candidate> all = candidates_for({&table, rows}, {}, true);
  EXPECT_GT(all.size(), 25U);
  EXPECT_EQ(all[0].recipe, "grow max-leaves=1");
  EXPECT_EQ(all[1].recipe, "grow leaf=m-estimate | prune");
}

}  // namespace
}  // namespace softwood::choice
