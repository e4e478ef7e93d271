// The whole choice on small tables.
#include <gtest/gtest.h>

#include <atomic>

#include "base/random.h"
#include "softwood/error.h"
#include "stages/auto/candidates.h"
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
  const Outcome outcome = run(table, "auto prefer=balanced hard=yes");
  ASSERT_EQ(shape_of(outcome.trained.tree).leaves, 1U);
  EXPECT_NE(outcome.notes[1].find("a regression, not a tree"), std::string::npos)
      << outcome.notes[1];
}

TEST(Auto, ExpectsNothingOfNoise) {
  const Outcome outcome = run(noise(300), "auto metric=error");
  const Frontier& frontier = *outcome.trained.report.frontier;
  EXPECT_NEAR(frontier.estimate, 0.5, 2 * frontier.standard_error);
}

TEST(Auto, KeepsLimits) {
  const Table table = test::iris_table();
  for (const char* limit :
       {"max-leaves=3", "max-parameters=12", "inputs-per-split=1", "hard=yes"}) {
    SCOPED_TRACE(limit);
    const Outcome outcome = run(table, std::string("auto ") + limit);
    const Looks looks = looks_of(outcome.trained.tree);
    Limits limits;
    if (std::string_view(limit) == "max-leaves=3") limits.leaves = 3;
    if (std::string_view(limit) == "max-parameters=12") limits.parameters = 12;
    if (std::string_view(limit) == "inputs-per-split=1") limits.inputs_per_split = 1;
    limits.hard = std::string_view(limit) == "hard=yes";
    EXPECT_TRUE(keeps(looks, limits)) << looks.parameters << " " << looks.leaves;
  }
}

TEST(Auto, ReadableTreesCanBeRead) {
  const Outcome outcome = run(test::iris_table(), "auto prefer=readable");
  EXPECT_TRUE(is_readable(looks_of(outcome.trained.tree), 3));
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
  const Looks looks = looks_of(outcome.trained.tree);
  EXPECT_TRUE(is_readable(looks, 2));
  EXPECT_GT(looks.parameters, 9U);
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

TEST(Auto, RefusesAMetricOfTheOtherTask) { EXPECT_THROW(run(step(60), "auto metric=auc"), Error); }

// Told to stop at some point: a tree fitted to all rows, or none.
TEST(Auto, LeavesATreeOfAllRowsOrNoneWhenItIsStopped) {
  const Table table = test::iris_table();
  for (const int asks : {1, 30, 3000, 100000}) {
    SCOPED_TRACE(asks);
    Derived derived(table);
    const std::vector<RowIndex> rows = all_rows(table);
    std::atomic<int> left = asks;
    Control control;
    control.interrupt = [&] { return --left < 0; };
    const Trained trained =
        run_recipe(Recipe::parse("auto"), {derived, rows, {}, 1}, Parallel(1), control);
    if (trained.report.stopped == Stopped::converged) continue;
    if (trained.report.part_of_rows) continue;
    EXPECT_EQ(trained.tree.weight(0), 150);
    EXPECT_GT(trained.tree.size(), 1U);
  }
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
  EXPECT_EQ(all[1].recipe, "grow | prune");
}

}  // namespace
}  // namespace softwood::choice
