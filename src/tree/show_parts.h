// What the views of a tree share.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "tree/costs.h"
#include "tree/model.h"

namespace softwood {

// Text that is read line by line is not made wider than this.
constexpr size_t widest_text = 100;

// Standard deviation of the target at a node of a regression tree.
inline double spread_at(const Tree& tree, NodeIndex i) {
  const auto sums = tree.sums(i);
  return sums[0] > 0 ? std::sqrt(std::max(0.0, sums[2] / sums[0])) : 0.0;
}

// The class that node i answers, by tree.answers().
inline size_t answered_class(const Tree& tree, std::span<const double> answers, NodeIndex i) {
  const size_t width = tree.answer_width();
  return cheapest_answer(answers.subspan(i * width, width), tree.costs());
}

inline bool has_soft_gates(const Model& model) {
  for (NodeIndex i = 0; i < model.tree.size(); ++i) {
    const Node& node = model.tree.node(i);
    if (!node.is_leaf() && gate_soft_range(node.gate(), model.schema)) return true;
  }
  return false;
}

}  // namespace softwood
