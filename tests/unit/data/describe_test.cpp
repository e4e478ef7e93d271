#include "data/describe.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

Frame small_frame() {
  Frame frame;
  frame.rows = 5;
  frame.columns.push_back(
      {"number", Column{Kind::numeric, {{4, missing_number, 1, 2, 1}}, {}, 1}, {}});
  frame.columns.push_back(
      {"colour", Column{Kind::nominal, {}, {{1, 0, 1, missing_code, 1}}, 1}, {"red", "blue"}});
  frame.columns.push_back(
      {"empty", Column{Kind::numeric, std::vector<double>(5, missing_number), {}, 5}, {}});
  return frame;
}

TEST(Describe, NumbersHaveTheirFigures) {
  const ColumnFigures figures = describe(small_frame(), Parallel(1))[0];
  EXPECT_EQ(figures.missing, 1U);
  EXPECT_EQ(figures.distinct, 3U);
  EXPECT_EQ(figures.min, 1);
  EXPECT_EQ(figures.max, 4);
  EXPECT_EQ(figures.mean, 2);
  EXPECT_EQ(figures.median, 1.5);
  EXPECT_DOUBLE_EQ(figures.sd, std::sqrt(2.0));
  ASSERT_EQ(figures.levels.size(), 3U);
  EXPECT_EQ(figures.levels[0], (std::pair<std::string, size_t>("1", 2)));
}

TEST(Describe, LevelsAreCountedMostFrequentFirst) {
  const ColumnFigures figures = describe(small_frame(), Parallel(2))[1];
  EXPECT_EQ(figures.missing, 1U);
  EXPECT_EQ(figures.distinct, 2U);
  ASSERT_EQ(figures.levels.size(), 2U);
  EXPECT_EQ(figures.levels[0], (std::pair<std::string, size_t>("blue", 3)));
  EXPECT_EQ(figures.levels[1], (std::pair<std::string, size_t>("red", 1)));
}

TEST(Describe, EmptyColumnHasNoFigures) {
  const ColumnFigures figures = describe(small_frame(), Parallel(1))[2];
  EXPECT_EQ(figures.missing, 5U);
  EXPECT_EQ(figures.distinct, 0U);
  EXPECT_TRUE(std::isnan(figures.mean));
  EXPECT_TRUE(std::isnan(figures.sd));
}

}  // namespace
}  // namespace softwood
