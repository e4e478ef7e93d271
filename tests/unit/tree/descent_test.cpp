#include "tree/descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

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
