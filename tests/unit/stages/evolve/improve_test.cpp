// Genomes and what changes them: after any sequence of operators an individual is what routing it
// from scratch gives, and converts to a tree that counts the same rows.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stages/evolve/improve.h"
#include "stages/evolve/to_tree.h"
#include "support/evolution.h"
#include "support/grow.h"
#include "support/mixed_table.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood::evolve {
namespace {

using test::Problem;

std::vector<Problem*> problems() {
  static std::vector<std::unique_ptr<Problem>> all;
  if (all.empty()) {
    for (const size_t classes : {size_t{2}, size_t{4}, size_t{0}}) {
      for (const bool weights : {false, true}) {
        all.push_back(std::make_unique<Problem>(test::mixed_table(classes, classes + 1, weights),
                                                true, 1000));
        all.push_back(
            std::make_unique<Problem>(test::mixed_table(classes, classes + 7, weights), true, 5));
        all.push_back(std::make_unique<Problem>(test::mixed_table(classes, classes + 9, weights),
                                                false, 1000, 60));
      }
    }
    all.push_back(std::make_unique<Problem>(test::mixed_table(20, 3, false), true, 1000));
  }
  std::vector<Problem*> some;
  for (const auto& problem : all) some.push_back(problem.get());
  return some;
}

// The same with other things to maximise.
std::vector<Problem*> variants() {
  static std::vector<std::unique_ptr<Problem>> all;
  const auto add = [&](size_t classes, bool weights) -> Fitness& {
    all.push_back(std::make_unique<Problem>(test::mixed_table(classes, all.size() + 20, weights),
                                            true, 1000));
    return all.back()->fitness;
  };
  if (all.empty()) {
    for (const bool weights : {false, true}) {
      for (const size_t classes : {size_t{3}, size_t{0}}) {
        add(classes, weights).complexity = Complexity::leaves;
        Fitness& bic = add(classes, weights);
        bic.complexity = Complexity::bic;
        bic.alpha = 1;
        add(classes, weights).feature_costs = {1, 4, 0.5, 2, 1, 3};
        add(classes, weights).max_depth = 3;
        add(classes, weights).max_leaves = 6;
        add(classes, weights).alpha = 0;
      }
      add(3, weights).costs = {0, 1, 5, 2, 0, 0.5, 1, 7, 0};
    }
    for (const auto& problem : all) problem->judge_root();
  }
  std::vector<Problem*> some;
  for (const auto& problem : all) some.push_back(problem.get());
  return some;
}

std::vector<Problem*> problems_and_variants() {
  std::vector<Problem*> all = problems();
  for (Problem* problem : variants()) all.push_back(problem);
  return all;
}

// Sizes nest, inner nodes have at least two children, branches under nominal tests ascend.
void expect_well_formed(const Genes& genes, const CodedRows& rows) {
  ASSERT_EQ(genes[0].size, genes.size());
  for (size_t i = 0; i < genes.size(); ++i) {
    ASSERT_GE(genes[i].size, 1U);
    ASSERT_EQ(genes[i].is_leaf(), genes[i].size == 1);
    if (genes[i].is_leaf()) continue;
    size_t end = i + 1, count = 0;
    int64_t branch = -1;
    each_child(genes, i, [&](size_t c) {
      ++count;
      end = c + genes[c].size;
      if (!rows.axes()[genes[i].feature].nominal) return;
      EXPECT_GT(static_cast<int64_t>(genes[c].branch), branch);
      branch = genes[c].branch;
    });
    ASSERT_EQ(end, i + genes[i].size);
    ASSERT_GE(count, 2U);
    if (!rows.axes()[genes[i].feature].nominal) {
      ASSERT_EQ(count, 2U);
    }
  }
}

void expect_same_from_scratch(const Individual& tree, Router& router) {
  Individual again = tree;
  router.reroute(again, false);
  ASSERT_EQ(again.genes.size(), tree.genes.size());
  for (size_t i = 0; i < tree.genes.size(); ++i) ASSERT_EQ(again.genes[i], tree.genes[i]) << i;
  EXPECT_EQ(again.loss, tree.loss);
  EXPECT_EQ(again.fitness, tree.fitness);
  EXPECT_EQ(again.leaves, tree.leaves);
}

// One random operator, or improvement.
void step(Operators& operators, Improver& improver, std::vector<Individual>& trees,
          Random& random) {
  Individual& tree = trees[random.below(trees.size())];
  const size_t node = random.below(tree.genes.size());
  switch (random.below(9)) {
    case 4:
      operators.nudge(tree, node, random);
      break;
    case 5:
      improver.optimise(tree, node);
      break;
    case 6:
      improver.choose_input(tree, node, static_cast<uint32_t>(random.below(operators.features())));
      break;
    case 7: {
      Improver::Greed greed = improver.random_greed(random);
      greed.levels = 1 + random.below(4);
      improver.regrow(tree, node, greed, random);
      break;
    }
    case 8:
      if (random.below(4) == 0) {
        improver.polish(tree, 1);
      } else {
        improver.look_ahead(tree, node, 4, random);
      }
      break;
    case 0: {
      Individual& other = trees[random.below(trees.size())];
      if (&other != &tree) operators.cross_trees(tree, other, random);
      break;
    }
    case 1:
      operators.mutate_tree(tree, 0.2, random);
      break;
    case 2:
      operators.mutate_node(tree, node, random);
      break;
    default:
      if (tree.genes.size() > 60 || random.below(20) == 0) operators.dipolar_tree(tree, random);
  }
}

TEST(Evolution, FitnessByDifferenceIsFitnessFromScratch) {
  for (Problem* problem : problems_and_variants()) {
    Operators operators(problem->rows, problem->fitness);
    Improver improver(operators);
    Router fresh(problem->rows, problem->fitness);
    std::vector<Individual> trees(4);
    Random random(5, "sequence");
    for (Individual& tree : trees) operators.dipolar_tree(tree, random);
    size_t largest = 0;
    for (size_t i = 0; i < 1500; ++i) {
      step(operators, improver, trees, random);
      for (const Individual& tree : trees) {
        ASSERT_NO_FATAL_FAILURE(expect_well_formed(tree.genes, problem->rows)) << "step " << i;
        largest = std::max(largest, tree.genes.size());
        if (i % 5 == 0) {
          ASSERT_NO_FATAL_FAILURE(expect_same_from_scratch(tree, fresh)) << "step " << i;
        }
      }
    }
    EXPECT_GT(largest, std::min<size_t>(15, problem->fitness.max_leaves));
  }
}

TEST(Evolution, WhatExactChoicesFailedAtStaysSoUntilItChanges) {
  for (Problem* problem : problems()) {
    Operators operators(problem->rows, problem->fitness);
    Improver improver(operators);
    std::vector<Individual> trees(4);
    Random random(6, "settled");
    for (Individual& tree : trees) operators.dipolar_tree(tree, random);
    size_t settled = 0;
    for (size_t i = 0; i < 600; ++i) {
      step(operators, improver, trees, random);
      const Individual& tree = trees[i % trees.size()];
      for (size_t node = 0; node < tree.genes.size(); ++node) {
        if (!tree.genes[node].settled) continue;
        ++settled;
        Individual again = tree;
        again.genes[node].settled = false;
        // But for what rounding makes of a sum in another order.
        improver.optimise(again, node);
        ASSERT_NEAR(again.fitness, tree.fitness, 1e-12);
      }
      if (!tree.settled) continue;
      Individual again = tree;
      again.settled = false;
      for (Gene& gene : again.genes) gene.settled = false;
      improver.polish(again, 1);
      ASSERT_NEAR(again.fitness, tree.fitness, 1e-12);
    }
    EXPECT_GT(settled, 20U);
  }
}

TEST(Evolution, EveryGenomeIsATreeThatCountsTheSameRows) {
  for (Problem* problem : problems_and_variants()) {
    Operators operators(problem->rows, problem->fitness);
    Improver improver(operators);
    Router router(problem->rows, problem->fitness);
    std::vector<Individual> trees(2);
    Random random(6, "sequence");
    for (Individual& tree : trees) operators.dipolar_tree(tree, random);
    for (size_t i = 0; i < 300; ++i) {
      step(operators, improver, trees, random);
      const Individual& one = trees[i % 2];
      Tree tree = to_tree(one.genes, router, problem->table, problem->sample);
      if (!problem->fitness.costs.empty()) tree.set_costs(problem->fitness.costs);
      ASSERT_TRUE(is_canonical(tree));
      ASSERT_EQ(tree.size(), one.genes.size());
      EXPECT_EQ(shape_of(tree).leaves, one.leaves);
      double risk = 0;
      for (NodeIndex n = 0; n < tree.size(); ++n) {
        EXPECT_GT(tree.weight(n), 0);
        if (tree.node(n).is_leaf()) risk += tree.risk(n);
      }
      ASSERT_NEAR(risk, one.loss, 1e-9 * (1 + problem->fitness.root_loss));
    }
  }
}

TEST(Evolution, RowsAreSentByTheirValues) {
  // Few words for sets: most cuts are made from a neighbour's set and the rows between.
  for (Problem* problem : problems()) {
    Bits scratch(problem->rows.words());
    for (size_t f = 0; f < problem->table.features(); ++f) {
      const Axis& axis = problem->rows.axes()[f];
      for (uint32_t cut = 0; !axis.nominal && cut < axis.cuts.size(); ++cut) {
        const bool first = cut % 2 == 0;
        const Word* side = problem->rows.first_side(axis, cut, first, scratch.data());
        for (size_t row = 0; row < problem->rows.rows(); ++row) {
          const double value = problem->table.input(f).value(problem->rows.table_row(row));
          const bool expected = std::isnan(value) ? first : value <= axis.cuts[cut];
          ASSERT_EQ(has_bit(side, row), expected);
        }
      }
    }
  }
}

// What is outside of the subtree at `node` is as before, sizes of ancestors aside.
void expect_same_outside(const Genes& before, const Genes& after, size_t node) {
  const size_t rest = before.size() - node - before[node].size;
  ASSERT_EQ(after.size() - node - after[node].size, rest);
  for (size_t i = 0; i < node; ++i) {
    Gene a = before[i], b = after[i];
    if (i + a.size > node) a.size = b.size = 1;
    EXPECT_EQ(a, b);
  }
  for (size_t i = 1; i <= rest; ++i) EXPECT_EQ(before[before.size() - i], after[after.size() - i]);
}

// Whether every question of the subtree is asked in one of the others. Parts that get no rows go,
// so that there may be fewer.
bool asks_only(const Genes& genes, size_t node, const Genes& others, size_t other) {
  const auto same = [](const Gene& a, const Gene& b) {
    return a.feature == b.feature && a.cut == b.cut && a.missing_first == b.missing_first;
  };
  for (size_t i = node; i < node + genes[node].size; ++i) {
    if (genes[i].is_leaf()) continue;
    bool found = false;
    for (size_t k = other; k < other + others[other].size; ++k) {
      found = found || (!others[k].is_leaf() && same(genes[i], others[k]));
    }
    if (!found) return false;
  }
  return true;
}

void expect_contract(const Individual& before, const Individual& after, size_t node,
                     Mutation mutation) {
  expect_same_outside(before.genes, after.genes, node);
  const Gene &old = before.genes[node], &now = after.genes[node];
  switch (mutation) {
    case Mutation::prune:
      EXPECT_TRUE(now.is_leaf());
      EXPECT_EQ(after.genes.size(), before.genes.size() - old.size + 1);
      break;
    case Mutation::threshold:  // the cut parts two rows, so the node stays
      EXPECT_EQ(now.feature, old.feature);
      break;
    case Mutation::test:
      EXPECT_FALSE(now.is_leaf());
      // The input is another, if any other parts the rows.
      EXPECT_TRUE(now.feature != old.feature || after.genes == before.genes);
      break;
    case Mutation::neighbour: {
      const size_t parent = parent_of(before.genes, node);
      bool found = false;
      each_child(before.genes, parent, [&](size_t c) {
        found = found || (c != node && asks_only(after.genes, node, before.genes, c));
      });
      EXPECT_TRUE(found);
      break;
    }
    case Mutation::swap_with_son: {
      bool found = now.is_leaf() || (now.feature == old.feature && now.cut == old.cut);
      each_child(before.genes, node, [&](size_t c) {
        found = found || (now.feature == before.genes[c].feature && now.cut == before.genes[c].cut);
      });
      // A node whose new test parts nothing goes, and a child is in its place.
      if (now.size + 2 > old.size) {
        EXPECT_TRUE(found);
      }
      break;
    }
  }
}

TEST(Mutations, ChangeWhatTheySayAndKeepTheRest) {
  for (Problem* problem : problems()) {
    Operators operators(problem->rows, problem->fitness);
    Random random(7, "mutations");
    size_t applied[5] = {};
    for (size_t i = 0; i < 400; ++i) {
      Individual tree;
      operators.dipolar_tree(tree, random);
      const size_t node = random.below(tree.genes.size());
      for (const Mutation mutation : {Mutation::prune, Mutation::threshold, Mutation::test,
                                      Mutation::neighbour, Mutation::swap_with_son}) {
        if (!operators.allows(tree, node, mutation)) {
          EXPECT_TRUE(tree.genes[node].is_leaf() || mutation == Mutation::threshold ||
                      mutation == Mutation::neighbour || mutation == Mutation::swap_with_son);
          continue;
        }
        Individual changed = tree;
        operators.mutate(changed, node, mutation, random);
        expect_contract(tree, changed, node, mutation);
        ++applied[static_cast<size_t>(mutation)];
      }
    }
    for (const size_t count : applied) EXPECT_GT(count, 20U);
  }
}

TEST(Mutations, PruneAsOftenAsTheyShould) {
  Problem& problem = *problems()[0];
  for (const double chance : {0.0, 0.2, 1.0}) {
    Operators operators(problem.rows, problem.fitness, 4, chance);
    Random random(7, "chance");
    Individual tree;
    do operators.dipolar_tree(tree, random);
    while (tree.genes.size() < 9);
    constexpr size_t tries = 2000;
    size_t pruned = 0;
    for (size_t i = 0; i < tries; ++i) {
      Individual child = tree;
      operators.mutate_node(child, 0, random);
      pruned += child.genes.size() == 1 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(pruned) / tries, chance, chance == 0.2 ? 0.03 : 0);
  }
}

TEST(Mutations, OfLeavesPartTheirRows) {
  for (Problem* problem : problems()) {
    Operators operators(problem->rows, problem->fitness);
    Random random(8, "leaves");
    Individual leaf;
    operators.router().reroute(leaf, false);
    ASSERT_TRUE(leaf.genes[0].mixed);
    for (size_t i = 0; i < 50; ++i) {
      Individual tree = leaf;
      operators.split_leaf(tree, 0, random);
      EXPECT_FALSE(tree.genes[0].is_leaf());
      each_child(tree.genes, 0, [&](size_t c) { EXPECT_TRUE(tree.genes[c].is_leaf()); });
      EXPECT_LE(tree.loss, leaf.loss * (1 + 1e-12));
      Individual grown = leaf;
      operators.grow_leaf(grown, 0, random);
      EXPECT_GE(grown.fitness, leaf.fitness);  // what does not pay was cut
    }
  }
}

// What has become of a node that took part of another tree's.
void expect_crossed(const Genes& before, size_t node, const Genes& after, const Genes& other,
                    size_t from, Crossing crossing) {
  const Gene &old = before[node], &now = after[node], &given = other[from];
  // A test that parts none of the rows goes, and the first child with rows is in its place.
  const bool stayed = now.size > 1 && now.size + 1 >= old.size;
  switch (crossing) {
    case Crossing::subtrees:
      EXPECT_TRUE(asks_only(after, node, other, from));
      break;
    case Crossing::tests:
      if (stayed && old.size == now.size) {
        EXPECT_EQ(now.feature, given.feature);
        EXPECT_EQ(now.cut, given.cut);
        EXPECT_EQ(now.missing_first, given.missing_first);
      }
      break;
    case Crossing::branches:
      // The node parts its rows as before, so it keeps its test; what is below is the other's.
      EXPECT_EQ(now.feature, old.feature);
      EXPECT_EQ(now.cut, old.cut);
      EXPECT_EQ(children_of(after, node), children_of(before, node));
      each_child(after, node, [&](size_t c) { EXPECT_TRUE(asks_only(after, c, other, from)); });
      break;
  }
}

TEST(Crossing, ExchangesWhatItSays) {
  for (Problem* problem : problems()) {
    Operators operators(problem->rows, problem->fitness);
    Random random(9, "crossing");
    for (size_t i = 0; i < 300; ++i) {
      Individual a, b;
      operators.dipolar_tree(a, random);
      operators.dipolar_tree(b, random);
      const size_t node_a = random.below(a.genes.size()), node_b = random.below(b.genes.size());
      for (const Crossing crossing : {Crossing::subtrees, Crossing::tests, Crossing::branches}) {
        if (!operators.allows(a, node_a, b, node_b, crossing)) continue;
        Individual x = a, y = b;
        operators.cross(x, node_a, y, node_b, crossing, random);
        expect_same_outside(a.genes, x.genes, node_a);
        expect_same_outside(b.genes, y.genes, node_b);
        expect_crossed(a.genes, node_a, x.genes, b.genes, node_b, crossing);
        expect_crossed(b.genes, node_b, y.genes, a.genes, node_a, crossing);
        if (crossing == Crossing::subtrees && node_a == 0 && node_b == 0) {
          EXPECT_EQ(x.genes, b.genes);
          EXPECT_EQ(y.genes, a.genes);
        }
      }
    }
  }
}

// Also where a node has few of many classes, or more thresholds than rows.
TEST(Improver, ItsGreedyTestIsTheOneThatGrowChooses) {
  size_t compared = 0;
  for (const size_t classes : {size_t{2}, size_t{5}, size_t{30}, size_t{0}}) {
    for (const size_t rows : {size_t{20}, size_t{400}}) {
      Problem problem(test::random_table({.rows = rows,
                                          .classes = classes,
                                          .numeric = 4,
                                          .nominal = 0,
                                          .distinct = 1000,
                                          .noise = 0.1},
                                         classes + rows),
                      false, 1000);
      problem.fitness.alpha = 0;
      Operators operators(problem.rows, problem.fitness);
      Improver improver(operators);
      Individual tree;
      operators.router().reroute(tree, false);
      Random random(1, "greedy");
      improver.regrow(tree, 0, Improver::Greed{}, random);
      const Tree grown = test::run(problem.table, "grow max-depth=1");
      if (tree.genes.size() == 1) continue;  // it lowers no error
      ++compared;
      const auto& gate = *linear_form(grown.node(0).gate());
      EXPECT_EQ(tree.genes[0].feature, gate.terms[0].feature);
      EXPECT_EQ(problem.cuts[tree.genes[0].feature][tree.genes[0].cut], gate.cut);
    }
  }
  EXPECT_GE(compared, 5U);
}

// The dear input parts the classes without error, which does not pay.
TEST(Improver, WeighsWhatInputsCost) {
  std::vector<double> dear, cheap;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < 40; ++i) {
    dear.push_back(static_cast<double>(i));
    cheap.push_back(i == 30 ? 4.5 : static_cast<double>(i));
    classes.push_back(i < 20 ? 0 : 1);
  }
  Problem problem(test::classes_table({test::numbers(dear), test::numbers(cheap)}, classes), false,
                  1000);
  problem.fitness.feature_costs = {1000, 1};
  Operators operators(problem.rows, problem.fitness);
  Improver improver(operators);
  Individual tree;
  tree.genes.assign(3, Gene{});
  tree.genes[0].size = 3;
  tree.genes[0].feature = 1;
  tree.genes[0].cut = 0;  // below the row that is out of place
  operators.router().reroute(tree, false);
  ASSERT_EQ(tree.genes.size(), 3U);
  EXPECT_TRUE(improver.optimise_test(tree, 0));
  EXPECT_EQ(tree.genes[0].feature, 1U);
  EXPECT_EQ(tree.loss, 1);
}

TEST(Evolution, MergedRowsAreEqualAndWeighTheSame) {
  const auto table = [] {
    const Table plain = test::random_table({.rows = 300, .classes = 3, .numeric = 1}, 4);
    return test::with_weights(plain, std::vector<double>(plain.rows(), 0.25));
  };
  const Problem merged(table(), true, 3), apart(table(), false, 3);
  EXPECT_LT(merged.rows.rows(), apart.rows.rows());
  EXPECT_DOUBLE_EQ(merged.rows.weight(), apart.rows.weight());
  std::vector<double> a(3), b(3);
  merged.rows.sums(merged.rows.all(), merged.rows.rows(), a.data());
  apart.rows.sums(apart.rows.all(), apart.rows.rows(), b.data());
  EXPECT_EQ(a, b);
}

TEST(BoundaryCuts, AreBetweenValuesOfDifferentClasses) {
  // Values 1 1 2 3 4 5 5 6 with classes a a a b b (b c) c.
  const Table table = test::classes_table({test::numbers({1, 1, 2, 3, 4, 5, 5, 6})},
                                          {0, 0, 0, 1, 1, 1, 2, 2}, {}, 3);
  Derived derived(table);
  const auto rows = all_rows(table);
  const Cuts cuts = boundary_cuts(derived, rows, Parallel(1));
  EXPECT_EQ(cuts[0], (std::vector<double>{2.5, 4.5, 5.5}));
  EXPECT_EQ(all_cuts(derived, rows, Parallel(1))[0],
            (std::vector<double>{1.5, 2.5, 3.5, 4.5, 5.5}));
  const std::vector<RowIndex> some = {0, 2, 4, 7};
  EXPECT_EQ(boundary_cuts(derived, some, Parallel(1))[0], (std::vector<double>{3, 5}));
}

TEST(BoundaryCuts, AreMadeFinerAroundThoseInUse) {
  const Cuts all = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  EXPECT_EQ(quantiles(all, 3)[0], (std::vector<double>{2, 5, 8}));
  EXPECT_EQ(finer_cuts(all, {{2, 5, 8}}, {{5}}, 100)[0],
            (std::vector<double>{2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(finer_cuts(all, {{2, 5, 8}}, {{2}}, 100)[0], (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(finer_cuts(all, {{2, 5, 8}}, {{}}, 100)[0], std::vector<double>{});
  EXPECT_EQ(finer_cuts(all, {{2, 5, 8}}, {{8}}, 2)[0], (std::vector<double>{6, 8}));
}

TEST(Fitness, IsThePublishedOne) {
  Fitness fitness;
  fitness.classes = 2;
  fitness.alpha = 0.0025;
  fitness.weight = 200;
  fitness.max_leaves = 4;
  // Equation 1: 90 % right with 7 nodes.
  EXPECT_DOUBLE_EQ(fitness.value(20, 7, 4), 0.9 - 0.0025 * 7);
  fitness.complexity = Complexity::leaves;
  EXPECT_DOUBLE_EQ(fitness.value(20, 7, 4), 0.9 - 0.0025 * 4);
  EXPECT_LT(fitness.value(0, 9, 5), fitness.value(200, 7, 4));
  // evtree's 2 N MC + alpha M log N, divided by 2 N.
  fitness.complexity = Complexity::bic;
  fitness.alpha = 1;
  EXPECT_DOUBLE_EQ(fitness.value(20, 7, 4), 1 - (2 * 20 + 4 * std::log(200.0)) / 400);
}

}  // namespace
}  // namespace softwood::evolve
