// Soft trees whose training is stopped, by an interrupt or a budget.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <set>

#include "softwood/error.h"
#include "stages/soft/choose.h"
#include "stages/soft/constants.h"
#include "stages/soft/last_fit.h"
#include "support/grow.h"
#include "support/interruption.h"
#include "support/points.h"
#include "support/soft_fits.h"
#include "support/tables.h"
#include "use/predict.h"

namespace softwood {
namespace {

using namespace test;

// The part of the budget for choosing is over; the rest is for a fit to all rows.
TEST(FullSoftTree, IsFittedToAllRowsWithTheRestOfABudget) {
  const Table table = ring(150, 5);
  for (const bool has_rest : {true, false}) {
    FitsOf shop(table);
    soft::Preferences preferences;
    preferences.settings.schedule.set_steps(100);
    const soft::Chosen chosen = soft::choose(shop.fits, preferences);
    const auto now = Control::Clock::now();
    shop.run.control.deadline = now;
    shop.run.end_of_budget = has_rest ? now + std::chrono::hours(1) : now;
    shop.run.stopped = true;
    EXPECT_EQ(soft::finish(shop.fits, chosen.pool[chosen.best], chosen.pool, 4, true).all_rows,
              has_rest);
  }
}

// A board is for random trees, not for one gate: they are the ensemble. Told to stop before they
// are grown.
TEST(FullSoftTree, IsNotLostWhenItsEnsembleIsNotGrown) {
  std::vector<double> x, z, y;
  Random random(8, "board");
  for (size_t i = 0; i < 400; ++i) {
    x.push_back(random.uniform());
    z.push_back(random.uniform());
    y.push_back((x[i] < 0.5) == (z[i] < 0.5) ? 1 : 0);
  }
  const Table table = test::numbers_table({test::numbers(x), test::numbers(z)}, y);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  std::atomic<bool> interrupt = false;
  Control control;
  control.interrupt = [&] { return interrupt.load(); };
  control.progress = [&](const Progress& progress) {
    if (progress.share() >= 0.9) interrupt = true;
  };
  const Trained trained = run_recipe(
      Recipe::parse("grow-soft shape=full depth=1 terms=linear map=none leaves=constant steps=300"),
      {derived, rows, {}}, Parallel(1), control);
  EXPECT_EQ(trained.report.stopped, Stopped::interrupt);
  EXPECT_EQ(trained.tree.size(), 3U);
}

TEST(FullSoftTree, IsNotLostWhenItIsStoppedLate) {
  const Table table = ring(200, 6);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  for (const double share : {0.5, 0.8, 0.9}) {
    std::atomic<bool> interrupt = false;
    Control control;
    control.interrupt = [&] { return interrupt.load(); };
    control.progress = [&](const Progress& progress) {
      if (progress.share() >= share) interrupt = true;
    };
    const Trained trained = run_recipe(Recipe::parse("grow-soft shape=full steps=300"),
                                       {derived, rows, {}}, Parallel(1), control);
    EXPECT_EQ(trained.report.stopped, Stopped::interrupt) << share;
    EXPECT_LT(error_on(trained.tree, table), 0.2) << share;
  }
}

TEST(FullSoftTree, AnswersEvenWhenItsBudgetIsOverAtOnce) {
  const Table table = ring(200, 6);
  Control control;
  control.deadline = Control::Clock::now();
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  for (const char* recipe : {"grow-soft", "grow-soft shape=full"}) {
    const Trained trained =
        run_recipe(Recipe::parse(recipe), {derived, rows, {}}, Parallel(1), control);
    EXPECT_EQ(trained.report.stopped, Stopped::budget) << recipe;
    const Tree leaf = test::run(table, "grow max-depth=0");
    EXPECT_LE(error_on(trained.tree, table), error_on(leaf, table)) << recipe;
  }
}

// Before a tree is trained there is nothing to keep; from then on there is always a tree.
TEST(FullSoftTree, EndsAtAnyQuestion) {
  const Table table = ring(120, 6);
  const std::vector<RowIndex> rows = all_rows(table);
  const Recipe recipe = Recipe::parse("grow-soft shape=full steps=12 members=2 folds=2");
  const auto run_until = [&](test::Interruption& interruption) {
    Derived derived(table);
    return run_recipe(recipe, {derived, rows, {}}, Parallel(1), interruption.control());
  };
  test::Interruption counter;
  EXPECT_EQ(run_until(counter).report.stopped, Stopped::converged);
  bool any = false;
  for (size_t from = 1; from <= counter.asked(); from += 1 + from / 8) {
    test::Interruption interruption(from);
    try {
      EXPECT_EQ(run_until(interruption).report.stopped, Stopped::interrupt) << from;
      any = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
      EXPECT_FALSE(any) << from;
    }
  }
  EXPECT_TRUE(any);
  test::Interruption at_once(1);
  EXPECT_THROW(run_until(at_once), Error);
}

// Preparing rows takes long where there are many: for the first candidate alone when it is told to
// stop.
TEST(FullSoftTree, PreparesNoMoreCandidatesWhenItIsStopped) {
  const Table table = ring(150, 5);
  std::vector<soft::Settings> candidates(3);
  for (soft::Settings& candidate : candidates) candidate.schedule.set_steps(20);
  candidates[1].map = gradient::Map::asinh;
  candidates[2].map = gradient::Map::knots;
  FitsOf whole(table), late(table), never(table);
  EXPECT_EQ(whole.fits.fit_all(candidates, 2).size(), 3U);
  EXPECT_FALSE(whole.run.stopped);
  late.run.control.deadline = Control::Clock::now();
  EXPECT_EQ(late.fits.fit_all(candidates, 2).size(), 1U);
  EXPECT_TRUE(late.run.stopped);
  never.run.control.interrupt = [] { return true; };
  EXPECT_THROW(never.fits.fit_all(candidates, 2), Error);
}

// Of more rows than judge it has the counts of those that it was fitted to.
TEST(FullSoftTree, CountsTheRowsItWasFittedToWhenItIsStopped) {
  const size_t rows = soft::Constants::most_judged_rows + 1000;
  const Table table = slanted(rows, 3);
  FitsOf shop(table);
  soft::Preferences preferences;
  preferences.settings.schedule.set_steps(50);
  const soft::Chosen chosen = soft::choose(shop.fits, preferences);
  const auto expect = [&](double weight, bool all_rows) {
    const soft::Finished finished =
        soft::finish(shop.fits, chosen.pool[chosen.best], chosen.pool, 1, true);
    EXPECT_NEAR(finished.tree.weight(0), weight, 1e-6);
    EXPECT_EQ(finished.all_rows, all_rows);
  };
  expect(static_cast<double>(rows), true);
  shop.run.control.interrupt = [] { return true; };
  expect(soft::Constants::most_judged_rows / 2.0, false);
}

// What is interrupted in preparing rows is made again, not half used.
TEST(FullSoftTree, KeepsNoRowsHalfPrepared) {
  const Table table = ring(150, 5);
  soft::Settings greedy;
  greedy.greedy_leaves = 4;
  greedy.schedule.set_steps(20);
  FitsOf shop(table), other(table);
  test::Interruption at_once(1);
  shop.run.control.interrupt = at_once.control().interrupt;
  EXPECT_THROW(shop.data.by_part(greedy), Error);
  shop.run.control.interrupt = nullptr;
  EXPECT_EQ(shop.fits.fit_all({greedy}, 1)[0].losses, other.fits.fit_all({greedy}, 1)[0].losses);
}

// The best of what was tried so far, and no refitting.
TEST(FullSoftTree, KeepsWhatWasTriedWhenItIsStopped) {
  const Table table = slanted(400, 6);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  Control control;
  std::atomic<bool> interrupt = false;
  control.interrupt = [&] { return interrupt.load(); };
  // After the first kinds of trees were tried.
  control.progress = [&](const Progress& progress) { interrupt = progress.share() > 0.05; };
  const Trained trained =
      run_recipe(Recipe::parse("grow-soft shape=full"), {derived, rows, {}}, Parallel(1), control);
  EXPECT_EQ(trained.report.stopped, Stopped::interrupt);
  EXPECT_LT(error_on(trained.tree, table), 0.1);
}

}  // namespace
}  // namespace softwood
