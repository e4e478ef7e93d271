#include "stats/whole.h"

#include <gtest/gtest.h>

namespace softwood::stats {
namespace {

TEST(WholeNumbers, AreTheNumbersThemselves) {
  const std::vector<double> numbers = {0.1, -7.25, 1e9, 3.0000000000000004};
  const WholeNumbers whole(numbers, 0, 1e9, 1e6);
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(whole.value(whole[i]), numbers[i]) << i;
}

TEST(WholeNumbers, LoseNothingInSums) {
  // In doubles 1e9 swallows digits of 0.1.
  const std::vector<double> numbers = {1e9, 0.1, -1e9};
  const WholeNumbers whole(numbers, 0, 1e9, 3);
  EXPECT_EQ(whole.value(whole[0] + whole[1] + whole[2]), 0.1);
  EXPECT_NE(1e9 + 0.1 - 1e9, 0.1);
}

TEST(WholeNumbers, HaveRoomForTheSumOfAll) {
  constexpr int64_t rows = int64_t{1} << 31;
  const std::vector<double> one_large = {1e290}, one_small = {1e-300};
  const WholeNumbers large(one_large, 0, one_large[0], rows);
  EXPECT_EQ(large.value(large[0] * rows), 1e290 * rows);
  EXPECT_EQ(large.value(-large[0] * rows), -1e290 * rows);
  const WholeNumbers small(one_small, 0, one_small[0], rows);
  EXPECT_NEAR(small.value(small[0] * rows) / (1e-300 * rows), 1, 1e-6);
}

TEST(WholeNumbers, HaveUpperHalvesThatAreRoundedDown) {
  const std::vector<double> numbers = {5, -5, 0, 1e-300, -1e-300};
  const WholeNumbers whole(numbers, 0, 5, 5);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Whole high = static_cast<Whole>(whole.high()[i]) * (Whole{1} << 64);
    EXPECT_LE(high, whole[i]) << i;
    EXPECT_GT(high + (Whole{1} << 64), whole[i]) << i;
  }
  EXPECT_EQ(whole.high()[2], 0);
}

TEST(WholeNumbers, AreMeasuredFromTheCentre) {
  const std::vector<double> numbers = {1e15 + 3, 1e15, 1e15 - 2};
  const WholeNumbers whole(numbers, 1e15, 3, 3);
  EXPECT_EQ(whole.value(whole[0] + whole[1] + whole[2]), 1);
  const WholeNumbers some = whole.at(std::vector<uint32_t>{2, 0});
  EXPECT_EQ(some.value(some[0]), -2);
  EXPECT_EQ(some.value(some[1]), 3);
}

}  // namespace
}  // namespace softwood::stats
