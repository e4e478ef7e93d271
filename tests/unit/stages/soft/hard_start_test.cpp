// Where the training of a soft node begins: worked out by hand.
#include "stages/soft/hard_start.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softwood::soft {
namespace {

using gradient::Loss;
using gradient::Rows;

// Two terms: the first does not go with the target, the second is 0, 1, 2, 3.
Rows<double> four_rows(const std::vector<double>& target) {
  Rows<double> rows;
  rows.count = 4;
  rows.stride = 2;
  rows.cells = {5, 0, 6, 1, 5, 2, 6, 3};
  rows.target = target;
  rows.weight = {1, 1, 2, 1};
  return rows;
}

TEST(HardStart, CutsWhereTheTargetJumps) {
  // Below 1.5: 10 and 12; above it 20 twice (weight 2) and 23.
  const auto start = hard_start(Loss::squared, 1, four_rows({10, 12, 20, 23}), 2, {1, 1, 1, 1});
  ASSERT_TRUE(start);
  EXPECT_EQ(start->reach, 5);
  EXPECT_EQ(start->term, 1U);
  EXPECT_EQ(start->weight, -0.5);
  EXPECT_EQ(start->constant, 0.75);  // the gate is 1/2 at 1.5
  EXPECT_EQ(start->left, std::vector<double>{11});
  EXPECT_EQ(start->right, std::vector<double>{21});
}

TEST(HardStart, CountsTheSharesOfRowsThatReachTheNode) {
  // Of the rows above 1.5 hardly anything is left, and at 0.5 the target jumps.
  const auto start =
      hard_start(Loss::squared, 1, four_rows({10, 12, 12.1, 12.1}), 2, {1, 1, 0.01, 0.01});
  ASSERT_TRUE(start);
  EXPECT_NEAR(start->reach, 2.03, 1e-12);
  EXPECT_EQ(start->constant, 0.25);
  EXPECT_EQ(start->left, std::vector<double>{10});
  EXPECT_NEAR(start->right[0], (12 + 12.1 * 0.03) / 1.03, 1e-12);
}

TEST(HardStart, LeavesBeginWithTheSharesOfTheClasses) {
  // The cut at 0.5 leaves no deviations.
  const auto two = hard_start(Loss::logistic, 1, four_rows({0, 1, 1, 1}), 2, {0.5, 0.5, 1, 1});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->reach, 4);
  EXPECT_EQ(two->constant, 0.25);
  EXPECT_EQ(two->left, std::vector<double>{0});
  EXPECT_EQ(two->right, std::vector<double>{1});
  // Classes 0, 2, 1, 1 of weights 1, 1, 2, 1: the squares of their weights by the weight of each
  // side sum up to 2 / 2 + 9 / 3 at 1.5, to 1 + 10 / 4 at 0.5 and to 6 / 4 + 1 at 2.5.
  const auto three = hard_start(Loss::softmax, 3, four_rows({0, 2, 1, 1}), 2, {1, 1, 1, 1});
  ASSERT_TRUE(three);
  EXPECT_EQ(three->constant, 0.75);
  EXPECT_EQ(three->left, (std::vector<double>{0.5, 0, 0.5}));
  EXPECT_EQ(three->right, (std::vector<double>{0, 1, 0}));
}

TEST(HardStart, NeedsATermThatVaries) {
  Rows<double> rows = four_rows({0, 0, 1, 1});
  rows.cells = {5, 1, 5, 1, 5, 1, 5, 1};
  EXPECT_FALSE(hard_start(Loss::logistic, 1, rows, 2, {1, 1, 1, 1}));
}

TEST(LeafAnswer, IsTheMeanOrLogarithmsOfSharesWithOneRowMore) {
  const Rows<double> rows = four_rows({0, 1, 1, 1});
  const std::vector<double> shares = {0.5, 0, 1, 1};
  EXPECT_NEAR(leaf_answer(Loss::squared, 1, rows, shares)[0], 3 / 3.5, 1e-12);
  EXPECT_NEAR(leaf_answer(Loss::logistic, 1, rows, shares)[0], std::log(4 / 1.5), 1e-12);
  const std::vector<double> three = leaf_answer(Loss::softmax, 3, rows, shares);
  EXPECT_NEAR(three[0], std::log(1.5 / 6.5), 1e-12);
  EXPECT_NEAR(three[1], std::log(4 / 6.5), 1e-12);
  EXPECT_NEAR(three[2], std::log(1 / 6.5), 1e-12);
}

}  // namespace
}  // namespace softwood::soft
