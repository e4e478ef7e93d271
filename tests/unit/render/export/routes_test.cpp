#include "render/export/routes.h"

#include <gtest/gtest.h>

#include "lower/condition.h"
#include "lower/lower.h"
#include "render/export/node_answers.h"
#include "support/interpreter.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

// The share of a row that ends at each node of the tree, by its routes.
class Walk {
 public:
  Walk(const LoweredTree& tree, const Routes& routes, const std::vector<double>& cells)
      : tree_(tree), routes_(routes), cells_(cells) {
    descend(0, 1);
  }
  const std::map<uint32_t, double>& ends() const { return ends_; }

 private:
  std::vector<double> weights(const RouteNode& node) const {
    for (const RouteCondition& one : node.conditions) {
      std::vector<double> found = condition_weights(*one.condition, [&](uint32_t input) {
        const double x = cells_[input];
        return one.typical && std::isnan(x) ? tree_.inputs[input].typical : x;
      });
      found.resize(found.empty() ? 0 : node.children, 0.0);
      if (!found.empty()) return found;
    }
    return node.otherwise;
  }

  void descend(uint32_t index, double share) {
    const RouteNode& node = routes_.nodes[index];
    if (node.is_leaf()) {
      ends_[node.source] += share;
      return;
    }
    const std::vector<double> all = weights(node);
    ASSERT_EQ(all.size(), node.children);
    for (uint32_t c = 0; c < node.children; ++c) {
      EXPECT_EQ(routes_.nodes[node.first_child + c].place, c);
      EXPECT_EQ(routes_.nodes[node.first_child + c].parent, index);
      const double part = share * all[c];
      if (part > tree_.smallest_share) descend(node.first_child + c, part);
    }
  }

  const LoweredTree& tree_;
  const Routes& routes_;
  const std::vector<double>& cells_;
  std::map<uint32_t, double> ends_;
};

Model random_model(uint64_t seed, bool hard) {
  Random random(seed, "routes");
  const Schema schema = testing::mixed_schema(Task::classification);
  testing::RandomTreeOptions options;
  options.hard = hard;
  options.splits = 10;
  return {schema, testing::random_tree(schema, options, random), {}, {}};
}

std::vector<double> random_cells(const LoweredTree& tree, Random& random) {
  std::vector<double> cells;
  for (const LoweredInput& input : tree.inputs) {
    const bool missing = random.below(4) == 0;
    const double value = input.kind == InputKind::numeric
                             ? random.normal()
                             : static_cast<double>(random.below(input.levels.size()));
    cells.push_back(missing ? unknown_number : value);
  }
  return cells;
}

TEST(Routes, LeadRowsWhereTheTreeDoes) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const LoweredTree tree = lower(random_model(seed, seed % 2 == 0));
    const Routes routes = routes_of(tree);
    Random random(seed, "rows");
    for (int row = 0; row < 40; ++row) {
      const std::vector<double> cells = random_cells(tree, random);
      const test::Interpreter expected(tree, cells);
      const Walk walk(tree, routes, cells);
      ASSERT_EQ(walk.ends().size(), expected.ends().size()) << "seed " << seed;
      for (const auto& [node, share] : expected.ends()) {
        ASSERT_TRUE(walk.ends().contains(node)) << "seed " << seed << " node " << node;
        EXPECT_NEAR(walk.ends().at(node), share, 1e-14) << "seed " << seed << " node " << node;
      }
    }
  }
}

TEST(Routes, OfPlainTreesAskOneQuestionPerNode) {
  const LoweredTree tree = lower(testing::iris_model());
  const Routes routes = routes_of(tree);
  EXPECT_TRUE(routes.hard);
  EXPECT_TRUE(routes.plain);
  EXPECT_FALSE(routes.formulas);
  EXPECT_EQ(routes.leaves(), (std::vector<uint32_t>{1, 3, 4}));
  EXPECT_EQ(routes.nodes[2].missing_child(), 1);
}

TEST(Routes, GiveNodesThatAnswerMissingValuesALeaf) {
  Model model = testing::iris_model();
  model.tree.node(0).missing().rule = MissingRule::stay;
  const LoweredTree tree = lower(model);
  const Routes routes = routes_of(tree);
  ASSERT_EQ(routes.nodes[0].children, 3U);
  EXPECT_TRUE(routes.nodes[3].is_leaf());
  EXPECT_EQ(routes.nodes[3].source, 0U);
  EXPECT_EQ(routes.nodes[0].otherwise, (std::vector<double>{0, 0, 1}));
}

TEST(Routes, TakeFormulasWithoutTermsForConstants) {
  LeafModel leaf = testing::odds_leaf();
  leaf.terms.clear();
  leaf.coefficients = {0, std::log(3)};
  Model model{testing::leaf_schema(Task::classification),
              Tree(Task::classification, 3),
              {"", "grow", 1, "", "", 0},
              {}};
  model.tree.node(0).model = Owned<LeafModel>(leaf);
  model.tree.set_typical({4, 1});
  model.tree.set_leaf_plan(trained_leaves(LeafMixing::scores));
  const LoweredTree tree = lower(model);
  const auto scores = constant_answer(tree, tree.nodes[0]);
  ASSERT_TRUE(scores);
  EXPECT_EQ(*scores, (std::vector<double>{0, log_of_zero, std::log(3)}));
  const std::vector<double> answer = hard_answer(tree, tree.nodes[0]);
  EXPECT_NEAR(answer[0], 0.25, 1e-15);
  EXPECT_EQ(answer[1], 0);
  EXPECT_NEAR(answer[2], 0.75, 1e-15);
}

TEST(Routes, NamesOfComputedValuesDoNotCollide) {
  EXPECT_EQ(unused_prefix({"a", "b_"}), "_");
  EXPECT_EQ(unused_prefix({"_a", "__b"}), "___");
}

}  // namespace
}  // namespace softwood::render
