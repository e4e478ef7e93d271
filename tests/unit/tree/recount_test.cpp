#include "tree/recount.h"

#include <gtest/gtest.h>

#include "support/tables.h"

namespace softwood {
namespace {

// Sums of such numbers in plain doubles are off by more than the numbers differ.
TEST(Recount, KeepsTheDigitsOfTargetsWithALargeOffset) {
  constexpr size_t rows = 1000;
  constexpr double offset = 1e15;
  std::vector<double> x, y;
  for (size_t i = 0; i < rows; ++i) {
    x.push_back(static_cast<double>(i % 4));
    y.push_back(offset + static_cast<double>(i % 4));
  }
  const Table table = test::numbers_table({test::numbers(x)}, y);
  Tree tree(Task::regression, 0);
  tree.split(0, threshold_gate(0, 1), {});
  recount(tree, table, all_rows(table));
  EXPECT_EQ(tree.sums(0)[1], offset + 1.5);
  EXPECT_EQ(tree.sums(1)[1], offset + 0.5);
  EXPECT_EQ(tree.sums(2)[1], offset + 2.5);
  EXPECT_EQ(tree.risk(0), rows * 1.25);
  EXPECT_EQ(tree.risk(1), rows / 2 * 0.25);
}

}  // namespace
}  // namespace softwood
