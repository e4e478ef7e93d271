// What a smaller tree may lose.
#include <gtest/gtest.h>

#include "fit/tolerance.h"

namespace softwood::fit {
namespace {

TEST(AllowedLoss, IsNothingWhereTheBestIsWanted) {
  EXPECT_EQ(allowed_loss(exact_choice, 0.3, 0.7, 0.1), 0);
}

TEST(AllowedLoss, IsAStandardErrorOrAShareWhicheverIsMore) {
  EXPECT_DOUBLE_EQ(allowed_loss(balanced_choice, 0.4, 1.0, 0.1), 0.1);
  EXPECT_DOUBLE_EQ(allowed_loss(balanced_choice, 0.4, 1.0, 0.001), 0.05 * 0.4);
}

TEST(AllowedLoss, CountsWhatIsGainedOverTheBaseline) {
  EXPECT_DOUBLE_EQ(allowed_loss(small_size, 0.6, 0.7, 0), 0.2 * (0.7 - 0.6));
  EXPECT_EQ(allowed_loss(small_size, 0.6, 0.5, 0), 0);
}

}  // namespace
}  // namespace softwood::fit
