#include "stages/recipe.h"

#include <gtest/gtest.h>

#include <atomic>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/iris.h"
#include "support/trees.h"

namespace softwood {
namespace {

// The error that parsing gives, as the command line prints it; "" when there is none.
std::string fault(const std::string& recipe, const std::vector<std::string>& settings = {},
                  bool on_tree = false) {
  try {
    Recipe::parse(recipe, settings, on_tree);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.text();
  }
  return "";
}

void expect_fault(const std::string& text, const std::vector<std::string>& parts) {
  EXPECT_NE(text, "");
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
  }
}

TEST(Recipe, IsPrintedAsItCanBeRead) {
  for (const char* text :
       {"grow", "grow | prune", "grow criterion=entropy min-leaf=5 | prune rule=min",
        "grow | prune alpha=0.01 | prune folds=5",
        "grow search=binned bins=64 max-depth=none | prune alpha=auto"}) {
    EXPECT_EQ(Recipe::parse(text).text(), text);
  }
}

// What can't work is refused before anything is trained.
TEST(Recipe, RefusesStagesThatCantWorkOnSoftTrees) {
  expect_fault(fault("grow-soft shape=full | prune"), {"'prune' judges leaves", "prefer=size"});
  expect_fault(fault("grow-soft | refine"), {"'refine by=alternating'", "by=gradient", "harden"});
  EXPECT_EQ(fault("grow-soft | refine by=gradient"), "");
  EXPECT_EQ(fault("grow-soft | harden | refine"), "");
  EXPECT_EQ(fault("grow-soft | harden | prune"), "");
  EXPECT_EQ(fault("refine", {}, true), "");
  EXPECT_THROW(Recipe::parse("grow-soft").then(Recipe::parse("prune", {}, true)), Error);
}

// An option that has no effect alone is suggested with what it needs, and that is accepted.
TEST(Recipe, SuggestsSettingsThatWork) {
  const std::string hint = "grow-soft.shape=full and grow-soft.depth=3";
  expect_fault(fault("grow-soft", {"depth=3"}), {hint});
  expect_fault(fault("grow-soft", {"grow.depth=3"}), {hint});
  EXPECT_EQ(fault("grow-soft", {"grow-soft.shape=full", "grow-soft.depth=3"}), "");
  expect_fault(fault("grow-soft shape=full", {"depth=3"}), {"example grow-soft.depth=3"});
  expect_fault(fault("grow-soft shape=full", {"grow-soft.shape=grown", "depth=3"}), {hint});
}

TEST(Recipe, IsPrintedInTheOrderOfTheTable) {
  EXPECT_EQ(Recipe::parse("  grow   min-leaf=5   criterion=gini|prune  ").text(),
            "grow criterion=gini min-leaf=5 | prune");
}

TEST(Recipe, RefusesAKeyGivenTwice) {
  EXPECT_THROW(Recipe::parse("grow min-leaf=5 min-leaf=7"), Error);  // which one is meant?
  EXPECT_EQ(Recipe::parse("grow min-leaf=5", {"grow.min-leaf=6", "grow.min-leaf=7"}).text(),
            "grow min-leaf=7");
}

TEST(Recipe, KeepsBlanksAndBarsInQuotes) {
  const Recipe recipe = Recipe::parse("grow", {"grow.feature-costs=my col:2,a|b:3"});
  EXPECT_EQ(recipe.text(), "grow feature-costs=\"my col:2,a|b:3\"");
  EXPECT_EQ(Recipe::parse(recipe.text()).text(), recipe.text());
  EXPECT_EQ(Recipe::parse(recipe.text()).steps()[0].options.text("feature-costs"),
            "my col:2,a|b:3");
  EXPECT_THROW(Recipe::parse("grow feature-costs=\"a:2"), Error);
  EXPECT_THROW(Recipe::parse("grow", {"grow.feature-costs=a\"b:2"}), Error);
}

TEST(Recipe, HasDefaultsForWhatIsNotGiven) {
  const Recipe recipe = Recipe::parse("grow | prune");
  ASSERT_EQ(recipe.steps().size(), 2U);
  const Options& grow = recipe.steps()[0].options;
  EXPECT_EQ(grow.text("criterion"), "auto");
  EXPECT_EQ(grow.real("min-split"), 2);
  EXPECT_EQ(grow.real("min-leaf"), 1);
  EXPECT_FALSE(grow.has_number("max-depth"));
  EXPECT_FALSE(grow.has_number("max-leaves"));
  const Options& prune = recipe.steps()[1].options;
  EXPECT_EQ(prune.text("by"), "cost-complexity");
  EXPECT_EQ(prune.integer("folds"), 10);
  EXPECT_EQ(prune.text("rule"), "1se");
  EXPECT_FALSE(prune.has_number("alpha"));
}

TEST(Recipe, TakesSettings) {
  EXPECT_EQ(Recipe::parse("grow | prune", {"grow.min-leaf=5", "prune.rule=min"}).text(),
            "grow min-leaf=5 | prune rule=min");
  // They win over what the recipe says, the last over the ones before, and reach every such stage.
  EXPECT_EQ(Recipe::parse("grow min-leaf=2", {"grow.min-leaf=3", "grow.min-leaf=4"}).text(),
            "grow min-leaf=4");
  EXPECT_EQ(Recipe::parse("grow | prune | prune", {"prune.alpha=0.1"}).text(),
            "grow | prune alpha=0.1 | prune alpha=0.1");
}

TEST(Recipe, NamesTheNearestStageAndOption) {
  expect_fault(fault("grwo"), {"no stage 'grwo'", "grow"});
  expect_fault(fault("grow | prun"), {"no stage 'prun'", "prune"});
  expect_fault(fault("zebra"), {"no stage 'zebra'", "grow", "prune"});
  expect_fault(fault("grow min-leafs=3"), {"'grow' has no option 'min-leafs'", "min-leaf"});
  expect_fault(fault("grow | prune fold=3"), {"'prune' has no option 'fold'", "folds"});
}

TEST(Recipe, RefusesWrongValues) {
  expect_fault(fault("grow criterion=ginny"), {"criterion", "ginny", "gini", "entropy", "mse"});
  expect_fault(fault("grow min-leaf=-1"), {"min-leaf", "-1", "at least 0"});
  expect_fault(fault("grow min-leaf=many"), {"min-leaf", "many", "a number"});
  expect_fault(fault("grow min-leaf="), {"min-leaf", "a number"});
  expect_fault(fault("grow min-leaf=nan"), {"min-leaf", "nan"});
  expect_fault(fault("grow min-leaf=inf"), {"min-leaf", "inf"});
  expect_fault(fault("grow min-leaf=none"), {"min-leaf", "none"});  // has a number as its default
  expect_fault(fault("grow max-depth=2.5"), {"max-depth", "2.5", "whole number", "none"});
  expect_fault(fault("grow max-leaves=0"), {"max-leaves", "at least 1"});
  expect_fault(fault("grow bins=1"), {"bins", "from 2 to 65000"});
  expect_fault(fault("grow bins=65001"), {"bins", "from 2 to 65000"});
  expect_fault(fault("grow | prune folds=1"), {"folds", "from 2 to 1000"});
  expect_fault(fault("grow | prune alpha=-0.1"), {"alpha"});
  expect_fault(fault("grow | prune rule=2se"), {"rule", "1se", "min"});
}

TEST(Recipe, RefusesWhatIsNotARecipe) {
  expect_fault(fault(""), {"empty stage"});
  expect_fault(fault("  "), {"empty stage"});
  expect_fault(fault("grow |"), {"empty stage"});
  expect_fault(fault("| prune"), {"empty stage"});
  expect_fault(fault("grow || prune"), {"empty stage"});
  expect_fault(fault("grow gini"), {"'gini' of 'grow' is not key=value"});
  expect_fault(fault("grow =5"), {"'=5' of 'grow' is not key=value"});
}

TEST(Recipe, StartsWithAStageThatMakesATree) {
  expect_fault(fault("prune"), {"'prune' needs a tree", "grow"});
  expect_fault(fault("grow | grow"), {"'grow' makes a new tree"});
  EXPECT_EQ(fault("prune", {}, true), "");
  expect_fault(fault("grow", {}, true), {"'grow' makes a new tree"});
}

TEST(Recipe, RefusesWrongSettings) {
  expect_fault(fault("grow", {"min-leaf=5"}), {"names no stage", "grow.min-leaf=5"});
  expect_fault(fault("grow", {"grow.min-leaf"}), {"not key=value"});
  expect_fault(fault("grow", {"prune.rule=min"}),
               {"a stage that the recipe does not have", "add the stage: \"grow | prune\""});
  // A stage that has the option, but not with such a value, is not named.
  expect_fault(fault("grow | prune", {"soften.by=anneal"}),
               {"add the stage: \"grow | prune | soften\""});
  // Not a stage that could never be added.
  expect_fault(fault("evolve", {"max-depth=3"}), {"names no stage", "evolve.max-depth=3"});
  expect_fault(fault("evolve", {"grow.max-depth=3"}), {"write evolve.max-depth=3"});
  expect_fault(fault("evolve", {"grow.min-leaf=3"}), {"'grow' can only be the first stage"});
  expect_fault(fault("grow", {"prun.rule=min"}), {"no stage 'prun'", "prune"});
  expect_fault(fault("grow", {"grow.min-leafs=5"}), {"no option 'min-leafs'"});
  expect_fault(fault("grow", {"grow.min-leaf=x"}), {"min-leaf"});
}

TEST(Recipe, RefusesOptionsWithoutEffect) {
  expect_fault(fault("grow | prune by=pessimistic alpha=0.1"),
               {"'alpha' of 'prune'", "no effect with by=pessimistic", "by=cost-complexity"});
  expect_fault(fault("grow | prune alpha=0.1 rule=min"),
               {"no effect with alpha=0.1", "alpha=auto"});
  expect_fault(fault("grow m=3 leaf=laplace"), {"no effect with leaf=laplace", "leaf=m-estimate"});
  expect_fault(fault("grow leaf-penalty=3"), {"leaf=ridge or logistic"});
  EXPECT_EQ(fault("grow leaf=logistic leaf-penalty=3"), "");
  // What a recipe says gives way to a setting; settings themselves must have an effect.
  EXPECT_EQ(Recipe::parse("grow | prune by=pessimistic cf=0.1", {"prune.by=simplify"}).text(),
            "grow | prune by=simplify");
  expect_fault(fault("grow | prune cf=0.1", {"prune.rule=min"}), {"'cf' of 'prune'"});
  expect_fault(fault("grow | prune", {"prune.by=simplify", "prune.cf=0.1"}), {"'cf' of 'prune'"});
}

TEST(Recipe, KnowsNamesOfOtherPrograms) {
  expect_fault(fault("grow | prune cp=0.1"), {"no option 'cp'", "called 'alpha' here"});
  expect_fault(fault("grow MinSplit=2"), {"called 'min-split' here"});
  expect_fault(fault("grow min_samples_leaf=2"), {"called 'min-leaf' here"});
}

TEST(Methods, AreFoundByName) {
  EXPECT_EQ(find_method("cart").recipe, "grow | prune");
  try {
    find_method("crt");
    FAIL();
  } catch (const Error& error) {
    expect_fault(error.text(), {"no method 'crt'", "cart"});
  }
}

TEST(RunRecipe, GivesTheSecondsOfEveryStageName) {
  const Table table = test::iris_table();
  Derived derived(table);
  const auto rows = all_rows(table);
  const Trained trained = run_recipe(Recipe::parse("grow | prune | prune alpha=0"),
                                     {derived, rows, {}, 1}, Parallel(1), {});
  ASSERT_EQ(trained.seconds.size(), 2U);
  EXPECT_EQ(trained.seconds[0].first, "grow");
  EXPECT_EQ(trained.seconds[1].first, "prune");
  EXPECT_GE(trained.seconds[1].second, 0);
}

TEST(RunRecipe, GoesOnWithAFinishedTree) {
  const Table table = test::iris_table();
  Derived derived(table);
  const auto rows = all_rows(table);
  const Training training{derived, rows, {}, 1};
  const Recipe whole = Recipe::parse("grow min-leaf=2 | prune");
  const Tree grown = run_recipe(whole.first(1), training, Parallel(1), {}).tree;
  const Trained more = run_recipe(whole, training, Parallel(1), {}, grown, 1);
  test::expect_same_tree(more.tree, run_recipe(whole, training, Parallel(1), {}).tree);
  EXPECT_EQ(more.seconds.size(), 1U);  // only the stage that ran
}

TEST(RunRecipe, ReportsProgress) {
  const Table table = test::iris_table();
  Derived derived(table);
  const auto rows = all_rows(table);
  Control control;
  std::vector<std::string> stages;  // as they came, each once
  std::vector<double> folds;
  double last = 0;
  control.progress = [&](const Progress& progress) {
    if (stages.empty() || stages.back() != progress.stage) stages.emplace_back(progress.stage);
    EXPECT_TRUE(progress.done >= 0 && progress.done <= progress.of) << progress.activity;
    if (progress.activity == "cross-validating") {
      EXPECT_EQ(progress.of, 5);
      folds.push_back(progress.done);
    }
    last = progress.share();
  };
  run_recipe(Recipe::parse("grow | prune folds=5"), {derived, rows, {}, 1}, Parallel(1), control);
  EXPECT_EQ(stages, (std::vector<std::string>{"grow", "prune"}));
  EXPECT_EQ(folds, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_DOUBLE_EQ(last, 1);
}

TEST(RunRecipe, ReportsTheBestLossSoFarOfStagesThatLowerOne) {
  const Table table = test::iris_table();
  Derived derived(table);
  const auto rows = all_rows(table);
  for (const char* recipe : {"evolve generations=20 population=20", "grow | soften patience=5",
                             "grow max-depth=2 split=random | refine by=alternating"}) {
    Control control;
    std::vector<double> best;
    control.progress = [&](const Progress& progress) {
      if (progress.best) best.push_back(*progress.best);
    };
    run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1}, Parallel(1), control);
    ASSERT_FALSE(best.empty()) << recipe;
    EXPECT_LE(best.back(), best.front()) << recipe;
  }
}

TEST(Recipe, RefusesStagesThatBreakAnEarlierPromise) {
  EXPECT_THROW(Recipe::parse("grow monotone=x:+ | refine"), Error);
  EXPECT_THROW(Recipe::parse("grow monotone=x:+ | soften by=gradient"), Error);
  EXPECT_NO_THROW(Recipe::parse("grow monotone=x:+ | soften"));
  EXPECT_THROW(Recipe::parse("grow monotone=x:+ | prune by=reduced-error"), Error);
  EXPECT_THROW(Recipe::parse("grow monotone=x:+ | prune by=pessimistic"), Error);
  EXPECT_NO_THROW(Recipe::parse("grow monotone=x:+ | prune by=pessimistic raise=no"));
  EXPECT_NO_THROW(Recipe::parse("grow monotone=x:+ | prune"));
  EXPECT_NO_THROW(Recipe::parse("grow | refine"));
  EXPECT_THROW(Recipe::parse("grow monotone=x:+").then(Recipe::parse("refine", {}, true)), Error);
}

// Runs of stages inside another stage are told to stop as well, and it is said that they did.
TEST(Recipe, TheBudgetReachesStagesThatPruningRunsAgain) {
  const Table table = test::iris_table();
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Recipe recipe = Recipe::parse("grow max-depth=2 | refine | prune folds=2");
  EXPECT_TRUE(recipe.anytime());
  EXPECT_FALSE(recipe.first(1).anytime());
  Control control;
  std::atomic<int> stoppable = 0;
  control.stoppable = &stoppable;
  const Training training{derived, rows, {}, 1};
  const Tree grown = run_recipe(recipe.first(1), training, Parallel(1), control).tree;
  EXPECT_EQ(run_recipe(recipe, training, Parallel(1), control, grown, 2).report.stopped,
            Stopped::converged);
  control.deadline = Control::Clock::now();
  EXPECT_EQ(run_recipe(recipe, training, Parallel(1), control, grown, 2).report.stopped,
            Stopped::budget);
  EXPECT_EQ(stoppable.load(), 0);
}

}  // namespace
}  // namespace softwood
