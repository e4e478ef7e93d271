// Soft trees made hard.
#include <gtest/gtest.h>

#include <cmath>

#include "support/grow.h"
#include "support/tables.h"
#include "tree/recount.h"
#include "use/predict.h"

namespace softwood {
namespace {

using namespace test;

// y = x from 0 to 1.
Table line() {
  std::vector<double> x;
  for (int i = 0; i <= 100; ++i) x.push_back(i / 100.0);
  return numbers_table({Column{Kind::numeric, x, {}, 0}}, x);
}

ScoreGate logistic_gate(double cut) {
  ScoreGate gate = threshold_gate(0, cut);
  gate.link.form = LinkForm::logistic;
  return gate;
}

struct Told {
  std::vector<std::string> notes, warnings;
};

// The tree with the sums of its rows, hardened.
Tree hardened(Tree tree, const Table& table, Told& told) {
  const std::vector<RowIndex> rows = all_rows(table);
  recount(tree, table, rows);
  Derived derived(table);
  Control control;
  control.note = [&](const std::string& text) { told.notes.push_back(text); };
  control.warning = [&](const std::string& text) { told.warnings.push_back(text); };
  return run_recipe(Recipe::parse("grow | harden"), {derived, rows, {}, 1}, Parallel(1), control,
                    std::move(tree), 1)
      .tree;
}

// A soft gate that all rows are on one side of still gives the other side a part of them.
TEST(Harden, RemovesBranchesThatNoRowReachesAnyMore) {
  const Table table = line();
  Tree tree(Task::regression, 0);
  const NodeIndex first = tree.split(0, logistic_gate(0.5), {});
  tree.split(first, logistic_gate(2), {});
  Told told;
  const Tree hard = hardened(tree, table, told);
  ASSERT_EQ(hard.size(), 3U);
  EXPECT_EQ(hard.weight(1), 51);
  EXPECT_EQ(hard.weight(2), 50);
  ASSERT_EQ(told.notes.size(), 1U);
  EXPECT_NE(told.notes[0].find("rmse of the soft tree on these rows"), std::string::npos)
      << told.notes[0];
  EXPECT_TRUE(told.warnings.empty());
}

// The mix of two constants far outside is nearly y = x; their rows' means are two steps, with
// an rmse of 1 / (4 sqrt(3)) = 0.144.
TEST(Harden, WarnsWhereTheHardTreeIsMuchWorse) {
  const Table table = line();
  Tree tree(Task::regression, 0);
  const NodeIndex first = tree.split(0, logistic_gate(0.5), {});
  for (const NodeIndex side : {0U, 1U}) {
    LeafModel leaf;
    leaf.coefficients = {side == 0 ? -1.54 : 2.54};
    leaf.low = -10;
    leaf.high = 10;
    tree.node(first + side).model = Owned<LeafModel>(leaf);
  }
  tree.set_leaf_plan(trained_leaves(LeafMixing::answers));
  Told told;
  hardened(tree, table, told);
  ASSERT_EQ(told.warnings.size(), 1U);
  EXPECT_NE(told.warnings[0].find("rmse 0.14"), std::string::npos) << told.warnings[0];
  EXPECT_NE(told.warnings[0].find("'refine' after 'harden'"), std::string::npos)
      << told.warnings[0];
}

TEST(Harden, KnowsItsRows) {
  // The mean is 0 but for rounding; validation rows had a part in the tree.
  std::vector<double> x, y;
  for (size_t i = 0; i < 200; ++i) {
    x.push_back(static_cast<double>(i) / 200);
    y.push_back(0.1 * (static_cast<double>(i) - 99.5));
  }
  const Table table = test::numbers_table({test::numbers(x)}, y);
  Derived derived(table);
  std::vector<RowIndex> rows = all_rows(table), others(rows.begin() + 150, rows.end());
  const std::vector<RowIndex> first(rows.begin(), rows.begin() + 150);
  std::string warnings;
  Control control;
  control.warning = [&](const std::string& text) { warnings += text; };
  const Recipe recipe = Recipe::parse("grow-soft shape=full depth=2 steps=100 | harden");
  run_recipe(recipe, {derived, rows, {}, 1}, Parallel(1), control);
  run_recipe(recipe, {derived, first, Sample{&table, others}, 1}, Parallel(1), control);
  EXPECT_EQ(warnings.find("other rows"), std::string::npos) << warnings;
}

TEST(Harden, RefiningNeverMakesTrainedLeavesWorse) {
  std::vector<double> x, y;
  for (size_t i = 0; i < 200; ++i) {
    x.push_back(static_cast<double>(i) / 200);
    y.push_back(std::abs(x[i] - 0.5));  // with constants the best cut is not where the lines meet
  }
  const Table table = test::numbers_table({test::numbers(x)}, y);
  const std::string recipe =
      "grow-soft shape=full depth=1 leaves=linear terms=linear map=none members=1 steps=300 | "
      "harden";
  const auto squares = [&](const Tree& tree) {
    const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += std::pow(answers.answers[i] - y[i], 2);
    return sum;
  };
  EXPECT_LE(squares(test::run(table, recipe + " | refine")), squares(test::run(table, recipe)));
}

}  // namespace
}  // namespace softwood
