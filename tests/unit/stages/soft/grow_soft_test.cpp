// Soft trees whose gates and leaves are trained at once.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.h"
#include "base/text.h"
#include "gradient/compile.h"
#include "softwood/error.h"
#include "stages/soft/choose.h"
#include "stages/soft/constants.h"
#include "stages/soft/last_fit.h"
#include "stages/soften/gradient.h"
#include "support/grow.h"
#include "support/interruption.h"
#include "support/points.h"
#include "support/soft_fits.h"
#include "support/tables.h"
#include "use/evaluate.h"
#include "use/predict.h"

namespace softwood {
namespace {

using namespace test;

TEST(FullSoftTree, ChoosesTermsThatFit) {
  const Tree tree = test::run(ring(400, 1), "grow-soft shape=full");
  EXPECT_LT(error_on(tree, ring(2000, 2)), 0.04);
  EXPECT_LT(error_on(test::run(slanted(400, 1), "grow-soft shape=full"), slanted(2000, 2)), 0.03);
}

// A value says little, a missing one which class it is.
TEST(FullSoftTree, LearnsFromCellsThatAreMissing) {
  const auto drawn = [](uint64_t seed) {
    Random random(seed, "missing cells");
    std::vector<double> x;
    std::vector<int32_t> classes;
    for (size_t i = 0; i < 600; ++i) {
      classes.push_back(i % 2 == 0 ? 1 : 0);
      const double value = (i % 2 == 0 ? 1.5 : 0) + random.normal();
      x.push_back(i % 4 == 0 ? missing_number : value);
    }
    return classes_table({numbers(std::move(x))}, std::move(classes));
  };
  const Table table = drawn(1), others = drawn(2);
  const std::string recipe =
      "grow-soft shape=full depth=1 leaves=constant terms=linear map=none members=1 impute=";
  const double typical = error_on(test::run(table, recipe + "typical"), others);
  const double informative = error_on(test::run(table, recipe + "informative"), others);
  EXPECT_LT(informative, typical - 0.03);
  EXPECT_EQ(error_on(test::run(table, recipe + "auto"), others), informative);
}

TEST(FullSoftTree, IsSmallerWithAnL1Penalty) {
  const Table table =
      test::random_table({.rows = 300, .classes = 2, .numeric = 8, .nominal = 0}, 17);
  const std::string recipe =
      "grow-soft shape=full depth=2 terms=linear map=none leaves=constant decay=0 members=3 l1=";
  const auto size = [&](const char* l1) {
    return shape_of(test::run(table, recipe + l1)).parameters;
  };
  EXPECT_LT(size("0.3"), size("0"));
}

TEST(FullSoftTree, IsTrainedAlsoWhereSparseGatesCutNothing) {
  const Table table = slanted(300, 1);
  const std::string given =
      "grow-soft shape=full depth=2 map=none decay=0 steps=300 terms=linear leaves=constant "
      "members=1";
  EXPECT_EQ(error_on(test::run(table, given + " sparse=2"), table),
            error_on(test::run(table, given), table));
}

// One cut says all that there is: most of the other gates send all rows one way.
TEST(FullSoftTree, LeavesOutWhatHardlyAnyRowReachesWhereGatesAreSparse) {
  Random random(4, "step");
  std::vector<double> a(300), b(300);
  std::vector<int32_t> y(300);
  for (size_t i = 0; i < y.size(); ++i) {
    a[i] = random.uniform();
    b[i] = random.uniform();
    y[i] = a[i] < 0.4 ? 1 : 0;
  }
  const Table table = test::classes_table({test::numbers(a), test::numbers(b)}, y);
  const Tree tree = test::run(table,
                              "grow-soft shape=full depth=4 map=none terms=linear leaves=constant "
                              "folds=2 members=1 sparse=1");
  EXPECT_LT(tree.size(), 31U);
  double leaves = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    EXPECT_GT(tree.weight(i), soft::Constants::least_read_share * tree.weight(0));
    if (tree.node(i).is_leaf()) leaves += tree.weight(i);
  }
  EXPECT_NEAR(leaves, 300, 1e-6);  // counted again
  EXPECT_LT(error_on(tree, table), 0.02);
}

TEST(FullSoftTree, CountsInputsWhereGatesAreSparse) {
  const Table table =
      test::random_table({.rows = 200, .classes = 2, .numeric = 3, .nominal = 2, .levels = 4}, 17);
  for (const char* made : {"terms=squares map=none", "terms=quadratic map=none",
                           "terms=linear map=knots", "terms=linear map=none"}) {
    SCOPED_TRACE(made);
    const Tree tree = test::run(
        table, std::string("grow-soft shape=full depth=3 sparse=2 steps=60 leaves=constant decay=0 "
                           "members=2 folds=2 ") +
                   made);
    size_t terms = 0;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (tree.node(i).is_leaf()) continue;
      const std::vector<uint32_t> used = gate_features(tree.node(i).gate());
      EXPECT_EQ(std::set<uint32_t>(used.begin(), used.end()).size(), 2U);
      terms = std::max(terms, linear_form(tree.node(i).gate())->terms.size());
    }
    EXPECT_GT(terms, 2U);  // of levels, too
  }
}

TEST(FullSoftTree, IsJudgedByHeldOutRowsHoweverFew) {
  const Table noise = test::random_table({.rows = 12, .classes = 2, .numeric = 2}, 3);
  std::vector<std::string> notes;
  Control control;
  control.note = [&](const Note& said) { notes.push_back(said.text()); };
  const auto notes_with = [&](const std::string& recipe) {
    notes.clear();
    Derived derived(noise);
    run_recipe(Recipe::parse(recipe), {derived, all_rows(noise), {}, 1}, Parallel(1), control);
    return join(notes, " ");
  };
  EXPECT_NE(notes_with("grow-soft shape=full").find("held-out loss"), std::string::npos);
  EXPECT_EQ(notes_with("grow-soft shape=full").find("nothing was held out"), std::string::npos);
  EXPECT_NE(notes_with("grow-soft shape=full folds=1").find("nothing was held out"),
            std::string::npos);
}

TEST(FullSoftTree, AnswersNearItsTargets) {
  std::vector<double> x, y;
  for (size_t i = 0; i < 200; ++i) {
    x.push_back(static_cast<double>(i) / 200);
    y.push_back(3 * x[i]);
  }
  const Table table = test::numbers_table({test::numbers(x)}, y);
  const Tree tree = test::run(table, "grow-soft shape=full leaves=linear depth=1 steps=300");
  const double width = y.back() - y.front();
  EXPECT_NEAR(tree.leaf_plan().low, y.front() - 0.1 * width, 1e-9);
  EXPECT_NEAR(tree.leaf_plan().high, y.back() + 0.1 * width, 1e-9);
  const Table far = test::numbers_table({test::numbers({-1e6, 1e6})}, {0, 0});
  for (const double answer : predict(tree, far, all_rows(far), Parallel(1)).answers) {
    EXPECT_GE(answer, tree.leaf_plan().low);
    EXPECT_LE(answer, tree.leaf_plan().high);
  }
}

TEST(FullSoftTree, HasTheShapeThatIsAskedFor) {
  const std::string given = "grow-soft shape=full map=none decay=0 steps=50 ";
  const Table table = slanted(100, 1);
  for (const size_t depth : {0, 1, 3}) {
    const Tree tree =
        test::run(table, given + "terms=linear leaves=constant depth=" + std::to_string(depth));
    EXPECT_EQ(shape_of(tree).leaves, size_t{1} << depth);
    EXPECT_EQ(shape_of(tree).depth, depth);
  }
  EXPECT_EQ(most_terms(test::run(table, given + "terms=squares leaves=constant depth=2")), 4U);
  EXPECT_EQ(most_terms(test::run(table, given + "terms=quadratic leaves=constant depth=2")), 5U);
  EXPECT_EQ(most_terms(test::run(table, given + "terms=linear sparse=1 depth=2")), 1U);
  EXPECT_EQ(most_terms(test::run(table,
                                 "grow-soft shape=full map=knots decay=0 steps=50 terms=linear "
                                 "leaves=constant depth=2")),
            10U);
  const Tree linear = test::run(table, given + "terms=linear leaves=linear depth=1");
  EXPECT_EQ(linear.node(1).model->terms.size(), 2U);
}

// Far from 0 the parts of a square in the units of the data cancel.
TEST(FullSoftTree, FindsARingWhereverItLies) {
  for (const double shift : {0.0, 1e3, 1e9}) {
    const auto moved = [&](Table table) {
      std::vector<double> first = table.input(0).numbers.to_vector();
      for (double& cell : first) cell += shift;
      return Table(table.schema(), table.rows(), {test::numbers(first), table.input(1)},
                   table.target(), {});
    };
    const Tree tree =
        test::run(moved(ring(300, 4)),
                  "grow-soft shape=full depth=3 map=none terms=quadratic steps=600 decay=0");
    EXPECT_LT(error_on(tree, moved(ring(1000, 5))), 0.1) << shift;
  }
}

TEST(FullSoftTree, IsNotBlownUpByItsDecay) {
  const Table table = slanted(60, 1);
  const Tree tree = test::run(table, "grow-soft shape=full depth=2 decay=100 rate=1 steps=100");
  EXPECT_LT(error_on(tree, table), 0.6);
  for (const Term& term : linear_form(tree.node(0).gate())->terms) {
    EXPECT_LT(std::fabs(term.coefficient), 1e4);
  }
}

// Steps along both inputs, as a greedy tree finds them and a full tree of six levels does not.
Table steps_table(size_t rows, uint64_t seed) {
  Random random(seed, "steps");
  std::vector<double> a, b, y;
  for (size_t i = 0; i < rows; ++i) {
    a.push_back(random.uniform());
    b.push_back(random.uniform());
    const double heights[] = {0, 3, -2, 5, 1, 4, -3, 2};
    y.push_back(heights[static_cast<size_t>(8 * a[i])] * heights[static_cast<size_t>(4 * b[i])] +
                0.1 * random.normal());
  }
  return numbers_table({numbers(a), numbers(b)}, y);
}

TEST(FullSoftTree, StartsFromAGreedyTreeWhereThatIsBetter) {
  const Table table = steps_table(1500, 1), others = steps_table(1000, 2);
  const std::string given =
      "grow-soft shape=full terms=linear leaves=constant map=none members=1 folds=2 steps=1500 ";
  const Tree tree = test::run(table, given);
  const Tree full = test::run(table, given + "depth=6");
  EXPECT_LT(squared_error(tree, others), 0.7 * squared_error(full, others));
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    EXPECT_EQ(linear_form(tree.node(i).gate())->link.form, LinkForm::ramp);
  }
}

// The more classes there are, the more boxes there may be, and the more steps they take.
TEST(FullSoftTree, HasLeavesForManyClasses) {
  constexpr size_t classes = 24;
  const auto drawn = [](size_t count, uint64_t seed) {
    Random random(seed, "boxes");
    std::vector<double> a, b;
    std::vector<int32_t> codes;
    for (size_t i = 0; i < count; ++i) {
      a.push_back(random.uniform());
      b.push_back(random.uniform());
      const auto box = static_cast<size_t>(8 * a[i]) * 8 + static_cast<size_t>(8 * b[i]);
      codes.push_back(static_cast<int32_t>(mix64(box) % classes));
    }
    return classes_table({numbers(a), numbers(b)}, codes, {}, classes);
  };
  const Table table = drawn(1500, 1), others = drawn(1000, 2);
  const Tree tree = test::run(
      table, "grow-soft shape=full terms=linear leaves=constant map=none members=1 folds=2");
  EXPECT_GT(shape_of(tree).leaves, 32U);
  EXPECT_LT(error_on(tree, others), 0.2);
}

TEST(FullSoftTree, IsBetterDistilledThanByItself) {
  double distilled = 0, alone = 0;
  for (const uint64_t seed : {1, 2, 3}) {
    const Table table = noisy_ring(250, seed), others = noisy_ring(2000, 10 + seed);
    const std::string given =
        "grow-soft shape=full depth=3 terms=linear leaves=constant map=none steps=600 ";
    distilled += error_on(test::run(table, given + "members=8"), others);
    alone += error_on(test::run(table, given + "members=1"), others);
  }
  EXPECT_LT(distilled, alone);
}

TEST(FullSoftTree, TakesGreedyTreesOfAllKindsOfInputs) {
  for (const size_t classes : {0, 2, 3}) {
    const Table table = test::random_table(
        {.rows = 200, .classes = classes, .nominal = 2, .ordinal = 1, .missing = 0.2}, 41);
    for (const char* prefer : {"accuracy", "size"}) {
      const Tree tree = test::run(
          table, std::string("grow-soft shape=full steps=40 members=3 folds=2 prefer=") + prefer);
      for (const double answer : predict(tree, table, all_rows(table), Parallel(1)).answers) {
        EXPECT_TRUE(std::isfinite(answer));
      }
    }
  }
}

TEST(FullSoftTree, IsSmallerWhenThatIsPreferred) {
  const Table table = noisy_ring(2000, 3), others = noisy_ring(2000, 4);
  const std::string given = "grow-soft shape=full terms=linear leaves=constant decay=0 map=none ";
  const Tree best = test::run(table, given + "prefer=accuracy");
  const Tree balanced = test::run(table, given + "prefer=balanced");
  const Tree small = test::run(table, given + "prefer=size");
  EXPECT_LE(balanced.size(), best.size());
  EXPECT_LT(small.size(), best.size());
  EXPECT_LT(error_on(small, others), 0.2);
}

TEST(FullSoftTree, IsFittedOnceWithEachSetting) {
  const Table table = ring(150, 5);
  FitsOf shop(table);
  soft::Preferences preferences;
  preferences.any_depth = preferences.any_leaves = preferences.any_decay = true;
  preferences.tolerance.share = 0.2;  // smaller ones are tried again
  preferences.settings.schedule.set_steps(100);
  const std::vector<soft::Fitted> pool = soft::choose(shop.fits, preferences).pool;
  for (size_t a = 0; a < pool.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      EXPECT_FALSE(soft::same_fit(pool[a].settings, pool[b].settings)) << a << " " << b;
    }
  }
  EXPECT_GT(pool.size(), 5U);
  for (const soft::Fitted& fitted : pool) {
    EXPECT_EQ(fitted.settings.effort, 1);
    EXPECT_EQ(fitted.parameters.size(), 2U);
    EXPECT_EQ(fitted.losses.size(), 150U);
  }
}

// Half of what a ring tells is hidden by wrong labels: 20 % of the loss is more than what is left.
TEST(FullSoftTree, KeepsWhatItGainsWhenItIsToBeSmall) {
  const Table clean = ring(3000, 3);
  std::vector<int32_t> classes = clean.target().codes.to_vector();
  Random random(9, "labels");
  for (int32_t& code : classes) code ^= random.uniform() < 0.3 ? 1 : 0;
  const Table table = test::classes_table({clean.input(0), clean.input(1)}, classes);
  const Tree tree = test::run(table,
                              "grow-soft shape=full terms=linear leaves=constant map=none decay=0 "
                              "steps=600 members=1 prefer=size");
  EXPECT_LT(error_on(tree, ring(1000, 4)), 0.15);
}

TEST(FullSoftTree, IsChosenBySomeOfVeryManyRows) {
  std::vector<double> x;
  std::vector<int32_t> classes;
  for (int i = 0; i < 60000; ++i) {
    x.push_back(i);
    classes.push_back(i % 10 == 0 ? 1 : 0);
  }
  const Table table = test::classes_table({test::numbers(x)}, classes);
  const FitsOf shop(table);
  EXPECT_EQ(shop.parts.all_rows(), 60000U);
  EXPECT_NEAR(static_cast<double>(shop.parts.rows()), 50000, 1);
  for (size_t part = 0; part < 2; ++part) {
    const std::span<const RowIndex> rows = shop.parts.part(part)[0].rows;
    const auto rare =
        std::count_if(rows.begin(), rows.end(), [&](RowIndex row) { return classes[row] == 1; });
    EXPECT_NEAR(static_cast<double>(rare), 2500, 2);
  }
}

// What a student is judged by must have had no part in its lessons.
TEST(FullSoftTree, LearnsFromRowsWithoutThePartThatJudges) {
  const Table table = ring(200, 5);
  FitsOf shop(table);
  const soft::AskedRows asked(shop.fits);
  size_t synthetic = 0;
  for (size_t part = 0; part < 2; ++part) {
    const std::vector<uint32_t> own = asked.of(part).numbers;
    const std::vector<uint32_t> learned = asked.to_learn(part).numbers;
    EXPECT_EQ(own.size(), 100U);
    for (const uint32_t number : own) {
      EXPECT_EQ(std::count(learned.begin(), learned.end(), number), 0) << number;
    }
    synthetic += learned.size() - 100;
    for (const uint32_t number : asked.to_judge(part).numbers) {
      EXPECT_EQ(std::count(learned.begin(), learned.end(), number), 0) << number;
    }
  }
  // Those between rows of both parts are in neither lesson.
  EXPECT_LT(synthetic, asked.to_learn(std::nullopt).numbers.size() - 200);
  EXPECT_GT(synthetic, 0U);
}

// A fit to one part is the same whatever its rows weigh together; as judges they count by weight.
TEST(FullSoftTree, HeavyPartsCountMore) {
  const Table table = ring(400, 5);
  FitsOf plain(table);
  std::vector<double> weights(table.rows(), 1.0);
  for (const RowIndex row : plain.parts.part(0)[0].rows) weights[row] = 3;
  const Table heavy = test::with_weights(table, weights);
  FitsOf weighted(heavy);
  soft::Settings settings;
  settings.depth = 2;
  settings.schedule.set_steps(300);
  const auto sums = [&](FitsOf& shop) {
    const soft::Fitted fitted = shop.fits.fit_all({settings}, 1)[0];
    const auto end =
        fitted.losses.begin() + static_cast<std::ptrdiff_t>(shop.parts.part(0)[0].rows.size());
    return std::pair(std::accumulate(fitted.losses.begin(), end, 0.0),
                     std::accumulate(end, fitted.losses.end(), 0.0));
  };
  const auto [first, second] = sums(plain);
  const auto [heavy_first, light_second] = sums(weighted);
  EXPECT_NEAR(heavy_first / first, 3 / 2.0, 0.1);
  EXPECT_NEAR(light_second / second, 1 / 2.0, 0.05);
}

// One gate can't do what those of a ring do: it learns less from the same ensemble.
TEST(FullSoftTree, IsOfTheKindThatLearnsBest) {
  const Table table = ring(300, 7);
  FitsOf shop(table);
  std::vector<soft::Settings> kinds(2);
  for (soft::Settings& kind : kinds) kind.schedule.set_steps(400);
  kinds[0].depth = 1;
  kinds[1].depth = 3;
  const std::vector<soft::Fitted> pool = shop.fits.fit_all(kinds, 1);
  const soft::Finished any = soft::finish(shop.fits, pool[0], pool, 3, true);
  EXPECT_EQ(any.made_as, &pool[1]);
  ASSERT_TRUE(any.trial);
  EXPECT_TRUE(any.trial->helps);
  EXPECT_LT(any.trial->taught, any.trial->alone);
  EXPECT_EQ(shape_of(any.tree).depth, 3U);
  const soft::Finished given = soft::finish(shop.fits, pool[0], pool, 3, false);
  EXPECT_EQ(given.made_as, &pool[0]);
  EXPECT_EQ(shape_of(given.tree).depth, 1U);
  EXPECT_LT(error_on(any.tree, ring(1000, 8)), error_on(given.tree, ring(1000, 8)) / 2);
}

TEST(FullSoftTree, IsTheSameOnAnyNumberOfThreads) {
  const Table table = ring(120, 5);
  const std::string recipe = "grow-soft shape=full steps=200";
  const auto answers = [&](int threads, uint64_t seed) {
    const Tree tree = test::run(table, recipe, Parallel(threads), seed);
    return predict(tree, table, all_rows(table), Parallel(1)).answers;
  };
  EXPECT_EQ(answers(1, 1), answers(2, 1));
  EXPECT_NE(answers(1, 1), answers(1, 2));
}

// One gate is all that a slanted border needs, a fifth of the rows being on its wrong side: of
// trees that learn that about equally well the smallest.
TEST(FullSoftTree, IsTheSmallestOfThoseThatLearnWell) {
  const Table border = slanted(1000, 9);
  std::vector<int32_t> classes = border.target().codes.to_vector();
  for (size_t i = 0; i < classes.size(); i += 5) classes[i] ^= 1;
  const Table table = test::classes_table({border.input(0), border.input(1)}, classes);
  FitsOf shop(table);
  std::vector<soft::Settings> kinds(2);
  for (soft::Settings& kind : kinds) kind.schedule.set_steps(400);
  kinds[0].depth = 4;
  kinds[1].depth = 1;
  const std::vector<soft::Fitted> pool = shop.fits.fit_all(kinds, 1);
  EXPECT_EQ(soft::finish(shop.fits, pool[0], pool, 3, true).made_as, &pool[1]);
}

TEST(FullSoftTree, MultipliesTheInputsThemselves) {
  const Table table = ring(200, 3);
  const Tree tree = test::run(table, "grow-soft shape=full terms=squares depth=1 steps=50");
  EXPECT_EQ(most_terms(tree), 4U);
  EXPECT_THROW(test::run(table, "grow-soft shape=full terms=squares map=asinh"), Error);
}

TEST(FullSoftTree, TakesFewValidationRows) {
  const Table table = slanted(100, 1), few = slanted(3, 2);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table), others = all_rows(few);
  const Tree tree = run_recipe(Recipe::parse("grow-soft shape=full depth=1 steps=50 members=1"),
                               {derived, rows, Sample{&few, others}}, Parallel(1), {})
                        .tree;
  EXPECT_EQ(tree.size(), 3U);
}

// A share of 0.2 of the variance is noise, whatever the unit.
TEST(FullSoftTree, TellsTheShareOfTheVarianceThatIsLeft) {
  for (const double unit : {1.0, 1000.0}) {
    Random random(3, "line");
    std::vector<double> a, y;
    for (size_t i = 0; i < 2000; ++i) {
      a.push_back(random.normal());
      y.push_back(unit * (2 * a[i] + random.normal()));
    }
    const Table table = numbers_table({numbers(a)}, y);
    std::string note;
    Control control;
    control.note = [&](const Note& said) { note = said.text(); };
    Derived derived(table);
    const std::vector<RowIndex> rows = all_rows(table);
    run_recipe(Recipe::parse("grow-soft shape=full depth=0 leaves=linear terms=linear map=none "
                             "decay=0 steps=500 members=1"),
               {derived, rows, {}, 1}, Parallel(1), control);
    const std::string before = "held-out loss ";
    ASSERT_NE(note.find(before), std::string::npos) << note;
    EXPECT_NEAR(std::stod(note.substr(note.find(before) + before.size())), 0.2, 0.02) << note;
    EXPECT_NE(note.find(" of the variance"), std::string::npos) << note;
  }
}

// Each option is for one shape; with the other it would do nothing.
TEST(GrowSoft, RefusesOptionsOfTheOtherShape) {
  for (const char* recipe : {"grow-soft sparse=2", "grow-soft prefer=size", "grow-soft depth=3",
                             "grow-soft steps=10", "grow-soft shape=full tries=3",
                             "grow-soft shape=full hold-out=0.3", "evolve directions=10"}) {
    EXPECT_THROW(Recipe::parse(recipe), Error) << recipe;
  }
  EXPECT_NO_THROW(Recipe::parse("grow-soft shape=full sparse=2 prefer=size"));
  EXPECT_NO_THROW(Recipe::parse("evolve split=oblique directions=10"));
}

TEST(SoftTrees, RefuseTargetsWhoseVarianceIsBeyondTheNumbers) {
  std::vector<double> x, y;
  for (size_t i = 0; i < 60; ++i) {
    x.push_back(static_cast<double>(i));
    y.push_back(i % 2 == 0 ? 1e300 : -1e300);
  }
  const Table table = test::numbers_table({test::numbers(x)}, y);
  for (const char* recipe : {"grow-soft", "grow-soft shape=full", "grow | refine by=gradient",
                             "grow | soften by=gradient"}) {
    EXPECT_THROW(test::run(table, recipe), Error) << recipe;
  }
}

TEST(FullSoftTree, SaysWhenItIsARegression) {
  const Table table = slanted(200, 1);
  for (const std::string depth : {"0", "1"}) {
    std::string notes;
    Control control;
    control.note = [&](const Note& said) { notes += said.text(); };
    Derived derived(table);
    run_recipe(Recipe::parse("grow-soft shape=full leaves=linear terms=linear map=none decay=0 "
                             "steps=100 members=1 depth=" +
                             depth),
               {derived, all_rows(table), {}, 1}, Parallel(1), control);
    EXPECT_EQ(notes.find("logistic regression, not a tree") != std::string::npos, depth == "0")
        << notes;
  }
}

// The terms of a linear leaf stand in the order of their effect.
TEST(FullSoftTree, HasTheTermsOfItsLeavesByEffect) {
  Random random(5, "effects");
  std::vector<double> a, b, y;
  for (size_t i = 0; i < 300; ++i) {
    a.push_back(random.normal());
    b.push_back(1000 * random.normal());
    y.push_back(0.1 * a.back() + 0.002 * b.back());
  }
  const Table table = test::numbers_table({test::numbers(a), test::numbers(b)}, y);
  const Tree tree = test::run(
      table, "grow-soft shape=full depth=0 leaves=linear terms=linear map=none members=1");
  ASSERT_TRUE(tree.node(0).model);
  ASSERT_EQ(tree.node(0).model->terms.size(), 2U);
  EXPECT_EQ(tree.node(0).model->terms[0].feature, 1U);
  EXPECT_NEAR(tree.node(0).model->row(0)[1], 0.002, 2e-4);
}

}  // namespace
}  // namespace softwood
