#include "lower/condition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softwood {
namespace {

LoweredTerm value(uint32_t input, double coefficient = 1) {
  LoweredTerm term;
  term.input = input;
  term.coefficient = coefficient;
  return term;
}

TEST(LoweredCondition, KnowsItsChildrenAndInputs) {
  LoweredTerm product = value(3);
  product.kind = TermKind::product;
  product.second = 1;
  EXPECT_EQ(condition_inputs(LoweredScore{{product, value(1)}, 0}), (std::vector<uint32_t>{1, 3}));
  EXPECT_EQ(condition_children(LoweredScore{{value(0)}, 0}), 2U);
  EXPECT_EQ(condition_inputs(LoweredLevels{4, 3, {0, 1, 2}}), std::vector<uint32_t>{4});
  EXPECT_EQ(condition_children(LoweredLevels{4, 3, {0, 1, 2}}), 3U);
}

TEST(LoweredCondition, MayTakeNothingButMissingValues) {
  EXPECT_TRUE(takes_only_missing(LoweredLevels{0, 3, {0, -1, 1}}, 2));
  EXPECT_FALSE(takes_only_missing(LoweredLevels{0, 3, {0, -1, 1}}, 1));
  EXPECT_TRUE(takes_only_missing(LoweredScore{{value(0)}, cut_above_all_values}, 1));
  EXPECT_FALSE(takes_only_missing(LoweredScore{{value(0)}, cut_above_all_values}, 0));
  EXPECT_FALSE(takes_only_missing(LoweredScore{{value(0)}, 1}, 1));
}

TEST(LoweredCondition, IsAThresholdOnlyOfOneValueAndAStep) {
  EXPECT_TRUE(is_threshold({{value(0)}, 1}));
  EXPECT_FALSE(is_threshold({{value(0, 2)}, 1}));
  EXPECT_FALSE(is_threshold({{value(0), value(1)}, 1}));
  EXPECT_FALSE(is_threshold({{value(0)}, 1, LinkKind::ramp, 1, 1}));
}

TEST(LoweredCondition, PassesFromOneChildToTheOtherInTheUnitsOfTheValue) {
  EXPECT_FALSE(soft_range({{value(0)}, 1}));
  EXPECT_FALSE(soft_range({{value(0)}, 1, LinkKind::ramp}));
  const auto ramp = soft_range({{value(0)}, 2, LinkKind::ramp, 0.5, 1.5});
  ASSERT_TRUE(ramp);
  EXPECT_EQ(ramp->low, 1.5);
  EXPECT_EQ(ramp->half, 2);
  EXPECT_EQ(ramp->high, 3.5);
  const LoweredScore falling{{value(0, -2)}, 3, LinkKind::logistic};
  const auto soft = soft_range(falling);
  ASSERT_TRUE(soft);
  EXPECT_TRUE(soft->falling);
  // The first child has 10 % at the low end and 90 % at the high one.
  EXPECT_NEAR(first_child_weight(falling, -2 * soft->low), 0.1, 1e-12);
  EXPECT_NEAR(first_child_weight(falling, -2 * soft->half), 0.5, 1e-12);
  EXPECT_NEAR(first_child_weight(falling, -2 * soft->high), 0.9, 1e-12);
}

TEST(LoweredCondition, RampsAreLinearOnBothSides) {
  const LoweredScore ramp{{value(0)}, 2, LinkKind::ramp, 1, 4};
  EXPECT_EQ(first_child_weight(ramp, 1), 1);
  EXPECT_EQ(first_child_weight(ramp, 1.5), 0.75);
  EXPECT_EQ(first_child_weight(ramp, 2), 0.5);
  EXPECT_EQ(first_child_weight(ramp, 4), 0.25);
  EXPECT_EQ(first_child_weight(ramp, 6), 0);
  EXPECT_EQ(first_child_weight({{value(0)}, 2}, 2), 1);
}

}  // namespace
}  // namespace softwood
