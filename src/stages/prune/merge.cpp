#include "stages/prune/merge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/prune/cost_factors.h"
#include "stats/criterion/entropy.h"
#include "stats/criterion/gini.h"
#include "stats/criterion/misclassification.h"
#include "tree/edit.h"

namespace softwood::prune {
namespace {

// Children before their parents: a node that has become a leaf may be joined in its turn.
template <class Joins>
Tree join_leaves(Tree tree, const Control& control, const Joins& joins) {
  RowsUntilAsk until_ask;  // nodes here
  tree.canonicalise();
  for (auto node = static_cast<NodeIndex>(tree.size()); node-- > 0;) {
    until_ask.add(1, control);
    if (tree.node(node).is_leaf()) continue;
    const NodeIndex first = tree.node(node).first_child, end = first + tree.children(node);
    bool leaves = true;
    for (NodeIndex child = first; child < end; ++child) {
      leaves = leaves && tree.node(child).is_leaf();
    }
    if (leaves && joins(tree, node, first, end)) tree.make_leaf(node);
  }
  tree.canonicalise();
  return tree;
}

// -weight * impurity, up to a part that is the same for a set of rows however it is divided.
double purity(std::span<const double> sums, Impurity impurity) {
  switch (impurity) {
    case Impurity::entropy:
      return stats::Entropy::purity(sums.data(), sums.size());
    case Impurity::gini:
      return stats::Gini::purity(sums.data(), sums.size());
    case Impurity::misclassification:
      return stats::Misclassification::purity(sums.data(), sums.size());
  }
  return 0;
}

}  // namespace

Tree simplified(Tree tree, const Control& control) {
  tree.canonicalise();
  const size_t width = tree.answer_width();
  const std::vector<double> answers = tree.answers();  // nodes keep their numbers while joined
  const std::vector<double> costs = tree.costs();
  const bool classes = tree.task() == Task::classification;
  // The mean of equal numbers may differ from them by rounding.
  constexpr double epsilon = std::numeric_limits<double>::epsilon(), least_share = 1e-12;
  const double rounding =
      classes ? 0 : least_share * std::sqrt(tree.risk(0) / std::max(tree.weight(0), 1e-300));
  const auto alike = [&](NodeIndex a, NodeIndex b) {
    const double *const first = &answers[a * width], *const second = &answers[b * width];
    if (classes) {
      return cheapest_answer({first, width}, costs) == cheapest_answer({second, width}, costs);
    }
    return std::abs(*first - *second) <=
           rounding + 4 * epsilon * std::max(std::abs(*first), std::abs(*second));
  };
  return join_leaves(std::move(tree), control,
                     [&](const Tree&, NodeIndex node, NodeIndex first, NodeIndex end) {
                       for (NodeIndex child = first; child < end; ++child) {
                         if (!alike(node, child)) return false;
                       }
                       return true;
                     });
}

Tree merged_by_impurity(Tree tree, Impurity impurity, double epsilon, const Control& control) {
  const bool classes = tree.task() == Task::classification;
  // Regression: squared deviations of the root, per row.
  const double unit = classes || !(tree.risk(0) > 0) ? 1 : tree.risk(0) / tree.weight(0);
  // With costs the classes count as they do in growing: see altered_weights.
  std::vector<double> factors;
  if (classes) factors = cost_factors(tree);
  const auto purity_of = [&](std::span<const double> sums) {
    if (!classes) return -sums[2] / unit;
    std::vector<double> altered(sums.begin(), sums.end());
    for (size_t k = 0; k < factors.size(); ++k) altered[k] *= factors[k];
    return purity(altered, impurity);
  };
  const auto joins = [&](const Tree& now, NodeIndex, NodeIndex first, NodeIndex end) {
    std::vector<double> joined(now.width(), 0.0);
    double apart = 0, weight = 0;
    for (NodeIndex child = first; child < end; ++child) {
      add_sums(now.task(), joined, now.sums(child));
      apart += purity_of(now.sums(child));
      weight += now.weight(child);
    }
    return !(weight > 0) || apart - purity_of(joined) < epsilon * weight;
  };
  return join_leaves(std::move(tree), control, joins);
}

}  // namespace softwood::prune
