// Rows to train with and rows to choose by.
#include "fit/held_out.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/tables.h"

namespace softwood::fit {
namespace {

std::vector<RowIndex> rows_of(const Sample& sample) {
  return {sample.rows.begin(), sample.rows.end()};
}

TEST(HeldOut, IsAPartOfTheTrainingRowsOfEveryClass) {
  const Table table = test::random_table({.rows = 200, .classes = 2}, 5);
  const std::vector<RowIndex> rows = all_rows(table);
  const HeldOut held({&table, rows}, std::nullopt, 0.25, 1);
  EXPECT_TRUE(held.is_part_of_training());
  EXPECT_FALSE(held.are_training_rows());
  EXPECT_NEAR(static_cast<double>(held.held_out().rows.size()), 50, 2);
  std::vector<RowIndex> both = rows_of(held.train());
  const std::vector<RowIndex> others = rows_of(held.held_out());
  both.insert(both.end(), others.begin(), others.end());
  std::sort(both.begin(), both.end());
  EXPECT_EQ(both, rows);
  ASSERT_EQ(held.all().size(), 1U);
  EXPECT_EQ(rows_of(held.all()[0]), rows);
}

TEST(HeldOut, AreTheValidationRowsWithAKnownTarget) {
  const Table table = test::random_table({.rows = 50, .classes = 2}, 5);
  const Table other = test::classes_table({test::numbers({1, 2, 3})}, {0, -1, 1});
  const std::vector<RowIndex> rows = all_rows(table), others = all_rows(other);
  const HeldOut held({&table, rows}, Sample{&other, others}, 0.25, 1);
  EXPECT_EQ(held.held_out().table, &other);
  EXPECT_EQ(rows_of(held.held_out()), (std::vector<RowIndex>{0, 2}));
  EXPECT_EQ(rows_of(held.train()), rows);
  EXPECT_FALSE(held.is_part_of_training());
  EXPECT_EQ(held.all().size(), 2U);
}

TEST(HeldOut, AreTheTrainingRowsWhereThereAreTooFew) {
  const Table table = test::random_table({.rows = 19, .classes = 2}, 5);
  const std::vector<RowIndex> rows = all_rows(table);
  EXPECT_TRUE(HeldOut({&table, rows}, std::nullopt, 0.25, 1).are_training_rows());
  const Table more = test::random_table({.rows = 40, .classes = 2}, 5);
  const std::vector<RowIndex> all = all_rows(more);
  EXPECT_TRUE(HeldOut({&more, all}, std::nullopt, 0, 1).are_training_rows());
}

}  // namespace
}  // namespace softwood::fit
