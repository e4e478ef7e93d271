#include "data/class_weights.h"

#include <gtest/gtest.h>

#include "support/tables.h"

namespace softwood {
namespace {

// Three rows of the first class, one of the second.
Table three_to_one() { return test::classes_table({test::numbers({1, 2, 3, 4})}, {0, 0, 0, 1}); }

TEST(ClassWeights, KeepTheWeightOfAllRows) {
  const Table table = three_to_one();
  // 3 * 1 + 1 * 5 = 8 for 4 rows.
  const std::vector<double> relative = {1, 5};
  EXPECT_EQ(class_factors(table, all_rows(table), relative), (std::vector<double>{0.5, 2.5}));
  const Table weighted = reweighted(table, std::vector<double>{0.5, 2.5});
  EXPECT_EQ(weighted.weights(), (std::vector<double>{0.5, 0.5, 0.5, 2.5}));
  EXPECT_EQ(class_totals(weighted, all_rows(weighted)), (std::vector<double>{1.5, 2.5}));
}

TEST(ClassWeights, ForPriorsGiveTheClassesTheseShares) {
  const Table table = three_to_one();
  const std::vector<double> priors = {0.5, 0.5};
  const Table weighted = reweighted(table, factors_for_priors(table, all_rows(table), priors));
  const std::vector<double> totals = class_totals(weighted, all_rows(weighted));
  EXPECT_DOUBLE_EQ(totals[0], 2);
  EXPECT_DOUBLE_EQ(totals[1], 2);
}

TEST(ClassWeights, MultiplyTheWeightsOfTheRows) {
  const Table table = test::with_weights(three_to_one(), {1, 2, 0, 4});
  EXPECT_EQ(reweighted(table, std::vector<double>{2, 0.5}).weights(),
            (std::vector<double>{2, 4, 0, 2}));
}

TEST(ClassWeights, AClassWithoutRowsTakesNothingFromTheOthers) {
  const Table table = test::classes_table({test::numbers({1, 2})}, {0, 2}, {}, 3);
  const std::vector<double> priors = {0.25, 0.5, 0.25};
  const Table weighted = reweighted(table, factors_for_priors(table, all_rows(table), priors));
  EXPECT_EQ(weighted.weights(), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace softwood
