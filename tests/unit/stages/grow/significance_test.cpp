// Stopping by significance, and the splits that others offered.
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "softwood/error.h"
#include "stages/grow/significance.h"
#include "support/grow.h"
#include "support/iris.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::classes_table;
using test::numbers;

double chi_square_p(double statistic, double degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

// Left 4:1, right 1:4. Each cell expects 2.5, so that the statistic is 4 * 1.5^2 / 2.5 = 3.6.
Table ten_rows() {
  return classes_table({numbers({1, 1, 1, 1, 1, 2, 2, 2, 2, 2})}, {0, 0, 0, 0, 1, 0, 1, 1, 1, 1});
}

TEST(Significance, OfClassesIsPearsonsTest) {
  const Tree tree = test::run(ten_rows(), "grow max-depth=1");
  EXPECT_NEAR(grow::split_log_p(tree, 0), std::log(chi_square_p(3.6, 1)), 1e-12);
}

TEST(Significance, OfNumbersIsThePermutationTest) {
  // Means 1 and 3 around 2; squares 8 within and 10 between of 18 in all.
  const Table table = test::numbers_table({numbers({1, 1, 1, 1, 1, 2, 2, 2, 2, 2})},
                                          {0, 0, 1, 2, 2, 2, 2, 3, 4, 4});
  const Tree tree = test::run(table, "grow max-depth=1");
  EXPECT_NEAR(grow::split_log_p(tree, 0), std::log(chi_square_p(9 * 10.0 / 18, 1)), 1e-12);
}

TEST(Significance, StopsGrowing) {
  const double p = chi_square_p(3.6, 1);  // 0.058
  EXPECT_EQ(test::run(ten_rows(), "grow significance=0.05").size(), 1U);
  const Tree tree = test::run(ten_rows(), "grow significance=0.06");
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_NEAR(tree.node(0).notes().log_p, std::log(p), 1e-12);
  EXPECT_TRUE(std::isnan(test::run(ten_rows(), "grow").node(0).notes().log_p));
}

TEST(Significance, SplitsTakenBackLeaveRoomForOthers) {
  const Table iris = test::iris_table();
  const Tree tree = test::run(iris, "grow significance=0.001 max-leaves=3");
  EXPECT_EQ(shape_of(tree).leaves, 3U);
  EXPECT_LT(shape_of(test::run(iris, "grow significance=0.001")).leaves,
            shape_of(test::run(iris, "grow")).leaves);
}

TEST(Significance, IsForExactSearch) {
  EXPECT_THROW(test::run(ten_rows(), "grow search=binned significance=0.05"), Error);
}

// What summary() of rpart 4.1 says of iris: improve is summed over the 150 rows of the root.
TEST(Competitors, OfIrisAreThoseOfRpart) {
  const Tree tree = test::run(test::iris_table(), "grow competitors=4");
  ASSERT_TRUE(tree.node(0).notes().competitors);
  const std::vector<Competitor>& others = *tree.node(0).notes().competitors;
  ASSERT_EQ(others.size(), 3U);
  const double cuts[] = {0.8, 5.45, 3.35}, improve[] = {50.0, 34.1640502, 19.0385075};
  const uint32_t features[] = {3, 0, 1};
  for (size_t i = 0; i < 3; ++i) {
    const auto& gate = *linear_form(others[i].gate);
    EXPECT_EQ(gate.terms[0].feature, features[i]);
    EXPECT_NEAR(gate.cut, cuts[i], 1e-12);
    EXPECT_NEAR(others[i].gain * 150, improve[i], 1e-6);
  }
  EXPECT_FALSE(test::run(test::iris_table(), "grow").node(0).notes().competitors);
}

// The second input gains 1 bit with a split information of 2, the third 0.549 with 0.954.
TEST(Competitors, OfGainRatioAreRankedByIt) {
  const Table table = test::classes_table(
      {test::codes({0, 0, 0, 0, 1, 1, 1, 1}), test::codes({0, 0, 1, 1, 2, 2, 3, 3}),
       test::codes({0, 0, 0, 1, 1, 1, 1, 1})},
      {0, 0, 0, 0, 1, 1, 1, 1});
  const Tree tree =
      test::run(table, "grow criterion=gain-ratio nominal=multiway competitors=2 min-leaf=1");
  EXPECT_EQ(test::feature_of(tree, 0), 0U);
  ASSERT_TRUE(tree.node(0).notes().competitors);
  const std::vector<Competitor>& others = *tree.node(0).notes().competitors;
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(level_map(others[0].gate)->feature, 2U);
  EXPECT_NEAR(others[0].gain, 0.549, 5e-4);
  EXPECT_EQ(level_map(others[1].gate)->feature, 1U);
}

TEST(Competitors, ChangeNoSplitAndAreSaved) {
  const Table table = test::random_table(
      {.rows = 300, .classes = 3, .numeric = 3, .nominal = 2, .missing = 0.1, .noise = 0.3}, 5);
  Tree tree = test::run(table, "grow competitors=2");
  const std::string text = test::text_of(tree, table.schema());
  EXPECT_EQ(model_to_text(model_from_text(text, "test")), text);
  EXPECT_NE(text.find("\"competitors\""), std::string::npos);
  const Tree plain = test::run(table, "grow");
  test::expect_same_tree(tree, plain);
}

}  // namespace
}  // namespace softwood
