#include "tree/compiled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "support/sample_models.h"

namespace softwood {
namespace {

// One row, one node at a time: what the descent means, without any cleverness.
void walk(const Tree& tree, const Table& table, RowIndex row, NodeIndex i, double weight,
          std::map<NodeIndex, double>& out) {
  const Node& node = tree.node(i);
  if (node.is_leaf()) {
    out[i] += weight;
    return;
  }
  std::vector<double> weights(gate_children(node.gate()));
  const std::vector<RowIndex> rows{row};
  gate_weights(node.gate(), table, rows, weights);
  for (const Surrogate& surrogate : node.missing().surrogates) {
    if (std::isnan(weights[0])) gate_weights(surrogate.gate, table, rows, weights);
  }
  if (std::isnan(weights[0])) {
    switch (node.missing().rule) {
      case MissingRule::child:
        std::fill(weights.begin(), weights.end(), 0);
        weights[node.missing().child] = 1;
        break;
      case MissingRule::shares:
        weights = node.missing().shares;
        break;
      case MissingRule::stay:
        out[i] += weight;
        return;
      case MissingRule::own:
        walk(tree, table, row, node.first_child + gate_children(node.gate()), weight, out);
        return;
      case MissingRule::impute:
        typical_weights(node.gate(), table, row, tree.typical(), weights);
        if (!std::isnan(weights[0])) break;
        std::fill(weights.begin(), weights.end(), 0);
        weights[node.missing().child] = 1;
        break;
    }
  }
  for (uint32_t c = 0; c < weights.size(); ++c) {
    if (weight * weights[c] > negligible_share) {
      walk(tree, table, row, node.first_child + c, weight * weights[c], out);
    }
  }
}

void expect_as_walked(const Tree& tree, const Table& table, const std::vector<RowIndex>& rows) {
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, rows, arrivals);
  size_t next = 0;
  for (const RowIndex row : rows) {
    std::map<NodeIndex, double> expected;
    walk(tree, table, row, 0, 1, expected);
    double sum = 0;
    for (const auto& [node, weight] : expected) {
      ASSERT_LT(next, arrivals.size());
      EXPECT_EQ(arrivals[next].row, row);
      EXPECT_EQ(arrivals[next].node, node);
      EXPECT_DOUBLE_EQ(arrivals[next].weight, weight);
      sum += arrivals[next].weight;
      ++next;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_EQ(next, arrivals.size());
}

std::vector<RowIndex> some_rows(const Table& table, uint64_t kind, Random& random) {
  std::vector<RowIndex> rows = all_rows(table);
  if (kind == 1) random.shuffle(rows);
  if (kind == 2) {
    for (RowIndex& row : rows) row = static_cast<RowIndex>(random.below(table.rows()));
  }
  if (kind == 3) rows.erase(rows.begin(), rows.begin() + 5);
  return rows;
}

TEST(Compiled, ArrivalsAreThoseOfThePlainWalk) {
  Random random(1, "compiled arrivals");
  const Schema schema = testing::mixed_schema(Task::classification);
  for (uint64_t trial = 0; trial < 60; ++trial) {
    const Tree tree = testing::random_tree(schema, {}, random);
    const Table table = testing::random_table(schema, 700, random);
    expect_as_walked(tree, table, some_rows(table, trial % 4, random));
  }
}

TEST(Compiled, EndNodesAreTheArrivalsOfHardTrees) {
  Random random(2, "compiled end nodes");
  const Schema schema = testing::mixed_schema(Task::regression);
  for (uint64_t trial = 0; trial < 100; ++trial) {
    testing::RandomTreeOptions options{true, trial % 2 == 0, trial % 5 * 10};
    const Tree tree = testing::random_tree(schema, options, random);
    const Table table = testing::random_table(schema, 600 + trial, random);
    const Compiled compiled(tree);
    ASSERT_TRUE(compiled.single_path());
    const std::vector<RowIndex> rows = some_rows(table, trial / 2 % 4, random);
    std::vector<NodeIndex> nodes(rows.size());
    compiled.end_nodes(table, rows, nodes);
    std::vector<Arrival> arrivals;
    compiled.arrivals(table, rows, arrivals);
    ASSERT_EQ(arrivals.size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(nodes[i], arrivals[i].node);
  }
}

// Every rule for missing values, unseen levels, surrogates; ordinal columns, which are copied, and
// numbers, which are read in place; rows side by side, shuffled and repeated.
TEST(Compiled, ThresholdsAndLevelsGoDownLikeThePlainWalk) {
  Random random(6, "compiled levels");
  for (uint64_t trial = 0; trial < 200; ++trial) {
    Schema schema = testing::mixed_schema(Task::regression);
    if (trial % 2 == 0) schema.features[2] = {"c", Kind::numeric, {}};
    testing::RandomTreeOptions options;
    options.hard = trial % 3 == 0;
    options.splits = 3 + trial % 40;
    options.only_levels = trial % 5 == 0;
    options.thresholds_and_levels = true;
    Tree tree = testing::random_tree(schema, options, random);
    for (NodeIndex i = 0; i < tree.size() && trial % 2 == 0; ++i) {
      // They may ask for levels of the column that is numeric now.
      if (!tree.node(i).is_leaf()) tree.node(i).missing().surrogates.clear();
    }
    const Table table = testing::random_table(schema, 100 + trial, random);
    SCOPED_TRACE(trial);
    expect_as_walked(tree, table, some_rows(table, trial / 2 % 4, random));
  }
}

TEST(Compiled, LevelsWithoutDividedRowsAreSinglePaths) {
  Tree tree(Task::regression, 0);
  Missing stays;
  stays.rule = MissingRule::stay;
  const NodeIndex first = tree.split(0, LevelsGate{3, 3, {0, 1, 2, -1}}, stays);
  Missing own;
  own.rule = MissingRule::own;
  tree.split(first, threshold_gate(0, 0), own);
  const Schema schema = testing::mixed_schema(Task::regression);
  const Column nothing{Kind::numeric, std::vector<double>(6, 1.0), {}, 0};
  const Column a{Kind::numeric, std::vector<double>{-1, 1, missing_number, 0, 0, 0}, {}, 1};
  const Column grade{Kind::ordinal, {}, std::vector<int32_t>(6, 0), 0};
  const Column colour{Kind::nominal, {}, std::vector<int32_t>{0, 0, 0, 2, 3, missing_code}, 1};
  const Column shape{Kind::nominal, {}, std::vector<int32_t>(6, 0), 0};
  const Table table(schema, 6, {a, nothing, grade, colour, shape}, nothing, {});
  const Compiled compiled(tree);
  ASSERT_TRUE(compiled.single_path());
  std::vector<NodeIndex> nodes(6);
  compiled.end_nodes(table, all_rows(table), nodes);
  // Below, above, without a value; the third level; a level that is unseen here; a missing one.
  EXPECT_EQ(nodes, (std::vector<NodeIndex>{4, 5, 6, 3, 0, 0}));
}

// Only numeric columns: no copies are made.
TEST(Compiled, FastPathReadsNumericColumnsInPlace) {
  Random random(3, "compiled numeric");
  Schema schema = testing::mixed_schema(Task::regression);
  for (size_t f = 0; f < 3; ++f) schema.features[f] = {std::string(1, "abc"[f]), Kind::numeric, {}};
  for (uint64_t trial = 0; trial < 40; ++trial) {
    const Tree tree = testing::random_tree(schema, {true, true, 5 + trial}, random);
    const Table table = testing::random_table(schema, 300 + trial, random);
    const std::vector<RowIndex> rows = some_rows(table, trial % 4, random);
    std::vector<NodeIndex> nodes(rows.size());
    const Compiled compiled(tree);
    compiled.end_nodes(table, rows, nodes);
    for (size_t i = 0; i < rows.size(); ++i) {
      std::map<NodeIndex, double> expected;
      walk(tree, table, rows[i], 0, 1, expected);
      EXPECT_EQ(nodes[i], expected.begin()->first);
    }
  }
}

TEST(Compiled, SoftGatesAndSharesAreNotSinglePaths) {
  Tree soft(Task::regression, 0);
  ScoreGate gate = threshold_gate(0, 1);
  gate.link.form = LinkForm::logistic;
  soft.split(0, gate, {});
  EXPECT_FALSE(Compiled(soft).single_path());
  Tree shared(Task::regression, 0);
  shared.split(0, threshold_gate(0, 1), {MissingRule::shares, 0, {0.5, 0.5}, {}});
  EXPECT_FALSE(Compiled(shared).single_path());
  Tree stays(Task::regression, 0);
  stays.split(0, threshold_gate(0, 1), {MissingRule::stay, 0, {}, {}});
  EXPECT_TRUE(Compiled(stays).single_path());
}

// A chain of three gates at 0, 1 and 2: of a row at -40 the share exp(-40) passes the first.
TEST(Compiled, NegligibleSharesAreLeftOut) {
  Tree tree(Task::regression, 0);
  NodeIndex last = 0;
  for (const double cut : {0.0, 1.0, 2.0}) {
    ScoreGate gate = threshold_gate(0, cut);
    gate.link.form = LinkForm::logistic;
    last = tree.split(last, gate, {}) + 1;
  }
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}};
  schema.target = {"y", Kind::numeric, {}};
  const std::vector<double> x = {-40, 1, 3};
  Column column, target;
  column.numbers = x;
  target.numbers = x;
  const Table table(schema, x.size(), {column}, target, {});
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, all_rows(table), arrivals);
  std::vector<size_t> leaves(x.size(), 0);
  std::vector<double> shares(x.size(), 0);
  for (const Arrival& arrival : arrivals) {
    ++leaves[arrival.row];
    shares[arrival.row] += arrival.weight;
  }
  EXPECT_EQ(leaves, (std::vector<size_t>{1, 4, 4}));
  for (const double share : shares) EXPECT_NEAR(share, 1, 1e-15);
}

TEST(Compiled, SharesAreSinglePathsWhereNothingIsMissing) {
  Tree tree(Task::classification, 2);
  tree.split(0, threshold_gate(0, 1), {MissingRule::shares, 0, {0.25, 0.75}, {}});
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}};
  const auto table = [&](std::vector<double> cells) {
    Column column;
    column.numbers = std::move(cells);
    return Table(schema, column.numbers.size(), {column}, {}, {});
  };
  const Table complete = table({0, 2, 1}), gaps = table({0, missing_number});
  const Compiled compiled(tree);
  EXPECT_FALSE(compiled.single_path(gaps));
  ASSERT_TRUE(compiled.single_path(complete));
  std::vector<NodeIndex> nodes(3);
  compiled.end_nodes(complete, all_rows(complete), nodes);
  EXPECT_EQ(nodes, (std::vector<NodeIndex>{1, 2, 1}));
}

TEST(Compiled, SingleLeafTakesEveryRow) {
  Random random(4, "leaf");
  const Schema schema = testing::mixed_schema(Task::regression);
  const Table table = testing::random_table(schema, 20, random);
  const Tree tree(Task::regression, 0);
  std::vector<NodeIndex> nodes(20, 7);
  Compiled(tree).end_nodes(table, all_rows(table), nodes);
  EXPECT_EQ(nodes, std::vector<NodeIndex>(20, 0));
}

TEST(Compiled, NoRowsNoArrivals) {
  Random random(5, "none");
  const Schema schema = testing::mixed_schema(Task::regression);
  const Table table = testing::random_table(schema, 3, random);
  const Tree tree = testing::random_tree(schema, {true, true, 5}, random);
  std::vector<Arrival> arrivals(3);
  Compiled(tree).arrivals(table, {}, arrivals);
  EXPECT_TRUE(arrivals.empty());
  Compiled(tree).end_nodes(table, {}, {});
}

}  // namespace
}  // namespace softwood
