// Pruning by joining leaves.
#include "stages/prune/merge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/grow.h"
#include "support/iris.h"
#include "support/sample_models.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using prune::Impurity;
using prune::merged_by_impurity;
using prune::simplified;

// x0 <= 5 and then, on the left, x0 <= 2.
Tree three_leaves(Task task, const std::vector<std::vector<double>>& sums) {
  Tree tree(task, task == Task::classification ? 2 : 0);
  tree.split(0, threshold_gate(0, 5), {});
  tree.split(1, threshold_gate(0, 2), {});
  for (NodeIndex i = 0; i < 5; ++i) {
    std::copy(sums[i].begin(), sums[i].end(), tree.sums(i).begin());
  }
  return tree;
}

TEST(Simplify, JoinsLeavesThatAnswerAlike) {
  // Nodes 3 and 4 both answer class 0, node 2 class 1.
  const Tree tree = three_leaves(Task::classification, {{9, 5}, {8, 1}, {1, 4}, {3, 1}, {5, 0}});
  const Tree simple = simplified(tree);
  EXPECT_EQ(simple.size(), 3U);
  test::expect_subtree(simple, tree);
  // All answer class 0: nothing is left to ask.
  EXPECT_EQ(
      simplified(three_leaves(Task::classification, {{12, 3}, {8, 1}, {4, 2}, {3, 1}, {5, 0}}))
          .size(),
      1U);
  // Only uncle and nephew agree: they have no common parent.
  const Tree other = three_leaves(Task::classification, {{5, 8}, {5, 4}, {0, 4}, {5, 0}, {0, 4}});
  test::expect_same_tree(simplified(other), other);
}

TEST(Simplify, JoinsEqualMeans) {
  EXPECT_EQ(simplified(three_leaves(Task::regression,
                                    {{4, 3, 8}, {2, 1, 4}, {2, 5, 0}, {1, 1, 0}, {1, 1, 0}}))
                .size(),
            3U);
  EXPECT_EQ(simplified(three_leaves(Task::regression,
                                    {{4, 3, 8}, {2, 1, 4}, {2, 5, 0}, {1, 0.9, 0}, {1, 1.1, 0}}))
                .size(),
            5U);
}

TEST(Simplify, ChangesNoAnswerOfAHardTree) {
  for (const size_t classes : {0, 2, 4}) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      const Table table =
          test::random_table({.rows = 200, .classes = classes, .missing = 0.1, .noise = 0.6}, seed);
      const Tree tree = test::run(table, "grow"), simple = simplified(tree);
      test::expect_subtree(simple, tree);
      EXPECT_TRUE(is_canonical(simple));
      test::expect_same_tree(simplified(simple), simple);
      const auto rows = all_rows(table);
      if (classes > 0) {
        EXPECT_LT(simple.size(), tree.size());
        EXPECT_EQ(predict_classes(simple, table, rows, Parallel(1)),
                  predict_classes(tree, table, rows, Parallel(1)));
      } else {
        const auto before = predict(tree, table, rows, Parallel(1)).answers,
                   after = predict(simple, table, rows, Parallel(1)).answers;
        for (const RowIndex row : rows) EXPECT_NEAR(before[row], after[row], 1e-9);
      }
    }
  }
}

// The UPV chapter's 46 points with the counts it prints: t1 {26, 20} into t2 {26, 6} and t3 {0,
// 14}, t2 into t4 {2, 6} and t5 {24, 0}; and t4, which is not pure, into {2, 0} and {0, 6}.
Tree tree_of_the_chapter() {
  Tree tree(Task::classification, 2);
  tree.split(0, threshold_gate(0, 3.5), {});
  tree.split(1, threshold_gate(1, 2.5), {});
  tree.split(3, threshold_gate(0, 1.5), {});
  const double sums[][2] = {{26, 20}, {26, 6}, {0, 14}, {2, 6}, {24, 0}, {2, 0}, {0, 6}};
  for (NodeIndex i = 0; i < 7; ++i) std::copy_n(sums[i], 2, tree.sums(i).begin());
  return tree;
}

TEST(ImpurityMerge, JoinsTheLeavesOfTheChapterByTheirReductions) {
  // The reductions by entropy are 0.503 (t1), 0.493 (t2) and 0.811 (t4).
  const Tree tree = tree_of_the_chapter();
  const auto size = [&](double epsilon) {
    return merged_by_impurity(tree, Impurity::entropy, epsilon).size();
  };
  // t2's own reduction is below 0.5, but it has t4 below it and so no pair of leaves.
  EXPECT_EQ(size(0.5), 7U);
  EXPECT_EQ(size(0.811), 7U);
  // Then t4's pair is joined, after that t2's and t1's, whose increases are smaller.
  EXPECT_EQ(size(0.812), 1U);
  // Without t4's split, t2's pair goes first and the root's is a matter of 0.503.
  Tree smaller = tree;
  smaller.make_leaf(3);
  EXPECT_EQ(merged_by_impurity(smaller, Impurity::entropy, 0.493).size(), 5U);
  EXPECT_EQ(merged_by_impurity(smaller, Impurity::entropy, 0.494).size(), 3U);
  EXPECT_EQ(merged_by_impurity(smaller, Impurity::entropy, 0.503).size(), 3U);
  EXPECT_EQ(merged_by_impurity(smaller, Impurity::entropy, 0.505).size(), 1U);
}

TEST(ImpurityMerge, ByOtherImpurities) {
  Tree tree = tree_of_the_chapter();
  tree.make_leaf(3);
  tree.make_leaf(1);
  // t1 by Gini: 2 26 20 / 46^2 - 2 26 6 / (32 46) = .27954; by errors: (20 - 6) / 46 = .30435.
  EXPECT_EQ(merged_by_impurity(tree, Impurity::gini, 0.2795).size(), 3U);
  EXPECT_EQ(merged_by_impurity(tree, Impurity::gini, 0.2797).size(), 1U);
  EXPECT_EQ(merged_by_impurity(tree, Impurity::misclassification, 0.3043).size(), 3U);
  EXPECT_EQ(merged_by_impurity(tree, Impurity::misclassification, 0.3044).size(), 1U);
}

TEST(ImpurityMerge, OfNumbersIsMeasuredByTheRootsVariance) {
  // Targets 1 1 3 3 and 8 8, mean 4: 9+9+1+1+16+16 = 52; node 1, mean 2: 4.
  const Tree tree =
      three_leaves(Task::regression, {{6, 4, 52}, {4, 2, 4}, {2, 8, 0}, {2, 1, 0}, {2, 3, 0}});
  // Joining 3 and 4 adds 4 to the squares of 4 rows: 1 a row, of 52/6: 0.11538.
  EXPECT_EQ(merged_by_impurity(tree, Impurity::entropy, 0.1153).size(), 5U);
  EXPECT_EQ(merged_by_impurity(tree, Impurity::entropy, 0.1154).size(), 3U);
  // Joining 1 and 2 adds 48 to those of 6 rows: 48/52 = 0.92308.
  EXPECT_EQ(merged_by_impurity(tree, Impurity::entropy, 0.923).size(), 3U);
  EXPECT_EQ(merged_by_impurity(tree, Impurity::entropy, 0.924).size(), 1U);
}

TEST(ImpurityMerge, GivesNestedSubtrees) {
  for (const Task task : {Task::classification, Task::regression}) {
    const Schema schema = testing::mixed_schema(task);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed, "impurity merge");
      const Tree tree = testing::random_tree(schema, {.splits = 15}, random);
      Tree larger = tree;
      for (const double epsilon : {0.0, 0.01, 0.1, 0.3, 1.0, 1e18}) {
        const Tree merged = merged_by_impurity(tree, Impurity::gini, epsilon);
        EXPECT_TRUE(is_canonical(merged));
        test::expect_subtree(merged, tree);
        test::expect_subtree(merged, larger);
        larger = merged;
      }
      EXPECT_EQ(larger.size(), 1U);
    }
  }
}

TEST(Prune, JoinsByRecipe) {
  const Table table = test::iris_table();
  const Tree tree = test::run(table, "grow");
  test::expect_same_tree(test::run(table, "grow | prune by=simplify"), simplified(tree));
  test::expect_same_tree(test::run(table, "grow | prune by=impurity-merge"),
                         merged_by_impurity(tree, Impurity::entropy, 0.01));
  test::expect_same_tree(
      test::run(table, "grow | prune by=impurity-merge impurity=gini epsilon=0.2"),
      merged_by_impurity(tree, Impurity::gini, 0.2));
}

}  // namespace
}  // namespace softwood
