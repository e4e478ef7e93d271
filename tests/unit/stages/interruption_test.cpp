// Growing and pruning can be interrupted, leave nothing behind, and say how far they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/interruption.h"
#include "support/mixed_table.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::Interruption;

Tree run_under(const Control& control, Derived& derived, const std::string& recipe, int threads) {
  const std::vector<RowIndex> rows = all_rows(derived.table());
  return run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1}, Parallel(threads), control).tree;
}

struct Case {
  std::string recipe;
  bool regression = false;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.recipe; }

class Interrupted : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Recipes, Interrupted,
    testing::Values(Case{"grow"}, Case{"grow", true}, Case{"grow max-leaves=8"},
                    Case{"grow missing=impute"}, Case{"grow threshold=data-point"},
                    Case{"grow search=binned"}, Case{"grow search=binned", true},
                    Case{"grow search=binned max-leaves=8"}, Case{"grow split=random"},
                    Case{"grow leaf=naive-bayes"}, Case{"grow split=conditional-inference"},
                    Case{"grow split=linear-discriminant"}, Case{"grow split=oblique"},
                    Case{"grow split=quadratic"}, Case{"grow split=omnivariate"},
                    Case{"grow | prune folds=3"}, Case{"grow | prune sequence=rpart folds=3"},
                    Case{"grow | prune alpha=0.1"}, Case{"grow | prune by=reduced-error"},
                    Case{"grow | prune by=pessimistic"},
                    Case{"grow | prune by=pessimistic raise=no"}, Case{"grow | prune by=simplify"},
                    Case{"grow | prune by=impurity-merge"}));

// At any question: the work ends with an Error, and what was computed from the table stays whole.
TEST_P(Interrupted, EndsAndLeavesNothingHalfMade) {
  const Table table = test::mixed_table(GetParam().regression ? 0 : 3, 4, false);
  const Tree whole = test::run(table, GetParam().recipe);
  Interruption counter;
  Derived first(table);
  test::expect_same_tree(run_under(counter.control(), first, GetParam().recipe, 1), whole);
  const size_t questions = counter.asked();
  ASSERT_GE(questions, table.features());  // sorting and binning ask for every input
  for (const size_t from : {size_t{1}, size_t{2}, questions / 2, questions}) {
    for (const int threads : {1, 2}) {
      Derived derived(table);
      // With two threads there may be fewer questions: see the second one at the latest.
      Interruption interruption(threads == 1 ? from : std::min<size_t>(from, 2));
      try {
        run_under(interruption.control(), derived, GetParam().recipe, threads);
        FAIL() << "not interrupted by question " << from;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::interrupted);
      }
      test::expect_same_tree(run_under({}, derived, GetParam().recipe, threads), whole);
    }
  }
}

TEST(Growing, IsNotCutShortByABudget) {
  const Table table = test::mixed_table(3, 4, false);
  Control control;
  control.deadline = Control::Clock::now();
  for (const char* recipe : {"grow", "grow search=binned", "grow | prune folds=3"}) {
    Derived derived(table);
    test::expect_same_tree(run_under(control, derived, recipe, 1), test::run(table, recipe));
  }
}

// One question for every input and 2^20 rows, at least.
TEST(Growing, AsksMoreOftenTheMoreRowsThereAre) {
  std::vector<size_t> asked;
  for (const size_t blocks : {1, 2}) {
    const size_t rows = blocks * rows_between_asks;
    std::vector<double> x(rows);
    std::vector<int32_t> y(rows);
    for (size_t i = 0; i < rows; ++i) {
      x[i] = static_cast<double>(i % 1000);
      y[i] = x[i] < 500 ? 0 : 1;
    }
    const Table table = test::classes_table({test::numbers(x), test::numbers(x)}, y);
    for (const char* recipe : {"grow max-depth=2", "grow search=binned max-depth=2"}) {
      Interruption counter;
      Derived derived(table);
      run_under(counter.control(), derived, recipe, 1);
      EXPECT_GE(counter.asked(), blocks * table.features()) << recipe;
      asked.push_back(counter.asked());
    }
  }
  EXPECT_GT(asked[2], asked[0]);
  EXPECT_GT(asked[3], asked[1]);
}

// A stage that has a tree to keep keeps it when it is interrupted in growing others.
TEST(Refining, KeepsItsTreeWhenInterruptedInGrowingAgain) {
  const Table table = test::mixed_table(3, 4, false);
  const Tree grown = test::run(table, "grow max-depth=3");
  bool refining = false;
  Control control;
  control.interrupt = [&] { return refining; };
  control.progress = [&](const Progress& progress) {
    if (progress.stage == "grow" && progress.share() == 1) refining = true;
  };
  for (const char* next : {"refine by=gradient", "soften by=gradient"}) {
    refining = false;
    Derived derived(table);
    const std::vector<RowIndex> rows = all_rows(table);
    const Trained trained = run_recipe(Recipe::parse(std::string("grow max-depth=3 | ") + next),
                                       {derived, rows, {}, 1}, Parallel(1), control);
    EXPECT_EQ(trained.report.stopped, Stopped::interrupt) << next;
    test::expect_same_tree(trained.tree, grown);
  }
}

// What follows a stage that was stopped works to its end: the tree is kept.
TEST(Pruning, AfterAStageThatWasStoppedFinishes) {
  const Table table = test::mixed_table(3, 4, false);
  std::atomic<bool> stop = false;
  Control control;
  control.interrupt = [&] { return stop.load(); };
  control.progress = [&](const Progress& progress) { stop = stop || progress.best; };
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Trained trained =
      run_recipe(Recipe::parse("evolve generations=5 population=10 | prune by=simplify"),
                 {derived, rows, {}, 1}, Parallel(1), control);
  EXPECT_TRUE(stop);
  EXPECT_EQ(trained.report.stopped, Stopped::interrupt);
}

TEST(Growing, ReportsTheShareOfRowsOrLeavesThatAreDone) {
  const Table table = test::mixed_table(3, 4, false);
  for (const char* recipe :
       {"grow", "grow search=binned", "grow max-leaves=20", "grow search=binned max-leaves=20"}) {
    Control control;
    std::vector<double> shares;
    control.progress = [&](const Progress& progress) {
      EXPECT_EQ(progress.stage, "grow");
      if (progress.activity == "growing") shares.push_back(progress.share());
    };
    Derived derived(table);
    run_under(control, derived, recipe, 1);
    EXPECT_GT(shares.size(), 1U) << recipe;
    EXPECT_LE(shares.size(), 101U) << recipe;
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end())) << recipe;
    EXPECT_GT(shares.back(), 0.9) << recipe;
  }
}

}  // namespace
}  // namespace softwood
