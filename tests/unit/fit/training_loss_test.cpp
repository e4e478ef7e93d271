// The measure by which stages compare trees, by hand.
#include "fit/training_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/tables.h"

namespace softwood::fit {
namespace {

TEST(TrainingLoss, OfClassesFallsExponentiallyWithTheProbabilityOfTheirs) {
  Tree tree(Task::classification, 2);
  tree.sums(0)[0] = 3;
  tree.sums(0)[1] = 1;
  const Table table =
      test::with_weights(test::classes_table({test::numbers({1, 2, 3})}, {0, 0, 1}), {1, 2, 0.5});
  const double expected = 3 * std::exp(-4 * 0.75) + 0.5 * std::exp(-4 * 0.25);
  EXPECT_NEAR(training_loss(tree, table, all_rows(table), Parallel(1)), expected, 1e-15);
  const std::vector<RowIndex> last = {2};
  EXPECT_NEAR(training_loss(tree, table, last, Parallel(1)), 0.5 * std::exp(-4 * 0.25), 1e-15);
}

TEST(TrainingLoss, OfNumericTargetsIsTheSquaredError) {
  Tree tree(Task::regression, 0);
  tree.sums(0)[0] = 2;  // weight
  tree.sums(0)[1] = 5;  // mean
  const Table table =
      test::with_weights(test::numbers_table({test::numbers({1, 2})}, {4, 7}), {3, 1});
  EXPECT_DOUBLE_EQ(training_loss(tree, table, all_rows(table), Parallel(1)), 3 * 1 + 4);
}

}  // namespace
}  // namespace softwood::fit
