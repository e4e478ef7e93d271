// Soft trees that are grown leaf after leaf, as published.
#include <gtest/gtest.h>

#include <cmath>

#include "support/grow.h"
#include "support/points.h"
#include "support/tables.h"

namespace softwood {
namespace {

using namespace test;

TEST(PublishedSoftTree, FindsASlantedBorderWithFewNodes) {
  const Tree tree = test::run(slanted(400, 1), "grow-soft");
  EXPECT_LE(tree.size(), 9U);
  EXPECT_LT(error_on(tree, slanted(2000, 2)), 0.03);
  EXPECT_EQ(most_terms(tree), 2U);
}

TEST(PublishedSoftTree, UndoesSplitsThatDoNotHelp) {
  EXPECT_EQ(test::run(noise(300, 4), "grow-soft gain=0.1").size(), 1U);
  EXPECT_EQ(test::run(slanted(300, 4), "grow-soft gain=1").size(), 1U);
}

TEST(PublishedSoftTree, IsJudgedByTheValidationRows) {
  // Their labels are turned round, so no split helps.
  const Table table = slanted(200, 5);
  std::vector<int32_t> turned = table.target().codes.to_vector();
  for (int32_t& code : turned) code = 1 - code;
  const Table validation(table.schema(), table.rows(), {table.input(0), table.input(1)},
                         test::codes(turned), {});
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Training training{derived, rows, Sample{&validation, rows}};
  EXPECT_EQ(run_recipe(Recipe::parse("grow-soft"), training, Parallel(1), {}).tree.size(), 1U);
  EXPECT_GT(test::run(table, "grow-soft").size(), 1U);
}

TEST(PublishedSoftTree, SplitsAlsoBesideAVeryHeavyRow) {
  const Table table = slanted(400, 1);
  std::vector<double> weights(table.rows(), 1.0);
  weights[0] = 2e6;
  const Table heavy(table.schema(), table.rows(), {table.input(0), table.input(1)}, table.target(),
                    weights);
  EXPECT_GT(test::run(heavy, "grow-soft").size(), 1U);
}

TEST(PublishedSoftTree, LearnsNumbersAndSeveralClasses) {
  std::vector<double> x, y;
  std::vector<int32_t> classes;
  for (int i = 0; i < 300; ++i) {
    x.push_back(i / 50.0);
    y.push_back(std::sin(x.back()));
    classes.push_back(i / 100);
  }
  const Table line = numbers_table({numbers(x)}, y);
  EXPECT_LT(squared_error(test::run(line, "grow-soft"), line), 0.05);
  const Table three = classes_table({numbers(x)}, classes);
  EXPECT_LT(error_on(test::run(three, "grow-soft"), three), 0.05);
}

}  // namespace
}  // namespace softwood
