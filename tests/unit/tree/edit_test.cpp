// Branches that hardly any row reaches.
#include "tree/edit.h"

#include <gtest/gtest.h>

#include "tree/recount.h"

namespace softwood {
namespace {

// Cuts of one input at these values, each within the right child of the one before it, with the
// rows' weights in the leaves from left to right.
Tree chain(const std::vector<double>& cuts, const std::vector<double>& weights) {
  Tree tree(Task::classification, 2);
  NodeIndex node = 0;
  double left = 0;
  for (const double weight : weights) left += weight;
  for (size_t i = 0; i < cuts.size(); ++i) {
    tree.sums(node)[0] = left;
    const NodeIndex first = tree.split(node, threshold_gate(0, cuts[i]), {});
    tree.sums(first)[0] = weights[i];
    left -= weights[i];
    node = first + 1;
  }
  tree.sums(node)[0] = left;
  tree.canonicalise();
  return tree;
}

TEST(WithoutEmptyBranches, LeavesOutWhatHasNoRows) {
  EXPECT_EQ(without_empty_branches(chain({1, 2}, {10, 0, 5})).size(), 3U);
  EXPECT_EQ(without_empty_branches(chain({1, 2}, {10, 1, 5})).size(), 5U);
}

TEST(WithoutEmptyBranches, LeavesOutWhatHasSoLittle) {
  const Tree tree = chain({1, 2, 3}, {10, 0.5, 5, 0.2});
  const Tree kept = without_empty_branches(tree, 0.5);
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept.weight(1), 10);
  EXPECT_EQ(kept.weight(2), 5);
  // Where all have so little, the heaviest stays.
  EXPECT_EQ(without_empty_branches(tree, 100).size(), 1U);
}

}  // namespace
}  // namespace softwood
