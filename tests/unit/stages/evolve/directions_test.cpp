// Weighted sums of inputs as columns of the search, and back as gates.
#include "stages/evolve/directions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/edit.h"

namespace softwood::evolve {
namespace {

// Two classes with x0 + 2 x1 = 1.5 between them, and an input of noise.
Table slanted_table(size_t rows, double missing) {
  std::vector<double> x, y, z;
  std::vector<int32_t> classes;
  Random random(1, "slanted");
  for (size_t i = 0; i < rows; ++i) {
    x.push_back(random.uniform());
    y.push_back(random.uniform());
    z.push_back(random.uniform());
    classes.push_back(x.back() + 2 * y.back() < 1.5 ? 0 : 1);
    if (random.uniform() < missing) x.back() = missing_number;
  }
  return test::classes_table({test::numbers(x), test::numbers(y), test::numbers(z)}, classes);
}

double accuracy(const Tree& tree) {
  double wrong = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) wrong += tree.node(i).is_leaf() ? tree.risk(i) : 0;
  return 1 - wrong / tree.weight(0);
}

TEST(Directions, OneSlantedQuestionDoesTheWorkOfMany) {
  const Table table = slanted_table(500, 0);
  const Tree axis = test::run(table, "evolve"), oblique = test::run(table, "evolve split=oblique");
  EXPECT_GT(axis.size(), 5U);
  EXPECT_EQ(oblique.size(), 3U);
  EXPECT_GT(accuracy(oblique), 0.97);
  // The slope of the border, within a few degrees.
  const auto& gate = *linear_form(oblique.node(0).gate());
  ASSERT_EQ(gate_features(gate), (std::vector<uint32_t>{0, 1}));
  EXPECT_NEAR(gate.terms[1].coefficient / gate.terms[0].coefficient, 2, 0.3);
}

TEST(Directions, LeafCountsAreThoseOfTheRowsThatTheGatesSend) {
  for (const size_t classes : {size_t{3}, size_t{0}}) {
    const Table table = test::random_table({.rows = 300,
                                            .classes = classes,
                                            .numeric = 4,
                                            .nominal = 1,
                                            .ordinal = 1,
                                            .missing = 0.1,
                                            .noise = 0.3},
                                           5);
    const Tree tree = test::run(table, "evolve split=oblique alpha=0.0005");
    EXPECT_GT(tree.size(), 5U);
    bool slanted = false;
    Tree again = tree;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      std::fill(again.sums(i).begin(), again.sums(i).end(), 0.0);
      if (tree.node(i).is_leaf()) continue;
      again.node(i).missing().weight = 0;
      const std::vector<uint32_t> features = gate_features(tree.node(i).gate());
      for (const uint32_t feature : features) ASSERT_LT(feature, table.features());
      slanted = slanted || features.size() > 1;
    }
    EXPECT_TRUE(slanted);
    count_rows(again, table, all_rows(table));
    for (NodeIndex i = 0; i < tree.size(); ++i) EXPECT_EQ(again.weight(i), tree.weight(i));
  }
}

TEST(Directions, CostWhatTheirInputsCost) {
  ScoreGate both;
  both.terms = {{TermForm::value, 0, 0, 1.0}, {TermForm::value, 2, 0, -1.0}};
  EXPECT_EQ(costs_with_directions({1, 5, 3}, {both}), (std::vector<double>{1, 5, 3, 4}));
  // Where knowing the first input costs more than the question is worth, it is not asked.
  const Tree tree = test::run(slanted_table(500, 0), "evolve split=oblique feature-costs=x0:1000");
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    for (const uint32_t feature : gate_features(tree.node(i).gate())) EXPECT_NE(feature, 0U);
  }
}

TEST(Directions, AreColumnsThatMissWhereAnInputDoes) {
  const Table table = slanted_table(50, 0.3);
  ScoreGate sum;
  sum.terms = {{TermForm::value, 0, 0, 2.0}, {TermForm::value, 1, 0, 1.0}};
  const Table wider = with_directions(table, {sum});
  ASSERT_EQ(wider.features(), table.features() + 1);
  for (size_t row = 0; row < table.rows(); ++row) {
    const double expected = 2 * table.input(0).value(row) + table.input(1).value(row);
    const double value = wider.input(table.features()).value(row);
    EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)));
  }
}

// Also where most rows are of one class on both sides of every threshold that is looked at.
TEST(Directions, DoNotDependOnTheOrderOfRows) {
  std::vector<double> x, y;
  std::vector<int32_t> classes;
  Random random(2, "blobs");
  for (size_t i = 0; i < 200; ++i) {
    classes.push_back(i % 2 == 0 ? 0 : 1);
    const double from = i % 2 == 0 ? 0 : 0.8;
    x.push_back(from + random.uniform());
    y.push_back(from + random.uniform());
  }
  const Table table = test::classes_table({test::numbers(x), test::numbers(y)}, classes);
  std::vector<RowIndex> rows = all_rows(table);
  std::reverse(rows.begin(), rows.end());
  const std::string recipe = "evolve split=oblique directions=5 generations=20";
  const Tree tree = test::run(table, recipe);
  EXPECT_GT(gate_features(tree.node(0).gate()).size(), 1U);
  test::expect_same_tree(tree, test::run(test::part_of(table, rows), recipe));
}

TEST(Directions, ThereAreNoneOfASingleInput) {
  const Table table = test::classes_table({test::numbers({1, 2, 3, 4})}, {0, 0, 1, 1});
  EXPECT_EQ(test::run(table, "evolve split=oblique").size(), 3U);
}

}  // namespace
}  // namespace softwood::evolve
