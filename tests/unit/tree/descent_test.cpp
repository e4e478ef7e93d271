#include "tree/descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "softwood/error.h"
#include "support/sample_models.h"
#include "tree/compiled.h"
#include "tree/edit.h"

namespace softwood {
namespace {

struct Log : DescentVisitor {
  std::map<NodeIndex, std::vector<Share>> reached, ended;
  void reach(NodeIndex node, std::span<const Share> here) {
    EXPECT_TRUE(reached[node].empty()) << "node " << node << " is visited twice";
    reached[node].assign(here.begin(), here.end());
  }
  void end(NodeIndex node, const Share& share) { ended[node].push_back(share); }
};

std::vector<Share> whole_rows(size_t count) {
  std::vector<Share> shares;
  for (uint32_t i = 0; i < count; ++i) shares.push_back({i, 1.0});
  return shares;
}

double weight_of(std::span<const Share> shares) {
  double sum = 0;
  for (const Share& share : shares) sum += share.weight;
  return sum;
}

TEST(Descent, WhatReachesANodeEndsThereOrReachesItsChildren) {
  Random random(1, "descent");
  const Schema schema = testing::mixed_schema(Task::classification);
  for (int trial = 0; trial < 30; ++trial) {
    const Tree tree = testing::random_tree(schema, {}, random);
    const Table table = testing::random_table(schema, 200, random);
    Log log;
    Descent(tree, table, follow_all).run(0, all_rows(table), whole_rows(200), log);
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      double further = weight_of(log.ended[i]);
      for (uint32_t c = 0; c < tree.children(i); ++c) {
        further += weight_of(log.reached[tree.node(i).first_child + c]);
      }
      EXPECT_NEAR(further, weight_of(log.reached[i]), 1e-9);
      for (size_t k = 1; k < log.reached[i].size(); ++k) {
        EXPECT_LT(log.reached[i][k - 1].position, log.reached[i][k].position);
      }
    }
  }
}

TEST(Descent, EndsAreTheArrivalsToTheBit) {
  Random random(2, "descent");
  const Schema schema = testing::mixed_schema(Task::classification);
  for (int trial = 0; trial < 30; ++trial) {
    testing::RandomTreeOptions options;
    options.thresholds_and_levels = trial % 2 == 0;  // these have a fast way
    const Tree tree = testing::random_tree(schema, options, random);
    const Table table = testing::random_table(schema, 200, random);
    Log log;
    Descent(tree, table, negligible_share).run(0, all_rows(table), whole_rows(200), log);
    std::vector<Arrival> arrivals;
    Compiled(tree).arrivals(table, all_rows(table), arrivals);
    size_t ends = 0;
    std::map<std::pair<NodeIndex, RowIndex>, double> expected;
    for (const Arrival& arrival : arrivals) expected[{arrival.node, arrival.row}] = arrival.weight;
    for (const auto& [node, shares] : log.ended) {
      ends += shares.size();
      for (const Share& share : shares)
        EXPECT_EQ(expected.at({node, share.position}), share.weight);
    }
    EXPECT_EQ(ends, arrivals.size());
  }
}

TEST(Descent, OneNodeAloneGivesWhatItsChildrenGet) {
  Random random(3, "descent");
  const Schema schema = testing::mixed_schema(Task::classification);
  const Tree tree = testing::random_tree(schema, {}, random);
  const Table table = testing::random_table(schema, 100, random);
  Descent descent(tree, table, follow_all);
  Log log;
  descent.run(0, all_rows(table), whole_rows(100), log);
  DescentVisitor nothing;
  size_t children = 0;
  descent.divide(0, all_rows(table), whole_rows(100), nothing,
                 [&](NodeIndex child, std::span<const Share> shares) {
                   ++children;
                   ASSERT_EQ(shares.size(), log.reached[child].size());
                   for (size_t i = 0; i < shares.size(); ++i) {
                     EXPECT_EQ(shares[i].position, log.reached[child][i].position);
                     EXPECT_EQ(shares[i].weight, log.reached[child][i].weight);
                   }
                 });
  EXPECT_GE(children, 2U);
}

// The rule that a visitor gives counts, not the node's own; and rows can be kept whole.
struct HalfEach : DescentVisitor {
  Missing missing;
  double reached[3] = {};
  bool whole = false;
  HalfEach() {
    missing.rule = MissingRule::shares;
    missing.shares = {0.25, 0.75};
  }
  void reach(NodeIndex node, std::span<const Share> here) { reached[node] = weight_of(here); }
  const Missing* rule(NodeIndex, std::span<const Share>, const NodeWeights& weights) {
    EXPECT_EQ(weights.missing().size(), 1U);
    return &missing;
  }
  void adjust(NodeWeights& weights) const {
    if (whole) weights.keep_largest();
  }
};

TEST(Descent, VisitorsMayGiveTheRuleAndKeepRowsWhole) {
  Tree tree(Task::regression, 0);
  tree.split(0, threshold_gate(0, 1), {});
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}};
  const Column x{Kind::numeric, std::vector<double>{0, missing_number}, {}, 1};
  const Table table(schema, 2, {x}, {}, {});
  for (const bool whole : {false, true}) {
    HalfEach visitor;
    visitor.whole = whole;
    Descent(tree, table, follow_all).run(0, all_rows(table), whole_rows(2), visitor);
    EXPECT_EQ(visitor.reached[0], 2);
    EXPECT_EQ(visitor.reached[1], whole ? 1 : 1.25);
    EXPECT_EQ(visitor.reached[2], whole ? 1 : 0.75);
  }
}

// Maps of levels note a child per row; it is the one that has all the weight.
TEST(Descent, ChildrenOfRowsAreWhereTheirWeightIs) {
  Random random(4, "descent");
  const Schema schema = testing::mixed_schema(Task::classification);
  size_t maps = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Tree tree = testing::random_tree(schema, {}, random);
    const Table table = testing::random_table(schema, 50, random);
    const std::vector<RowIndex> rows = all_rows(table);
    for (NodeIndex n = 0; n < tree.size(); ++n) {
      const Node& node = tree.node(n);
      if (node.is_leaf()) continue;
      NodeWeights weights, children;
      weights.compute(node, table, rows);
      weights.apply_rule(node, node.missing(), table, tree.typical());
      children.compute_children(node, table, rows);
      if (!children.has_children()) continue;
      ++maps;
      children.apply_rule(node, node.missing(), table, tree.typical());
      ASSERT_EQ(std::vector(weights.missing().begin(), weights.missing().end()),
                std::vector(children.missing().begin(), children.missing().end()));
      for (size_t i = 0; i < rows.size(); ++i) {
        const auto row = weights.weights().subspan(i * weights.children(), weights.children());
        const int32_t child = children.child_of_row()[i];
        if (child >= 0) {
          EXPECT_EQ(row[static_cast<size_t>(child)], 1);
        } else if (!children.divided().empty()) {
          EXPECT_TRUE(std::equal(row.begin(), row.end(), children.divided().begin()));
        } else {
          EXPECT_TRUE(std::isnan(row[0]));
        }
      }
    }
  }
  EXPECT_GT(maps, 20U);
}

// A branch per level: rows take no memory for the branches that they do not go to, and what would
// take too much is refused.
TEST(Descent, ManyBranches) {
  constexpr uint32_t children = 20000;
  Schema schema;
  schema.features = {{"x", Kind::nominal, std::vector<std::string>(children, "level")}};
  LevelsGate gate{0, children, std::vector<int32_t>(children)};
  std::iota(gate.child_of_level.begin(), gate.child_of_level.end(), 0);
  Missing missing;
  missing.rule = MissingRule::shares;
  missing.shares.assign(children, 1.0 / children);
  Tree tree(Task::regression, 0);
  tree.split(0, gate, missing);
  std::vector<int32_t> codes(children);
  std::iota(codes.begin(), codes.end(), 0);
  codes[7] = missing_code;
  const auto table_of = [&](std::vector<int32_t> cells) {
    const size_t rows = cells.size();
    return Table(schema, rows, {Column{Kind::nominal, {}, std::move(cells), 1}}, {}, {});
  };
  const Table table = table_of(codes);
  Log log;
  Descent(tree, table, follow_all).run(0, all_rows(table), whole_rows(children), log);
  EXPECT_EQ(log.ended[1].size(), 2U);
  EXPECT_EQ(log.ended[1 + 7].size(), 1U);
  EXPECT_EQ(log.ended[1 + 7][0].weight, 1.0 / children);

  const Table none = table_of(std::vector<int32_t>(children, missing_code));
  DescentVisitor nothing;
  Descent descent(tree, none, follow_all);
  EXPECT_THROW(descent.run(0, all_rows(none), whole_rows(children), nothing), Error);
}

// Sums of a node do not depend on how the rows are cut into blocks.
TEST(Descent, CountsMoreRowsThanABlockHas) {
  Random random(4, "descent");
  const Schema schema = testing::mixed_schema(Task::classification);
  const Table table = testing::random_table(schema, most_block_rows + 1000, random);
  Tree tree(Task::classification, 3);
  tree.split(0, threshold_gate(0, 0), {});
  count_rows(tree, table, all_rows(table));
  EXPECT_EQ(tree.weight(0), static_cast<double>(table.rows()));
  EXPECT_EQ(tree.weight(1) + tree.weight(2), tree.weight(0));
  EXPECT_EQ(tree.node(0).missing().weight, static_cast<double>(table.input(0).missing));
}

}  // namespace
}  // namespace softwood
