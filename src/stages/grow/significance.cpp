#include "stages/grow/significance.h"

#include <algorithm>

#include "stages/grow/inference/chi_square.h"

namespace softwood::grow {
namespace {

// Children that rows reached.
size_t reached_children(const Tree& tree, NodeIndex first, uint32_t children) {
  size_t reached = 0;
  for (uint32_t c = 0; c < children; ++c) reached += tree.weight(first + c) > 0 ? 1 : 0;
  return reached;
}

double log_p_of_classes(const Tree& tree, NodeIndex node, size_t reached) {
  const auto all = tree.sums(node);
  const double weight = tree.weight(node);
  const NodeIndex first = tree.node(node).first_child;
  double statistic = 0;
  for (uint32_t c = 0; c < tree.children(node); ++c) {
    const auto sums = tree.sums(first + c);
    for (size_t k = 0; k < all.size(); ++k) {
      const double expected = all[k] * tree.weight(first + c) / weight;
      if (expected > 0) statistic += (sums[k] - expected) * (sums[k] - expected) / expected;
    }
  }
  const auto classes =
      static_cast<size_t>(std::count_if(all.begin(), all.end(), [](double w) { return w > 0; }));
  if (classes < 2) return 0;
  return chi_square_log_tails(statistic, static_cast<double>((classes - 1) * (reached - 1))).upper;
}

double log_p_of_numbers(const Tree& tree, NodeIndex node, size_t reached) {
  const double all = tree.risk(node);
  if (!(all > 0)) return 0;
  double within = 0;
  for (uint32_t c = 0; c < tree.children(node); ++c) {
    within += tree.risk(tree.node(node).first_child + c);
  }
  const double statistic = (tree.weight(node) - 1) * std::max(0.0, 1 - within / all);
  if (!(statistic > 0)) return 0;
  return chi_square_log_tails(statistic, static_cast<double>(reached - 1)).upper;
}

}  // namespace

double split_log_p(const Tree& tree, NodeIndex node) {
  const size_t reached = reached_children(tree, tree.node(node).first_child, tree.children(node));
  if (reached < 2) return 0;
  return tree.task() == Task::classification ? log_p_of_classes(tree, node, reached)
                                             : log_p_of_numbers(tree, node, reached);
}

}  // namespace softwood::grow
