#include "softwood/version.h"

#include <gtest/gtest.h>

#include <regex>

TEST(Version, IsThreeNumbers) {
  EXPECT_TRUE(std::regex_match(softwood::version(), std::regex(R"(\d+\.\d+\.\d+)")));
}
