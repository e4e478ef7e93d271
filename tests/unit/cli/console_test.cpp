#include "cli/console.h"

#include <gtest/gtest.h>

#include "softwood/error.h"

namespace softwood {
namespace {

using namespace std::chrono_literals;

TEST(Duration, IsANumberAndAUnit) {
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
  EXPECT_EQ(parse_duration("2h"), 2h);
  for (const char* wrong : {"", "30", "s", "-1s", "1d", "1 s", "0s", "1e9h", "1..5s", "1s2"}) {
    EXPECT_THROW(parse_duration(wrong), Error) << wrong;
  }
}

TEST(Duration, IsShownInTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(3.2), "4s");
  EXPECT_EQ(duration_text(125), "2m 05s");
  EXPECT_EQ(duration_text(3660), "1h 01m");
}

}  // namespace
}  // namespace softwood
