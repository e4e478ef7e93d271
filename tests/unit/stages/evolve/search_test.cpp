// What the search prefers: prices and pruning, rows by their weight, tests of levels, places of
// thresholds; and that it stays within its memory.
#include <gtest/gtest.h>

#include <cmath>

#include "stages/evolve/search.h"
#include "stages/evolve/to_tree.h"
#include "support/evolution.h"
#include "support/grow.h"
#include "support/mixed_table.h"
#include "support/trees.h"
#include "tree/compiled.h"

namespace softwood::evolve {
namespace {

using test::Problem;

TEST(Fitness, AddsTheSquaredErrorOfTheMeanInRegression) {
  Fitness fitness;
  fitness.complexity = Complexity::bic;
  fitness.alpha = 1;
  fitness.weight = 100;
  fitness.root_loss = 400;
  // evtree's N log(mse) + 4 (M + 1) log N, divided by N and measured from the variance, 4.
  const double price = 4 * std::log(100.0) / 100;
  EXPECT_DOUBLE_EQ(fitness.value(40, 5, 3), -std::log((0.4 + 4.0 / 100) / 4) - 3 * price);
  // A leaf for each row, without any error, is worth less than a single leaf at any number of rows.
  for (const double rows : {4.0, 20.0, 100.0, 1000.0, 1e6}) {
    fitness.weight = rows;
    EXPECT_LT(fitness.value(0, 2 * rows - 1, rows), fitness.value(400, 1, 1)) << rows;
  }
  // The price is the slope of the fitness.
  fitness.weight = 100;
  for (const double loss : {0.0, 1.0, 40.0, 400.0}) {
    const double step = 1e-6 * (1 + loss);
    const double slope = (fitness.value(loss, 5, 3) - fitness.value(loss + step, 5, 3)) / step;
    const double leaf = fitness.value(loss, 5, 3) - fitness.value(loss, 7, 4);
    EXPECT_NEAR(fitness.price(loss), leaf / slope, 1e-5 * fitness.price(loss));
  }
}

TEST(Fitness, KnowsHowManyOutcomesCanPay) {
  Fitness fitness;
  fitness.classes = 2;
  fitness.alpha = 0.0025;
  fitness.weight = 1000;
  fitness.root_loss = 400;
  // 0.4 are gained at most, and k leaves cost 0.0025 k more than one.
  EXPECT_EQ(fitness.most_outcomes(100000), 159U);
  EXPECT_EQ(fitness.most_outcomes(10), 10U);
  fitness.max_leaves = 7;
  EXPECT_EQ(fitness.most_outcomes(100000), 7U);
  fitness.max_leaves = 1000000;
  fitness.alpha = 0;
  EXPECT_EQ(fitness.most_outcomes(100000), 100000U);
}

TEST(Pruning, NeverLowersTheFitness) {
  size_t pruned = 0;
  for (const size_t classes : {size_t{3}, size_t{0}}) {
    for (const Complexity complexity : {Complexity::nodes, Complexity::leaves, Complexity::bic}) {
      for (const bool weights : {false, true}) {
        Problem problem(test::mixed_table(classes, 3, weights), true, 1000);
        problem.fitness.complexity = complexity;
        problem.fitness.alpha = complexity == Complexity::bic ? 1 : 0.0025;
        Operators operators(problem.rows, problem.fitness);
        Router router(problem.rows, problem.fitness);
        Random random(4, "pruning");
        for (size_t i = 0; i < 60; ++i) {
          Individual tree;
          operators.dipolar_tree(tree, random);
          for (size_t k = 0; k < 6; ++k) {
            const size_t node = random.below(tree.genes.size());
            if (tree.genes[node].is_leaf()) operators.split_leaf(tree, node, random);
          }
          router.reroute(tree, false);
          Individual less = tree;
          router.reroute(less, true);
          EXPECT_GE(less.fitness, tree.fitness - 1e-12);
          pruned += less.genes.size() < tree.genes.size() ? 1 : 0;
          Individual again = less;
          router.reroute(again, true);
          EXPECT_EQ(again.genes.size(), less.genes.size());
        }
      }
    }
  }
  EXPECT_GT(pruned, 300U);
}

// With the price that a leaf has in a single leaf, the second step would not pay: it explains 1 %
// of the variance, which is nearly all that the first leaves.
TEST(Pruning, IsAtThePriceOfTheTreeThatIsThere) {
  std::vector<double> x, y;
  Random random(1, "steps");
  for (size_t i = 0; i < 400; ++i) {
    x.push_back(static_cast<double>(i));
    y.push_back((i < 200 ? 0 : 20) + (i % 200 < 100 ? 0 : 2) + 0.1 * random.normal());
  }
  const Table table = test::numbers_table({test::numbers(x)}, y);
  for (const char* recipe : {"evolve complexity=bic", "evolve complexity=bic improve=0 seeded=0"}) {
    EXPECT_EQ(shape_of(test::run(table, recipe)).leaves, 4U) << recipe;
  }
}

// The second class has one row. Each of the first class differs from it in one input only, so that
// the test of a dipole says which of them was drawn; how often it is the first.
double share_of_first_row(const std::vector<double>& weights, double weight_of_second_class) {
  const size_t rows = weights.size();
  std::vector<Column> inputs;
  for (size_t f = 0; f < rows; ++f) {
    std::vector<double> x(rows + 1, 0.0);
    x[f] = 1;
    inputs.push_back(test::numbers(x));
  }
  std::vector<int32_t> classes(rows, 0);
  classes.push_back(1);
  std::vector<double> all = weights;
  all.push_back(weight_of_second_class);
  Problem problem(test::classes_table(std::move(inputs), classes, all), true, 1000);
  problem.fitness.alpha = 0;
  Operators operators(problem.rows, problem.fitness);
  Random random(2, "weights");
  constexpr size_t draws = 3000;
  size_t first = 0;
  for (size_t i = 0; i < draws; ++i) {
    Individual tree;
    operators.dipolar_tree(tree, random, 1);
    first += tree.genes[0].feature == 0 ? 1 : 0;
  }
  return static_cast<double>(first) / draws;
}

TEST(Operators, DrawDipolesByWeight) {
  EXPECT_NEAR(share_of_first_row({1, 1, 1, 1, 1}, 20), 0.2, 0.03);
  EXPECT_NEAR(share_of_first_row({6, 1, 1, 1, 1}, 20), 0.6, 0.03);
  EXPECT_NEAR(share_of_first_row({0.5, 1, 1, 1, 1.5}, 20), 0.1, 0.03);
  // Where few rows weigh the same.
  EXPECT_NEAR(share_of_first_row({18, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 7}, 200), 0.2, 0.03);
  // However much others weigh.
  EXPECT_NEAR(share_of_first_row({6, 1, 1, 1, 1}, 1e9), 0.6, 0.03);
}

TEST(EvolveStage, ARowOfWeightTwoIsTheRowTwice) {
  const Table plain = test::mixed_table(3, 5, false);
  std::vector<RowIndex> twice;
  std::vector<double> weights;
  for (const RowIndex row : all_rows(plain)) {
    weights.push_back(row % 3 == 0 ? 2 : 1);
    twice.insert(twice.end(), row % 3 == 0 ? 2 : 1, row);
  }
  const Table heavy = test::with_weights(plain, weights);
  const Table longer = test::part_of(plain, twice);
  // With a price: to ask the rows for one divides them, and the caller makes copies and weights
  // alike first.
  for (const std::string recipe : {"evolve alpha=0.0025 generations=30",
                                   "evolve alpha=0.0025 generations=300 population=50 seeded=0 "
                                   "improve=0 islands=1 cuts=boundary"}) {
    EXPECT_EQ(test::text_of(test::run(heavy, recipe), plain.schema()),
              test::text_of(test::run(longer, recipe), plain.schema()));
  }
}

// Of the reds those up to 5 are of the first class; of the others all are.
TEST(Improver, GivesEveryLevelTheSubtreeThatServesIt) {
  std::vector<int32_t> colour, shape, classes;
  std::vector<double> x;
  for (int32_t i = 0; i < 90; ++i) {
    colour.push_back(i % 3);
    shape.push_back(i % 2);
    x.push_back(static_cast<double>(i % 10));
    classes.push_back(i % 3 == 1 && i % 10 > 5 ? 1 : 0);
  }
  for (const bool any_missing : {false, true}) {
    if (any_missing) colour[30] = missing_code;
    Problem problem(
        test::classes_table({test::codes(colour), test::codes(shape), test::numbers(x)}, classes),
        true, 1000);
    Operators operators(problem.rows, problem.fitness);
    Improver improver(operators);
    Individual tree;  // asks for the shape; one of its children for x
    tree.genes.assign(5, Gene{});
    tree.genes[0] = {5, 1};
    tree.genes[1].size = 3;
    tree.genes[1].feature = 2;
    const std::vector<double>& cuts = problem.cuts[2];
    tree.genes[1].cut =
        static_cast<uint32_t>(std::find(cuts.begin(), cuts.end(), 5.5) - cuts.begin());
    tree.genes[4].branch = 1;
    operators.router().reroute(tree, false);
    ASSERT_EQ(tree.genes.size(), 5U);
    // The subtree has to answer "second class" above the cut, as it is.
    tree.genes[3].answer = 1;
    EXPECT_TRUE(improver.optimise_levels(tree, 0));
    EXPECT_EQ(tree.genes[0].feature, 0U);
    EXPECT_EQ(tree.loss, 0);
    EXPECT_EQ(tree.genes.size(), 6U);                 // colour; leaf; x with two; leaf
    EXPECT_FALSE(improver.optimise_levels(tree, 0));  // nothing better
    // With no choice of the input, the best of the worse.
    EXPECT_TRUE(improver.choose_input(tree, 0, 1));
    EXPECT_EQ(tree.genes[0].feature, 1U);
  }
}

TEST(Improver, DoesNotLookAheadWhereNoTestCouldBeBetter) {
  const Table table =
      test::classes_table({test::numbers({1, 2, 3, 4, 5, 6, 7, 8})}, {0, 0, 0, 0, 1, 1, 1, 1});
  Problem problem(table, true, 1000);
  Operators operators(problem.rows, problem.fitness);
  Improver improver(operators);
  Random random(1, "look");
  Individual tree;
  operators.router().reroute(tree, false);
  improver.look_ahead(tree, 0, 4, random);
  ASSERT_EQ(tree.genes.size(), 3U);
  ASSERT_EQ(tree.loss, 0);
  const uint64_t before = Random(random).next();
  for (size_t node = 0; node < 3; ++node) improver.look_ahead(tree, node, 4, random);
  EXPECT_EQ(Random(random).next(), before);
}

TEST(Improver, StopsBetweenNodes) {
  Problem problem(test::mixed_table(3, 5, false), true, 1000);
  Operators operators(problem.rows, problem.fitness);
  Improver improver(operators);
  Random random(3, "stop");
  Individual tree;
  operators.dipolar_tree(tree, random);
  ASSERT_GT(tree.genes.size(), 3U);
  const Genes before = tree.genes;
  EXPECT_FALSE(improver.polish(tree, 5, [] { return true; }));
  EXPECT_EQ(tree.genes, before);
  EXPECT_TRUE(improver.polish(tree, 1000, [] { return false; }));
  EXPECT_TRUE(tree.settled);
  EXPECT_TRUE(improver.polish(tree, 5, [] { return true; }));  // nothing is left to do
}

TEST(CentreCuts, MakesThresholdsOneWhereTheirGapsOverlap) {
  // Rows by y: in the lower part x has a gap from 2 to 6, in the upper from 4 to 8.
  const Table table = test::classes_table(
      {test::numbers({1, 2, 6, 9, 1, 4, 8, 9}), test::numbers({0, 0, 0, 0, 1, 1, 1, 1})},
      {0, 0, 1, 1, 1, 1, 0, 0});
  const auto grown = [&](double low, double high) {
    Tree tree(Task::classification, 2);
    tree.split(0, threshold_gate(1, 0.3), {});
    tree.split(1, threshold_gate(0, low), {});
    tree.split(2, threshold_gate(0, high), {});
    tree.canonicalise();
    return tree;
  };
  const auto cut = [](const Tree& tree, NodeIndex node) {
    return linear_form(tree.node(node).gate())->cut;
  };
  const std::vector<RowIndex> rows = all_rows(table);
  const auto ends = [&](const Tree& tree) {
    std::vector<NodeIndex> nodes(rows.size());
    Compiled(tree).end_nodes(table, rows, nodes);
    return nodes;
  };
  Tree tree = grown(2.5, 7);
  const std::vector<NodeIndex> before = ends(tree);
  centre_cuts(tree, table, rows);
  EXPECT_EQ(cut(tree, 0), 0.5);
  EXPECT_EQ(cut(tree, 1), 5);  // from 4 to 6
  EXPECT_EQ(cut(tree, 2), 5);
  EXPECT_EQ(ends(tree), before);
  Tree apart = grown(1.5, 8.5);  // gaps from 1 to 2 and from 8 to 9
  const std::vector<NodeIndex> apart_before = ends(apart);
  centre_cuts(apart, table, rows);
  EXPECT_EQ(cut(apart, 1), 1.5);
  EXPECT_EQ(cut(apart, 2), 8.5);
  EXPECT_EQ(ends(apart), apart_before);
}

// A column that names rows: as bits its levels would take 20000 x 313 words.
Table table_with_names(size_t rows) {
  std::vector<int32_t> name, classes;
  std::vector<double> x;
  Random random(3, "names");
  for (size_t i = 0; i < rows; ++i) {
    name.push_back(static_cast<int32_t>(i));
    x.push_back(random.uniform());
    classes.push_back(x.back() < 0.5 ? 0 : 1);
  }
  return test::classes_table({test::codes(name), test::numbers(x)}, classes);
}

TEST(CodedRows, KeepLevelsAsListsWhereSetsWouldBeTooLarge) {
  constexpr size_t words = size_t{1} << 18U;
  const Problem problem(table_with_names(20000), true, 100, words);
  const Axis& names = problem.rows.axes()[0];
  EXPECT_TRUE(names.listed);
  EXPECT_EQ(names.sets.size(), 0U);
  size_t all = 0;
  for (const Axis& axis : problem.rows.axes()) all += axis.sets.size();
  EXPECT_LE(all, words);
  Bits scratch(problem.rows.words());
  for (const uint32_t level : {0U, 7U, 19999U}) {
    const Word* const set = problem.rows.level(names, level, scratch.data());
    EXPECT_EQ(count(set, problem.rows.words()), 1U);
    EXPECT_EQ(names.codes[nth_bit(set, 0)], level);
  }
}

// No tree has more nodes than the fitness could ever pay for, whatever input is drawn.
TEST(EvolveStage, DoesNotGrowABranchForEachOfManyNames) {
  Problem problem(table_with_names(20000), true, 100);
  Operators operators(problem.rows, problem.fitness);
  Random random(4, "names");
  Individual tree;
  for (size_t i = 0; i < 50; ++i) {
    operators.dipolar_tree(tree, random);
    operators.mutate_tree(tree, 0.5, random);
    EXPECT_LT(tree.genes.size(), 1000U);
  }
  const Tree best = test::run(table_with_names(20000), "evolve generations=5");
  EXPECT_EQ(best.size(), 3U);
  EXPECT_EQ(gate_features(best.node(0).gate()), std::vector<uint32_t>{1});
}

SearchSettings few_trees() {
  SearchSettings settings{};
  settings.seed = 1;
  settings.islands = 2;
  settings.population = 10;
  settings.crossover = 0.2;
  settings.mutation = 0.05;
  settings.pruning = 0.5;
  settings.pressure = 2;
  settings.improve = 0.5;
  settings.first_levels = settings.dipolar_levels = 4;
  settings.migration = 5;
  return settings;
}

TEST(Search, IsStoppedBetweenItsFirstTrees) {
  Problem problem(test::mixed_table(3, 5, false), true, 100);
  const Parallel parallel(1);
  Search search(problem.rows, problem.fitness, few_trees(), parallel);
  std::atomic<bool> interrupt = true;
  Control control;
  control.interrupt = [&] { return interrupt.load(); };
  EXPECT_FALSE(search.start(control));
  EXPECT_FALSE(search.started());
  EXPECT_EQ(search.best().genes.size(), 1U);
  EXPECT_EQ(search.best_of(1).loss, problem.fitness.root_loss);
  interrupt = false;
  EXPECT_TRUE(search.start(control));
  EXPECT_TRUE(search.started());
  EXPECT_GT(search.best().genes.size(), 1U);
}

TEST(Search, LeavesOutAGenerationThatWasStopped) {
  Problem problem(test::mixed_table(3, 5, false), true, 100);
  const SearchSettings settings = few_trees();
  const Parallel parallel(1);
  Search search(problem.rows, problem.fitness, settings, parallel);
  ASSERT_TRUE(search.start({}));
  std::atomic<bool> interrupt = false;
  Control control;
  control.interrupt = [&] { return interrupt.load(); };
  for (size_t i = 0; i < 5; ++i) ASSERT_TRUE(search.round(control));
  EXPECT_EQ(search.rounds(), 5U);
  const Genes best = search.best().genes, first = search.best_of(0).genes;
  interrupt = true;
  EXPECT_FALSE(search.round(control));
  EXPECT_EQ(search.rounds(), 5U);
  EXPECT_EQ(search.best().genes, best);
  EXPECT_EQ(search.best_of(0).genes, first);
}

}  // namespace
}  // namespace softwood::evolve
