// Reduced-error pruning: worked by hand, against all subtrees, and of trees that divide rows.
#include "stages/prune/reduced_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/folds.h"
#include "softwood/error.h"
#include "support/grow.h"
#include "support/sample_models.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/edit.h"

namespace softwood {
namespace {

using prune::pruned_by_reduced_error;

Tree prune_by(const Tree& tree, const Table& table) {
  const std::vector<RowIndex> rows = all_rows(table);
  return pruned_by_reduced_error(tree, {&table, rows});
}

void fill(Tree& tree, NodeIndex node, std::vector<double> sums) {
  std::copy(sums.begin(), sums.end(), tree.sums(node).begin());
}

// x0 <= 5 and then, on the left, x1 <= 5.
Tree three_leaves(Task task, const std::vector<std::vector<double>>& sums) {
  Tree tree(task, task == Task::classification ? 2 : 0);
  tree.split(0, threshold_gate(0, 5), {});
  tree.split(1, threshold_gate(1, 5), {});
  for (NodeIndex i = 0; i < 5; ++i) fill(tree, i, sums[i]);
  return tree;
}

TEST(ReducedError, OfThreeLeavesByHand) {
  // Nodes: 0 the root (answers 0), 1 the inner one (0), 2 right (1), 3 left-left (0), 4 (1).
  const Tree tree = three_leaves(Task::classification, {{6, 6}, {5, 2}, {1, 4}, {5, 0}, {0, 2}});
  std::vector<double> x0 = {1, 1, 1, 9, 9}, x1 = {1, 9, 9, 1, 1};
  std::vector<int32_t> y = {0, 0, 1, 1, 0};
  const auto pruned = [&] {
    return prune_by(tree, test::classes_table({test::numbers(x0), test::numbers(x1)}, y));
  };
  // Node 1 as a leaf is wrong about row 2; its branch about row 1: equal, so it is cut. The root as
  // a leaf is wrong about rows 2 and 3; its branch about rows 2 and 4: equal, so it is cut as well.
  EXPECT_EQ(pruned().size(), 1U);
  // One more row of class 1 on the right: the root as a leaf makes 3 errors, its branch 2.
  x0.push_back(9);
  x1.push_back(1);
  y.push_back(1);
  EXPECT_EQ(pruned().size(), 3U);
  // One more of class 1 in node 4: node 1 as a leaf makes 2 errors, its branch 1.
  x0.push_back(1);
  x1.push_back(9);
  y.push_back(1);
  test::expect_same_tree(pruned(), tree);
  // A row of a class that the tree does not know changes nothing.
  x0.push_back(1);
  x1.push_back(9);
  y.push_back(-1);
  test::expect_same_tree(pruned(), tree);
}

TEST(ReducedError, OfNumbersByHand) {
  // Means: root 4, node 1 2, node 2 8, nodes 3 and 4 1 and 3.
  const Tree tree =
      three_leaves(Task::regression, {{6, 4, 54}, {4, 2, 4}, {2, 8, 2}, {2, 1, 0}, {2, 3, 0}});
  const auto pruned = [&](double second) {
    return prune_by(tree, test::numbers_table({test::numbers({1, 1, 9}), test::numbers({1, 9, 1})},
                                              {1.5, second, 7}));
  };
  // Node 1 as a leaf: .25 + (second - 2)^2; its branch: .25 + (second - 3)^2. Equal at 2.5.
  EXPECT_EQ(pruned(2.4).size(), 3U);
  EXPECT_EQ(pruned(2.5).size(), 3U);
  EXPECT_EQ(pruned(2.6).size(), 5U);
}

// All subtrees: errors and leaves of the best below (and with) each node.
struct Best {
  double loss;
  size_t leaves;
};

double loss_of(const Tree& tree, const Table& table) {
  const auto rows = all_rows(table);
  const Predictions answers = predict(tree, table, rows, Parallel(1));
  double loss = 0;
  for (const RowIndex row : rows) {
    if (tree.task() == Task::regression) {
      loss += table.weight(row) * std::pow(answers.answers[row] - table.target().numbers[row], 2);
    } else if (static_cast<int32_t>(answers.top_class(row)) != table.target().codes[row]) {
      loss += table.weight(row);
    }
  }
  return loss;
}

// Tries every set of inner nodes that could become leaves.
Best best_subtree(const Tree& tree, const Table& table) {
  std::vector<NodeIndex> inner;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf()) inner.push_back(i);
  }
  Best best{INFINITY, 0};
  for (size_t set = 0; set < (size_t{1} << inner.size()); ++set) {
    Tree part = tree;
    for (size_t i = 0; i < inner.size(); ++i) {
      if ((set >> i & 1U) != 0) part.make_leaf(inner[i]);
    }
    part.canonicalise();
    const Best here{loss_of(part, table), shape_of(part).leaves};
    const double margin = 1e-10 * std::max(1.0, here.loss);
    if (here.loss < best.loss - margin ||
        (here.loss < best.loss + margin && here.leaves < best.leaves)) {
      best = here;
    }
  }
  return best;
}

TEST(ReducedError, FindsTheSmallestOfTheBestSubtrees) {
  size_t kept_some = 0;
  for (const size_t classes : {0, 2, 3}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const test::RandomTable what{.rows = 60, .classes = classes, .missing = 0.1, .noise = 0.5};
      const Table train = test::random_table(what, seed);
      Table held_out = test::random_table(what, seed + 100);
      if (seed % 2 == 0) {
        std::vector<double> weights;
        for (size_t i = 0; i < held_out.rows(); ++i) weights.push_back(static_cast<double>(i % 4));
        held_out = test::with_weights(held_out, weights);
      }
      const Tree tree = test::run(train, "grow max-leaves=8 nominal=multiway missing=separate");
      const Tree pruned = prune_by(tree, held_out);
      test::expect_subtree(pruned, tree);
      const Best best = best_subtree(tree, held_out);
      EXPECT_NEAR(loss_of(pruned, held_out), best.loss, 1e-9 * std::max(1.0, best.loss));
      EXPECT_EQ(shape_of(pruned).leaves, best.leaves);
      kept_some += pruned.size() > 1 && pruned.size() < tree.size() ? 1 : 0;
    }
  }
  EXPECT_GT(kept_some, 5U);
}

// Gates so steep that they divide no row: the same tree, but found by the general way.
Tree steepened(Tree tree) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    ScoreGate gate = *linear_form(tree.node(i).gate());
    gate.link.form = LinkForm::logistic;
    constexpr double steep = 1e6;
    for (Term& term : gate.terms) term.coefficient *= steep;
    gate.cut *= steep;
    tree.node(i).gate() = gate;
  }
  return tree;
}

TEST(ReducedError, OfVerySteepGatesIsThatOfHardOnes) {
  for (const size_t classes : {0, 3}) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const test::RandomTable what{
          .rows = 200, .classes = classes, .nominal = 0, .distinct = 0, .noise = 0.5};
      const Table held_out = test::random_table(what, seed + 50);
      const Tree tree = test::run(test::random_table(what, seed), "grow min-leaf=3");
      const Tree hard = prune_by(tree, held_out);
      EXPECT_LT(hard.size(), tree.size());
      EXPECT_GT(hard.size(), 1U);
      test::expect_same_tree(prune_by(steepened(tree), held_out), steepened(hard));
    }
  }
}

TEST(ReducedError, OfAnyTreeIsASubtreeThatIsNoWorse) {
  size_t pruned_some = 0;
  for (const Task task : {Task::classification, Task::regression}) {
    const Schema schema = testing::mixed_schema(task);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed, "reduced error");
      Tree tree = testing::random_tree(schema, {.splits = 12}, random);
      // Models of leaves are fitted when all pruning is done.
      for (NodeIndex i = 0; i < tree.size(); ++i) tree.node(i).model.reset();
      const Table table = testing::random_table(schema, 80, random);
      const Tree pruned = prune_by(tree, table);
      test::expect_subtree(pruned, tree);
      EXPECT_TRUE(is_canonical(pruned));
      EXPECT_LE(loss_of(pruned, table), loss_of(tree, table) * (1 + 1e-9));
      pruned_some += pruned.size() > 1 && pruned.size() < tree.size() ? 1 : 0;
    }
  }
  EXPECT_GT(pruned_some, 10U);
}

TEST(ReducedError, HoldsOutAShareAndCountsItAfterwards) {
  for (const size_t classes : {0, 3}) {
    const Table table = test::random_table({.rows = 300, .classes = classes, .missing = 0.1}, 4);
    const Tree tree = test::run(table, "grow | prune by=reduced-error share=0.4");
    const auto inside = stratified_part(table, all_rows(table), 0.4, 1);
    std::vector<RowIndex> held_out, others;
    for (const RowIndex row : all_rows(table))
      (inside[row] != 0 ? held_out : others).push_back(row);
    EXPECT_EQ(held_out.size(), 120U);
    Tree expected =
        prune_by(test::run(test::part_of(table, others), "grow"), test::part_of(table, held_out));
    EXPECT_NEAR(expected.weight(0), 180, 1e-9);
    count_rows(expected, table, held_out);
    test::expect_same_tree(tree, expected, 1e-12);
    EXPECT_NEAR(tree.weight(0), 300, 1e-9);
    // The sums are those of all rows, as if they had been there from the beginning.
    Tree recounted = tree;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      fill(recounted, i, std::vector<double>(tree.width(), 0.0));
      if (!tree.node(i).is_leaf()) recounted.node(i).missing().weight = 0;
    }
    count_rows(recounted, table, all_rows(table));
    test::expect_same_tree(tree, recounted, 1e-9);
  }
}

TEST(ReducedError, TakesValidationRowsWhereThereAreSome) {
  const test::RandomTable what{.rows = 200, .classes = 3, .noise = 0.5};
  const Table table = test::random_table(what, 1), validation = test::random_table(what, 2);
  Derived derived(table);
  const auto rows = all_rows(table), validation_rows = all_rows(validation);
  const Training training{derived, rows, Sample{&validation, validation_rows}, 1};
  const Tree tree =
      run_recipe(Recipe::parse("grow | prune by=reduced-error"), training, Parallel(1), {}).tree;
  test::expect_same_tree(tree, prune_by(test::run(table, "grow"), validation));
}

TEST(ReducedError, NeedsRowsOnBothSides) {
  const Table table = test::classes_table({test::numbers({1, 2, 3})}, {0, 1, 1});
  EXPECT_THROW(test::run(table, "grow | prune by=reduced-error share=0"), Error);
  EXPECT_THROW(test::run(table, "grow | prune by=reduced-error share=1"), Error);
  const Table one = test::classes_table({test::numbers({1})}, {0});
  EXPECT_EQ(test::run(one, "grow | prune by=reduced-error").size(), 1U);
}

}  // namespace
}  // namespace softwood
