#include "use/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "support/tables.h"

namespace softwood {
namespace {

// Class 1 where x > 0.5; z says nothing. Rows from first to last, or from last to first.
Table drawn(bool backwards) {
  Random random(1, "permutation test");
  std::vector<double> x, z;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < 200; ++i) {
    x.push_back(random.uniform());
    z.push_back(random.uniform());
    classes.push_back(x.back() > 0.5 ? 1 : 0);
  }
  if (backwards) {
    std::reverse(x.begin(), x.end());
    std::reverse(z.begin(), z.end());
    std::reverse(classes.begin(), classes.end());
  }
  return test::classes_table({test::numbers(x), test::numbers(z)}, classes);
}

Tree stump() {
  Tree tree(Task::classification, 2);
  tree.split(0, threshold_gate(0, 0.5), {});
  for (const NodeIndex i : {NodeIndex{1}, NodeIndex{2}}) tree.sums(i)[i - 1] = 100;
  tree.sums(0)[0] = tree.sums(0)[1] = 100;
  return tree;
}

TEST(PermutationImportance, IsTheErrorThatShufflingAdds) {
  const auto inputs = permutation_importance(stump(), drawn(false), 20, 1, Parallel(1));
  ASSERT_EQ(inputs.size(), 2U);
  // Classes are equally frequent: a shuffled x is right by chance.
  EXPECT_NEAR(inputs[0].mean, 0.5, 0.05);
  EXPECT_GT(inputs[0].sd, 0);
  EXPECT_EQ(inputs[1].mean, 0);
  EXPECT_EQ(inputs[1].sd, 0);
}

TEST(PermutationImportance, DoesNotDependOnTheOrderOfRowsButOnTheSeed) {
  const auto forwards = permutation_importance(stump(), drawn(false), 5, 1, Parallel(1));
  const auto backwards = permutation_importance(stump(), drawn(true), 5, 1, Parallel(2));
  const auto otherwise = permutation_importance(stump(), drawn(false), 5, 2, Parallel(1));
  EXPECT_EQ(forwards[0].mean, backwards[0].mean);
  EXPECT_NE(forwards[0].mean, otherwise[0].mean);
}

TEST(PermutationImportance, TakesAWeightAsSoManyRows) {
  const Table once = drawn(false);
  std::vector<double> weights;
  std::vector<RowIndex> copies;
  for (RowIndex row = 0; row < once.rows(); ++row) {
    weights.push_back(static_cast<double>(row % 4));
    copies.insert(copies.end(), row % 4, row);
  }
  const auto by_weight =
      permutation_importance(stump(), test::with_weights(once, weights), 5, 1, Parallel(1));
  const auto by_copies =
      permutation_importance(stump(), test::part_of(once, copies), 5, 1, Parallel(1));
  EXPECT_NEAR(by_weight[0].mean, by_copies[0].mean, 1e-12);
  EXPECT_NEAR(by_weight[0].sd, by_copies[0].sd, 1e-12);
  EXPECT_GT(by_weight[0].mean, 0.3);
}

}  // namespace
}  // namespace softwood
