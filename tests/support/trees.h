// Looking at trees in tests.
#pragma once

#include <gtest/gtest.h>

#include "tree/model.h"
#include "use/predict.h"

namespace softwood::test {

// The model file of the tree alone: two trees are the same when their texts are.
inline std::string text_of(const Tree& tree, const Schema& schema) {
  return model_to_text({schema, tree, {"", "grow", 1, "", "", 0}, std::nullopt});
}

inline std::vector<double> sums_of(const Tree& tree, NodeIndex node) {
  return {tree.sums(node).begin(), tree.sums(node).end()};
}

inline uint32_t feature_of(const Tree& tree, NodeIndex node) {
  return gate_features(tree.node(node).gate()).front();
}

inline double cut_of(const Tree& tree, NodeIndex node) {
  return linear_form(tree.node(node).gate())->cut;
}

// Risk of the whole tree on its training rows: errors, or squared deviations.
inline double risk_of(const Tree& tree) {
  double risk = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) risk += tree.risk(i);
  }
  return risk;
}

// Weight of the rows that the tree gets wrong.
inline double wrong_of(const Tree& tree, const Table& table) {
  const std::vector<uint32_t> answers = predict_classes(tree, table, all_rows(table), Parallel(1));
  double wrong = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (static_cast<int32_t>(answers[i]) != table.target().codes[i]) wrong += table.weight(i);
  }
  return wrong;
}

// Same shape, same gates and missing rules, sums equal up to `tolerance` of the largest.
inline void expect_same_tree(const Tree& a, const Tree& b, double tolerance = 0) {
  ASSERT_EQ(a.size(), b.size());
  for (NodeIndex i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a.node(i).is_leaf(), b.node(i).is_leaf()) << "node " << i;
    if (!a.node(i).is_leaf()) {
      ASSERT_TRUE(a.node(i).gate() == b.node(i).gate()) << "gates of node " << i;
      EXPECT_TRUE(a.node(i).missing() == b.node(i).missing()) << "missing values at node " << i;
    }
    for (size_t k = 0; k < a.width(); ++k) {
      const double scale = std::max(1.0, std::abs(b.sums(0)[k]));
      EXPECT_NEAR(a.sums(i)[k], b.sums(i)[k], tolerance * scale) << "node " << i << " sum " << k;
    }
  }
}

// The same rows in the same nodes: shape, features and sums, whatever the cuts are.
inline void expect_same_division(const Tree& a, const Tree& b, double tolerance = 0) {
  ASSERT_EQ(a.size(), b.size());
  for (NodeIndex i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a.node(i).is_leaf(), b.node(i).is_leaf()) << "node " << i;
    if (!a.node(i).is_leaf()) {
      ASSERT_EQ(feature_of(a, i), feature_of(b, i)) << "node " << i;
    }
    for (size_t k = 0; k < a.width(); ++k) {
      const double scale = std::max(1.0, std::abs(b.sums(0)[k]));
      EXPECT_NEAR(a.sums(i)[k], b.sums(i)[k], tolerance * scale) << "node " << i << " sum " << k;
    }
  }
}

// `part` is what is left of `whole` when some of its nodes become leaves: the same gates at the
// same places. Both are canonical.
inline void expect_subtree(const Tree& part, const Tree& whole) {
  std::vector<std::pair<NodeIndex, NodeIndex>> open = {{0, 0}};  // the same place in both
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (part.node(a).is_leaf()) continue;
    ASSERT_FALSE(whole.node(b).is_leaf()) << "node " << b;
    ASSERT_TRUE(part.node(a).gate() == whole.node(b).gate()) << "node " << b;
    for (uint32_t c = 0; c < part.children(a); ++c) {
      open.emplace_back(part.node(a).first_child + c, whole.node(b).first_child + c);
    }
  }
}

}  // namespace softwood::test
