#include "stages/evolve/grace_period.h"

#include <gtest/gtest.h>

#include "softwood/error.h"

namespace softwood::evolve {
namespace {

using std::chrono::hours, std::chrono::milliseconds, std::chrono::minutes, std::chrono::seconds;

// However long the search took.
TEST(GracePeriod, OfAnInterruptIsHalfASecond) {
  bool interrupt = false;
  Control control;
  control.interrupt = [&] { return interrupt; };
  // In the past, as the control that it gives asks the real clock, which may count from the start
  // of the machine.
  const GracePeriod::Clock::time_point began = GracePeriod::Clock::now() - hours(2),
                                       now = began + hours(1);
  GracePeriod grace(control, began);
  EXPECT_FALSE(grace.is_over(now));
  interrupt = true;
  EXPECT_FALSE(grace.is_over(now));
  EXPECT_FALSE(grace.is_over(now + milliseconds(499)));
  EXPECT_TRUE(grace.is_over(now + milliseconds(500)));
  EXPECT_THROW(grace.control().throw_if_interrupted(), Error);
}

TEST(GracePeriod, OfABudgetIsATenthOfTheTimeAndAtLeastASecond) {
  Control control;
  control.deadline = Control::Clock::now() - hours(1);
  const GracePeriod::Clock::time_point began{};
  GracePeriod after_an_hour(control, began), after_a_second(control, began);
  EXPECT_FALSE(after_an_hour.is_over(began + hours(1)));
  EXPECT_FALSE(after_an_hour.is_over(began + minutes(65)));
  EXPECT_TRUE(after_an_hour.is_over(began + minutes(66)));
  EXPECT_FALSE(after_a_second.is_over(began + seconds(1)));
  EXPECT_TRUE(after_a_second.is_over(began + seconds(2)));
}

// Ctrl-C while a long one of a budget is under way.
TEST(GracePeriod, IsShortenedByAnInterrupt) {
  bool interrupt = false;
  Control control;
  control.interrupt = [&] { return interrupt; };
  control.deadline = Control::Clock::now() - hours(1);
  const GracePeriod::Clock::time_point began{}, now = began + hours(1);
  GracePeriod grace(control, began);
  EXPECT_FALSE(grace.is_over(now));
  interrupt = true;
  EXPECT_FALSE(grace.is_over(now + seconds(1)));
  EXPECT_TRUE(grace.is_over(now + seconds(2)));
}

}  // namespace
}  // namespace softwood::evolve
