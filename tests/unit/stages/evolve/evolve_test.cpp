// The stage as a whole: limits, costs, stopping, going on.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/interruption.h"
#include "support/mixed_table.h"
#include "support/trees.h"

namespace softwood {
namespace {

// A run on the mixed table that may be interrupted at a report, with and without a checkpoint.
struct Outcome {
  Tree tree;
  StageReport report;
  Bytes state;
  bool by_the_clock;
};
Outcome run_evolve(const Table& table, const std::string& recipe, size_t reports, Bytes saved) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  std::atomic<bool> interrupt = false;
  Control control;
  control.interrupt = [&] { return interrupt.load(); };
  size_t seen = 0;
  control.progress = [&](const Progress&) { interrupt = ++seen >= reports; };
  Bytes state;
  const Checkpoint checkpoint{std::move(saved), [&](const Bytes& bytes) { state = bytes; }};
  Trained trained = run_recipe(
      Recipe::parse(recipe), {derived, rows, {}, 3, false, {}, &checkpoint}, Parallel(1), control);
  return {std::move(trained.tree), std::move(trained.report), std::move(state),
          trained.by_the_clock};
}

TEST(EvolveStage, GoesOnFromACheckpointAsIfNothingHadHappened) {
  const Table table = test::mixed_table(3, 5, false);
  for (const std::string recipe :
       {"evolve generations=60 patience=1000", "evolve generations=60 improve=0 islands=1",
        "evolve generations=60 patience=1000 split=oblique directions=10 restart=5"}) {
    const Outcome whole = run_evolve(table, recipe, 1000, {});
    EXPECT_EQ(whole.report.stopped, Stopped::converged);
    const Outcome part = run_evolve(table, recipe, 20, {});
    EXPECT_EQ(part.report.stopped, Stopped::interrupt);
    const Outcome rest = run_evolve(table, recipe, 1000, part.state);
    EXPECT_EQ(test::text_of(rest.tree, table.schema()), test::text_of(whole.tree, table.schema()));
    EXPECT_EQ(rest.state, whole.state);
  }
}

TEST(EvolveStage, RefusesAStateThatIsNotOfThisSearch) {
  const Table table = test::mixed_table(3, 5, false);
  const std::string recipe = "evolve generations=2";
  const Bytes state = run_evolve(table, recipe, 1000, {}).state;
  Bytes shorter(state.begin(), state.end() - 1), longer = state;
  longer.push_back(std::byte{0});
  for (const Bytes& wrong : {shorter, longer, Bytes(1)}) {
    EXPECT_THROW(run_evolve(table, recipe, 1000, wrong), Error);
  }
  const Table other = test::classes_table({test::numbers({1, 2, 3, 4})}, {0, 1, 0, 1});
  EXPECT_THROW(run_evolve(other, recipe, 1000, state), Error);
  // Any byte may be wrong: it is refused, or it is the state of some search.
  Random random(1, "damage");
  size_t refused = 0;
  for (size_t i = 0; i < 300; ++i) {
    Bytes damaged = state;
    damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
    try {
      run_evolve(table, recipe, 1000, damaged);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 30U);
}

// Sorting and coding the rows ask for every input; there is no tree to return yet.
TEST(EvolveStage, EndsWithoutATreeWhenItIsInterruptedBeforeTheFirstOne) {
  const Table table = test::mixed_table(3, 5, false);
  const std::vector<RowIndex> rows = all_rows(table);
  for (const std::string recipe : {"evolve", "evolve split=oblique directions=10"}) {
    for (size_t from = 1; from <= 4 * table.features(); ++from) {
      Derived derived(table);
      test::Interruption interruption(from);
      try {
        run_recipe(Recipe::parse(recipe), {derived, rows, {}, 3}, Parallel(1),
                   interruption.control());
        ADD_FAILURE() << recipe << " has ended in spite of question " << from;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::interrupted);
        EXPECT_EQ(interruption.asked(), from);
      }
    }
  }
}

// Where all cuts are looked at in the search, nothing is left to be placed: what else is asked is
// asked while the thresholds to choose from are listed, for every input.
TEST(EvolveStage, AsksWhileItListsAllThresholds) {
  const Table table = test::mixed_table(3, 5, false);
  const std::vector<RowIndex> rows = all_rows(table);
  const auto asked = [&](const std::string& cuts) {
    Derived derived(table);
    test::Interruption counter;
    run_recipe(Recipe::parse("evolve generations=0 population=2 islands=1 seeded=0 " + cuts),
               {derived, rows, {}, 3}, Parallel(1), counter.control());
    return counter.asked();
  };
  const size_t numeric = 1;  // at the least
  EXPECT_GE(asked("cuts=quantiles placing=0"), asked("cuts=boundary") + numeric);
}

TEST(EvolveStage, SaysHowAStoppedRunIsRepeated) {
  const Table table = test::mixed_table(3, 5, false);
  const Outcome stopped = run_evolve(table, "evolve", 16, {});
  EXPECT_EQ(stopped.report.stopped, Stopped::interrupt);
  ASSERT_EQ(stopped.report.repeat_settings, std::vector<std::string>{"evolve.generations=16"});
  const Outcome again = run_evolve(table, "evolve generations=16", 1000, {});
  EXPECT_EQ(again.report.stopped, Stopped::converged);
  EXPECT_EQ(test::text_of(again.tree, table.schema()), test::text_of(stopped.tree, table.schema()));
  EXPECT_FALSE(stopped.by_the_clock);
  // Later stages that need no clock change nothing of that. Where they run the search again, the
  // generations are still known, but the tree as a whole is not repeated by them.
  const std::vector<std::string> one = {"evolve.generations=1"};
  const Outcome cut = run_evolve(table, "evolve | prune alpha=0.01", 1, {});
  EXPECT_EQ(cut.report.repeat_settings, one);
  EXPECT_FALSE(cut.by_the_clock);
  const Outcome pruned = run_evolve(table, "evolve | prune folds=2", 1, {});
  EXPECT_EQ(pruned.report.stopped, Stopped::interrupt);
  EXPECT_EQ(pruned.report.repeat_settings, one);
  EXPECT_TRUE(pruned.by_the_clock);
}

TEST(EvolveStage, ProgressNeverFalls) {
  const Table table = test::mixed_table(3, 5, false);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  std::vector<double> shares;
  Control control;
  control.progress = [&](const Progress& now) {
    if (now.activity.starts_with("evolving")) shares.push_back(now.share());
  };
  run_recipe(Recipe::parse("evolve generations=200 patience=8"), {derived, rows, {}, 3},
             Parallel(1), control);
  ASSERT_GT(shares.size(), 8U);  // a better tree came
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
  // A budget is over when its time is. A busy machine may not report in time: then more is given.
  for (auto budget = std::chrono::milliseconds(200); budget < std::chrono::minutes(2);
       budget *= 2) {
    shares = {0};
    control.deadline = Control::Clock::now() + budget;
    run_recipe(Recipe::parse("evolve generations=1000000000 patience=1000000000"),
               {derived, rows, {}, 3}, Parallel(1), control);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    if (shares.back() > 0.5) break;
  }
  EXPECT_GT(shares.back(), 0.5);
}

TEST(EvolveStage, StopsBeforeItsFirstTreesAreThere) {
  const Table table = test::mixed_table(3, 5, false);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  Control control;
  control.deadline = Control::Clock::now();
  std::string note;
  control.note = [&](const Note& said) { note += said.text(); };
  const Trained trained =
      run_recipe(Recipe::parse("evolve"), {derived, rows, {}, 3}, Parallel(1), control);
  EXPECT_EQ(trained.report.stopped, Stopped::budget);
  EXPECT_TRUE(trained.report.repeat_settings.empty());
  EXPECT_EQ(trained.tree.size(), 1U);
  EXPECT_NE(note.find("first trees"), std::string::npos);
}

TEST(EvolveStage, PlacesThresholdsInAsManyRoundsAsItMay) {
  // More different values than the search looks at.
  std::vector<double> x;
  std::vector<int32_t> classes;
  Random random(1, "places");
  for (size_t i = 0; i < 30000; ++i) {
    x.push_back(random.uniform());
    classes.push_back((x.back() < 0.37) == (random.uniform() < 0.8) ? 0 : 1);
  }
  const Table table = test::classes_table({test::numbers(x)}, classes);
  const auto wrong = [&](const std::string& recipe) {
    const Tree tree = test::run(table, recipe);
    double sum = 0;
    for (NodeIndex i = 0; i < tree.size(); ++i) sum += tree.node(i).is_leaf() ? tree.risk(i) : 0;
    return sum;
  };
  const double coarse = wrong("evolve max-depth=1 placing=0"), placed = wrong("evolve max-depth=1");
  EXPECT_LT(placed, coarse);
  EXPECT_EQ(placed, wrong("evolve max-depth=1 cuts=boundary"));
}

// Where placing takes longer than what a search that was stopped may still take.
TEST(EvolveStage, RecordsHowFarItCameInPlacingThresholds) {
  std::vector<double> x, y;
  std::vector<int32_t> classes;
  Random random(1, "long");
  for (size_t i = 0; i < 60000; ++i) {
    x.push_back(random.uniform());
    y.push_back(random.uniform());
    classes.push_back(random.below(2) == 0 ? 0 : 1);
  }
  const Table table = test::classes_table({test::numbers(x), test::numbers(y)}, classes);
  const std::string recipe = "evolve alpha=0 islands=1 population=2 seeded=0 max-depth=14";
  const Outcome stopped = run_evolve(table, recipe, 1, {});
  ASSERT_EQ(stopped.report.stopped, Stopped::interrupt);
  // The generation, and where placing was not done in time also its rounds.
  ASSERT_GE(stopped.report.repeat_settings.size(), 1U);
  std::string again = recipe;
  for (const std::string& setting : stopped.report.repeat_settings) {
    again += " " + setting.substr(setting.find('.') + 1);
  }
  EXPECT_EQ(test::text_of(run_evolve(table, again, 1000, {}).tree, table.schema()),
            test::text_of(stopped.tree, table.schema()));
}

TEST(EvolveStage, KeepsLimits) {
  const Table table = test::mixed_table(3, 5, false);
  for (const size_t leaves : {1, 2, 5}) {
    const Tree tree = test::run(table, "evolve alpha=0 max-leaves=" + std::to_string(leaves));
    EXPECT_LE(shape_of(tree).leaves, leaves);
  }
  // Also where a row may cost more than any limit seems to.
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<double> costs = {0, 1e8, 1e8, 1e8, 0, 1e8, 1e8, 1e8, 0};
  const Tree costly = run_recipe(Recipe::parse("evolve max-leaves=2"),
                                 {derived, rows, {}, 1, false, costs}, Parallel(1), {})
                          .tree;
  EXPECT_EQ(shape_of(costly).leaves, 2U);
  for (const size_t depth : {0, 1, 3}) {
    const Tree tree = test::run(table, "evolve alpha=0 max-depth=" + std::to_string(depth));
    EXPECT_EQ(shape_of(tree).depth, depth);
  }
}

TEST(EvolveStage, RefusesToCountRowsThatWeighNothing) {
  const Table table = test::mixed_table(2, 5, false);
  const auto weighing = [&](double weight) {
    return test::with_weights(table, std::vector<double>(table.rows(), weight));
  };
  const auto rows = static_cast<double>(table.rows());
  EXPECT_THROW(test::run(weighing(1 / rows), "evolve complexity=bic generations=1"), Error);
  EXPECT_NO_THROW(test::run(weighing(2 / rows), "evolve complexity=bic generations=1"));
  EXPECT_NO_THROW(test::run(weighing(1 / rows), "evolve generations=1"));
}

TEST(EvolveStage, KeepsRowsThatHardlyWeigh) {
  const Table plain = test::numbers_table({test::numbers({1, 2, 3, 4, 5, 6})}, {1, 2, 4, 8, 9, 3});
  const Table table = test::with_weights(plain, {1, 1e-30, 1, 1e-30, 1e-30, 1});
  const Tree tree = test::run(table, "evolve alpha=0 generations=5");
  for (NodeIndex i = 0; i < tree.size(); ++i) EXPECT_TRUE(std::isfinite(tree.risk(i)));
  EXPECT_GE(shape_of(tree).leaves, 3U);
}

TEST(EvolveStage, SendsMissingLevelsWhereMostRowsGo) {
  // 60 rows of one kind weigh more than 30 of two.
  std::vector<int32_t> level, classes;
  const auto add = [&](size_t count, int32_t code, int32_t klass) {
    level.insert(level.end(), count, code);
    classes.insert(classes.end(), count, klass);
  };
  add(60, 0, 0);
  add(22, 1, 1);
  add(8, 1, 0);
  add(30, missing_code, 0);
  const Table table = test::classes_table({test::codes(level)}, classes);
  const Tree tree = test::run(table, "evolve max-depth=1 alpha=0");
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree.risk(1) + tree.risk(2), 8);
  EXPECT_EQ(tree.node(0).missing().child, 0U);
}

TEST(EvolveStage, LooksForTheCheapestTreeUnderCosts) {
  const Table table = test::mixed_table(2, 5, false);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<double> costs = {0, 1, 8, 0};
  const auto cost = [&](const std::vector<double>& searched_with) {
    Tree tree = run_recipe(Recipe::parse("evolve"), {derived, rows, {}, 1, false, searched_with},
                           Parallel(1), {})
                    .tree;
    tree.set_costs(costs);
    double sum = 0;
    for (NodeIndex i = 0; i < tree.size(); ++i) sum += tree.node(i).is_leaf() ? tree.risk(i) : 0;
    return sum;
  };
  EXPECT_LT(cost(costs), cost({}));
}

TEST(EvolveStage, TheUnitOfCostsDoesNotMatter) {
  const Table table = test::mixed_table(2, 5, false);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  for (const std::string recipe : {"evolve", "evolve complexity=bic"}) {
    const auto tree = [&](double unit) {
      const std::vector<double> costs = {0, 1 * unit, 8 * unit, 0};
      Tree found =
          run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1, false, costs}, Parallel(1), {})
              .tree;
      EXPECT_GT(found.size(), 1U);
      found.set_costs({});
      return test::text_of(found, table.schema());
    };
    EXPECT_EQ(tree(1024), tree(1)) << recipe;
    EXPECT_EQ(tree(1.0 / 1024), tree(1)) << recipe;
  }
}

// Of many rows the price of a leaf lies between half a row and the paper's.
TEST(EvolveStage, TheUnitOfCostsDoesNotMatterToThePriceOfManyRows) {
  constexpr size_t count = 3000;
  Random random(1, "steps");
  std::vector<double> x(count), other(count);
  std::vector<int32_t> classes(count);
  for (size_t i = 0; i < count; ++i) {
    x[i] = static_cast<double>(random.below(40));
    other[i] = static_cast<double>(random.below(40));
    const bool odd = static_cast<size_t>(x[i] / 10 + other[i] / 20) % 2 == 1;
    classes[i] = odd == (random.uniform() < 0.8) ? 1 : 0;
  }
  const Table table = test::classes_table({test::numbers(x), test::numbers(other)}, classes);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const auto tree = [&](double unit) {
    const std::vector<double> costs = {0, 1 * unit, 2 * unit, 0};
    const Recipe recipe = Recipe::parse("evolve generations=60 islands=1");
    Tree found = run_recipe(recipe, {derived, rows, {}, 1, false, costs}, Parallel(1), {}).tree;
    EXPECT_GT(found.size(), 1U);
    found.set_costs({});
    return test::text_of(found, table.schema());
  };
  const std::string usual = tree(1);
  EXPECT_EQ(tree(1024), usual);
  EXPECT_EQ(tree(1.0 / 1024), usual);
}

TEST(EvolveStage, AvoidsInputsThatCost) {
  std::vector<double> x;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < 40; ++i) {
    x.push_back(static_cast<double>(i));
    classes.push_back(i < 20 ? 0 : 1);
  }
  const Table table = test::classes_table({test::numbers(x), test::numbers(x)}, classes);
  const auto feature = [&](const std::string& recipe) {
    return gate_features(test::run(table, recipe).node(0).gate());
  };
  for (const std::string complexity : {"nodes", "leaves", "bic"}) {
    const std::string recipe = "evolve complexity=" + complexity + " feature-costs=";
    EXPECT_EQ(feature(recipe + "x0:3"), std::vector<uint32_t>{1}) << complexity;
    EXPECT_EQ(feature(recipe + "x1:3"), std::vector<uint32_t>{0}) << complexity;
  }
}

TEST(EvolveStage, SolvesTheBoardThatGreedyGrowthLeavesAlone) {
  std::vector<double> x, y;
  std::vector<int32_t> classes;
  Random random(1, "board");
  for (size_t i = 0; i < 400; ++i) {
    x.push_back(random.uniform() * 2);
    y.push_back(random.uniform() * 2);
    classes.push_back((x.back() < 1) == (y.back() < 1) ? 0 : 1);
  }
  const Table table = test::classes_table({test::numbers(x), test::numbers(y)}, classes);
  for (const char* recipe : {"evolve", "evolve cuts=boundary"}) {
    const Tree tree = test::run(table, recipe);
    EXPECT_EQ(tree.size(), 7U);
  }
}

// Ten classes in so many strips, some labels wrong.
Table strips(size_t rows, double wrong) {
  Random random(8, "strips");
  std::vector<double> a(rows), b(rows);
  std::vector<int32_t> classes(rows);
  for (size_t i = 0; i < rows; ++i) {
    a[i] = random.uniform();
    b[i] = random.uniform();
    classes[i] = static_cast<int32_t>(40 * a[i]) * 3 % 10;
    if (random.uniform() < wrong) classes[i] = static_cast<int32_t>(random.below(10));
  }
  return test::classes_table({test::numbers(a), test::numbers(b)}, classes);
}

// At the paper's price, 0.5 % of the rows per leaf, most of the 40 strips would not pay.
TEST(EvolvePrice, FitsManyRowsAndClasses) {
  const Table table = strips(2000, 0.0);
  EXPECT_GE(shape_of(test::run(table, "evolve generations=60")).leaves, 40U);
}

TEST(EvolvePrice, IsNeverAboveThePapers) {
  const Table noise = strips(300, 1.0);
  EXPECT_EQ(shape_of(test::run(noise, "evolve generations=30")).leaves,
            shape_of(test::run(noise, "evolve generations=30 alpha=0.0025")).leaves);
}

TEST(EvolvePrice, RisesWithNoise) {
  EXPECT_LT(shape_of(test::run(strips(1500, 0.4), "evolve generations=30")).leaves, 100U);
}

}  // namespace
}  // namespace softwood
