// The cost-complexity sequence of trees worked out by hand.
#include "fit/complexity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/tables.h"

namespace softwood::fit {
namespace {

// Root risk 10: {10, 10}. Left {9, 2} (risk 2), right {1, 8} (risk 1): g = (10 - 3) / 1 = 7.
// The left one splits into {9, 1} and {0, 1}: risks 1 + 0, g = (2 - 1) / 1 = 1.
Tree small_tree() {
  Tree tree(Task::classification, 2);
  const auto fill = [&](NodeIndex node, double a, double b) {
    tree.sums(node)[0] = a;
    tree.sums(node)[1] = b;
  };
  fill(0, 10, 10);
  NodeIndex first = tree.split(0, threshold_gate(0, 1), {});
  fill(first, 9, 2);
  fill(first + 1, 1, 8);
  first = tree.split(first, threshold_gate(0, 0), {});
  fill(first, 9, 1);
  fill(first + 1, 0, 1);
  return tree;
}

TEST(ComplexityTable, OfASmallTreeIsTheOneWorkedByHand) {
  Tree tree = small_tree();
  note_alphas(tree, Sequence::weakest_link);
  EXPECT_DOUBLE_EQ(tree.node(0).notes().alpha, 0.7);
  EXPECT_DOUBLE_EQ(tree.node(1).notes().alpha, 0.1);
  const ComplexityTable table = complexity_table(tree);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(table.rows[0].cp, 0.7);
  EXPECT_DOUBLE_EQ(table.rows[1].cp, 0.1);
  EXPECT_DOUBLE_EQ(table.rows[1].error, 0.3);
  EXPECT_EQ(table.rows[1].splits, 1U);
  EXPECT_DOUBLE_EQ(table.rows[2].error, 0.2);
  // At its own alpha a split falls: the smaller tree is as good.
  EXPECT_EQ(pruned_at(tree, 0.7).size(), 1U);
  EXPECT_EQ(pruned_at(tree, 0.69).size(), 3U);
  EXPECT_EQ(pruned_at(tree, 0.1).size(), 3U);
  EXPECT_EQ(pruned_at(tree, 0.09).size(), 5U);
}

TEST(ComplexityTable, ListsAlphasThatDifferByRoundingOnce) {
  Tree tree(Task::classification, 2);
  NodeIndex next = tree.split(0, threshold_gate(0, 1), {});
  next = tree.split(next, threshold_gate(0, 0), {});
  tree.split(next, threshold_gate(0, -1), {});
  const std::vector<std::vector<double>> sums = {{10, 10}, {10, 2}, {0, 8}, {10, 1},
                                                 {0, 1},   {10, 0}, {0, 1}};
  for (NodeIndex i = 0; i < 7; ++i) std::copy(sums[i].begin(), sums[i].end(), tree.sums(i).begin());
  tree.node(0).notes().alpha = 0.8;
  tree.node(1).notes().alpha = 0.1;
  tree.node(3).notes().alpha = 0.1 + 1e-15;
  const ComplexityTable table = complexity_table(tree);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[1].cp, 0.1 + 1e-15);
  EXPECT_EQ(table.rows[1].splits, 1U);
  EXPECT_EQ(table.rows[2].splits, 3U);
  EXPECT_EQ(pruned_at(tree, table.rows[1].cp).size(), 3U);
}

// Gini index times weight: root 20 - 200/20 = 10, left 11 - 85/11, right 9 - 65/9; below the left
// one 10 - 82/10 = 1.8 and 0. scikit-learn's ccp_alpha are these over the root's weight.
TEST(ComplexityTable, ByImpurityIsTheOneWorkedByHand) {
  Tree tree = small_tree();
  tree.canonicalise();
  const std::vector<double> risk = risks_of(tree, Risk::gini);
  EXPECT_DOUBLE_EQ(risk[0], 10);
  EXPECT_DOUBLE_EQ(risk[1], 11 - 85.0 / 11);
  note_alphas(tree, risk, Sequence::weakest_link);
  EXPECT_NEAR(tree.node(1).notes().alpha, (11 - 85.0 / 11 - 1.8) / 10, 1e-15);
  EXPECT_NEAR(tree.node(0).notes().alpha, (10 - (11 - 85.0 / 11) - (9 - 65.0 / 9)) / 10, 1e-15);
  const ComplexityTable table = complexity_table(tree, risk);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(table.root_error, 10);
  EXPECT_NEAR(table.rows[2].error, (1.8 + 9 - 65.0 / 9) / 10, 1e-15);
}

TEST(Risks, OfEntropyAreInBits) {
  Tree tree(Task::classification, 2);
  tree.sums(0)[0] = 2;
  tree.sums(0)[1] = 2;
  EXPECT_DOUBLE_EQ(risks_of(tree, Risk::entropy)[0], 4);
}

TEST(ComplexityTable, OfALeafHasOneRow) {
  Tree tree(Task::classification, 2);
  tree.sums(0)[0] = 4;
  note_alphas(tree, Sequence::weakest_link);
  const ComplexityTable table = complexity_table(tree);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].cp, 0);
  EXPECT_EQ(table.rows[0].error, 0);
  EXPECT_EQ(table.chosen, 0U);
}

TEST(ComplexityTable, DropsSplitsThatGainNothing) {
  // Both children answer class 0, as their parent does: alpha 0.
  Tree tree(Task::classification, 2);
  const std::vector<std::vector<double>> sums = {{10, 4}, {6, 1}, {4, 3}};
  tree.split(0, threshold_gate(0, 1), {});
  for (NodeIndex i = 0; i < 3; ++i) std::copy(sums[i].begin(), sums[i].end(), tree.sums(i).begin());
  note_alphas(tree, Sequence::weakest_link);
  EXPECT_EQ(tree.node(0).notes().alpha, 0);
  EXPECT_EQ(complexity_table(tree).rows.size(), 1U);
  EXPECT_EQ(pruned_at(tree, 0).size(), 1U);
}

// No answer is right for them: they cost as much as the costliest error, as in evaluate.
TEST(SequenceErrors, OfRowsOfUnknownClassesAreTheCostliest) {
  Tree tree(Task::classification, 2);
  tree.sums(0)[0] = 4;
  tree.sums(0)[1] = 3;
  const Table rows = test::classes_table({test::numbers({1, 2, 3})}, {0, -1, -1});
  const std::vector<double> alphas = {0};
  EXPECT_EQ(sequence_errors(tree, alphas, rows, all_rows(rows), all_rows(rows)).sum[0], 2);
  tree.set_costs({0, 1, 5, 0});  // the cheapest answer is the second class
  const SequenceErrors errors = sequence_errors(tree, alphas, rows, all_rows(rows), all_rows(rows));
  EXPECT_EQ(errors.sum[0], 1 + 2 * 5);
  EXPECT_EQ(errors.squares[0], 1 + 2 * 25);
}

TEST(TypicalAlphas, AreGeometricMeansOfNeighbours) {
  ComplexityTable table;
  for (const double cp : {0.64, 0.04, 0.01, 0.0}) table.rows.push_back({cp, 0, 0});
  const std::vector<double> alphas = typical_alphas(table);
  ASSERT_EQ(alphas.size(), 4U);
  EXPECT_TRUE(std::isinf(alphas[0]));
  EXPECT_DOUBLE_EQ(alphas[1], 0.16);
  EXPECT_DOUBLE_EQ(alphas[2], 0.02);
  EXPECT_EQ(alphas[3], 0);
}

TEST(CrossValidated, ErrorsAreRelativeToTheRoots) {
  // Root: 20 errors of 100 rows. 15 errors on 50 rows, where the root would make 10: 1.5.
  // Squares 15, variance sum 15 - 15^2/50 = 10.5, root of it over 10.
  ComplexityTable table;
  table.rows.push_back({0, 0, 1});
  table.root_error = 20;
  table.root_weight = 100;
  set_cross_validated(table, {{15}, {15}}, 50);
  EXPECT_DOUBLE_EQ(table.rows[0].xerror, 1.5);
  EXPECT_DOUBLE_EQ(table.rows[0].xstd, std::sqrt(10.5) / 10);
}

TEST(BestRow, IsTheSmallestTreeWithinTheRule) {
  ComplexityTable table;
  const double xerrors[] = {1.0, 0.55, 0.44, 0.40, 0.40, 0.42};
  for (const double xerror : xerrors) table.rows.push_back({0, 0, 0, xerror, 0.05});
  EXPECT_EQ(best_row(table, false), 3U);  // the first of two equal ones
  EXPECT_EQ(best_row(table, true), 2U);   // 0.44 <= 0.40 + 0.05 < 0.55
  table.rows[1].xerror = 0.45;            // exactly one standard error still counts
  table.rows[3].xerror = table.rows[4].xerror = 0.40;
  EXPECT_EQ(best_row(table, true), 1U);
}

}  // namespace
}  // namespace softwood::fit
