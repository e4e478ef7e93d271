#include "stages/prune/pessimistic.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "stages/prune/cost_factors.h"
#include "tree/edit.h"
#include "tree/node_weights.h"

namespace softwood::prune {
namespace {

// z with P(Z > z) = upper for a standard normal Z, 0 < upper <= 1/2: Newton's method from 0, where
// the tail is convex, so every step stays on the same side of the solution.
double normal_upper_point(double upper) {
  constexpr int enough = 100;
  double z = 0;
  for (int i = 0; i < enough; ++i) {
    const double tail = 0.5 * std::erfc(z / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const double step = (tail - upper) / density;
    z += step;
    if (std::abs(step) <= 1e-14 * (1 + z)) break;
  }
  return z;
}

// A row that reached a node, with the weight that arrived.
struct RowShare {
  RowIndex row;
  double weight;
};
using RowShares = std::vector<RowShare>;

// What a node does with rows: those of each child, those that stay, and its rule for missing values
// as these rows would have it.
struct Division {
  std::vector<RowShares> parts;
  RowShares stay;
  Missing missing;
};

double errors_of(std::span<const double> sums) {
  return std::accumulate(sums.begin(), sums.end(), 0.0) -
         *std::max_element(sums.begin(), sums.end());
}

// With costs the classes count as they do in growing (see altered_weights), so that the unit of the
// costs does not matter. `factors` are those of the classes, or empty.
std::vector<double> altered(std::span<const double> counts, std::span<const double> factors) {
  std::vector<double> sums(counts.begin(), counts.end());
  for (size_t k = 0; k < factors.size(); ++k) sums[k] *= factors[k];
  return sums;
}

// Weight of the classes that stayed at an inner node.
std::vector<double> sums_that_stay(const Tree& tree, NodeIndex node) {
  std::vector<double> stay(tree.sums(node).begin(), tree.sums(node).end());
  for (uint32_t c = 0; c < tree.children(node); ++c) {
    const auto child = tree.sums(tree.node(node).first_child + c);
    for (size_t k = 0; k < stay.size(); ++k) stay[k] -= child[k];
  }
  for (double& weight : stay) weight = std::max(weight, 0.0);
  return stay;
}

// Errors of the rows that stay at a node, which answers as its own majority.
double errors_that_stay(const Tree& tree, NodeIndex node, std::span<const double> factors) {
  if (tree.node(node).missing().rule != MissingRule::stay) return 0;
  const std::vector<double> stay = altered(sums_that_stay(tree, node), factors);
  const std::vector<double> all = altered(tree.sums(node), factors);
  const auto majority = std::max_element(all.begin(), all.end()) - all.begin();
  return std::accumulate(stay.begin(), stay.end(), 0.0) - stay[static_cast<size_t>(majority)];
}

class Pruner {
 public:
  Pruner(Tree& tree, const Table& table, const Pessimistic& how)
      : tree_(tree),
        table_(table),
        how_(how),
        factors_(cost_factors(tree)),
        expected_(tree.size(), 0.0) {}

  // From the leaves upwards by the sums alone. Children come after their parents.
  void cut() {
    for (auto node = static_cast<NodeIndex>(tree_.size()); node-- > 0;) {
      expected_[node] = expected_if_leaf(node);
      if (tree_.node(node).is_leaf()) continue;
      const double branch = expected_of_children(node);
      if (no_worse(expected_[node], branch)) {
        tree_.make_leaf(node);
      } else {
        expected_[node] = branch;
      }
    }
  }

  void cut_and_raise(RowShares rows) {
    struct Visit {
      NodeIndex node;
      RowShares rows;
      std::vector<RowShares> parts = {};
      uint32_t next = 0;
    };
    std::vector<Visit> path;
    path.push_back({0, std::move(rows)});
    while (!path.empty()) {
      Visit& here = path.back();
      const NodeIndex node = here.node;
      if (!tree_.node(node).is_leaf()) {
        if (here.next == 0) here.parts = divide(node, here.rows).parts;
        if (here.next < here.parts.size()) {
          const NodeIndex child = tree_.node(node).first_child + here.next;
          RowShares part = std::move(here.parts[here.next++]);
          path.push_back({child, std::move(part)});
          continue;
        }
        if (raise_or_cut(node, here.rows)) {
          here.next = 0;  // what was raised may be pruned again with its new rows
          continue;
        }
      } else {
        expected_[node] = expected_if_leaf(node);
      }
      path.pop_back();
    }
  }

  // Sends the rows down and sets all sums and rules for missing values from `top` on.
  void recount(NodeIndex top, RowShares rows) {
    std::vector<std::pair<NodeIndex, RowShares>> open;
    open.emplace_back(top, std::move(rows));
    while (!open.empty()) {
      const auto [node, here] = std::move(open.back());
      open.pop_back();
      set_sums(here, tree_.sums(node));
      if (tree_.node(node).is_leaf()) continue;
      Division division = divide(node, here);
      tree_.node(node).missing() = std::move(division.missing);
      for (size_t c = 0; c < division.parts.size(); ++c) {
        open.emplace_back(tree_.node(node).first_child + c, std::move(division.parts[c]));
      }
    }
  }

 private:
  // A change that costs less than this many errors more is made, as in release 8.
  static constexpr double allowance = 0.1;
  static bool no_worse(double errors, double than) { return errors <= than + allowance + 1e-6; }

  double expected(std::span<const double> counts) const {
    const std::vector<double> sums = altered(counts, factors_);
    const double weight = std::accumulate(sums.begin(), sums.end(), 0.0);
    if (!(weight > 0)) return 0;
    const double errors = errors_of(sums);
    return errors + extra_errors(weight, errors, how_.confidence);
  }
  double expected_if_leaf(NodeIndex node) const { return expected(tree_.sums(node)); }

  double expected_of_children(NodeIndex node) const {
    double sum = 0;
    for (uint32_t c = 0; c < tree_.children(node); ++c) {
      sum += expected_[tree_.node(node).first_child + c];
    }
    if (tree_.node(node).missing().rule == MissingRule::stay) {
      sum += expected(sums_that_stay(tree_, node));
    }
    return sum;
  }

  // Decides about a node whose children are done. True: a branch was raised to its place.
  bool raise_or_cut(NodeIndex node, const RowShares& rows) {
    const NodeIndex heaviest = heaviest_child(node);
    const double leaf = expected_if_leaf(node), as_it_is = expected_of_children(node),
                 raised = expected_of_branch(heaviest, rows);
    if (no_worse(leaf, as_it_is) && no_worse(leaf, raised)) {
      tree_.make_leaf(node);
      expected_[node] = leaf;
      return false;
    }
    if (!no_worse(raised, as_it_is)) {
      expected_[node] = as_it_is;
      return false;
    }
    Node branch = std::move(tree_.node(heaviest));
    tree_.node(node) = std::move(branch);
    forget_notes(node);
    recount(node, rows);
    return true;
  }

  // Of equally heavy ones the last, as J48.
  NodeIndex heaviest_child(NodeIndex node) const {
    const NodeIndex first = tree_.node(node).first_child;
    NodeIndex heaviest = first;
    for (uint32_t c = 1; c < tree_.children(node); ++c) {
      if (tree_.weight(first + c) >= tree_.weight(heaviest) - 1e-6) heaviest = first + c;
    }
    return heaviest;
  }

  // Errors to be expected of the branch if all these rows went down it.
  double expected_of_branch(NodeIndex top, const RowShares& rows) {
    double sum = 0;
    std::vector<double> sums(tree_.width());
    std::vector<std::pair<NodeIndex, RowShares>> open;
    open.emplace_back(top, rows);
    while (!open.empty()) {
      const auto [node, here] = std::move(open.back());
      open.pop_back();
      if (tree_.node(node).is_leaf()) {
        set_sums(here, sums);
        sum += expected(sums);
        continue;
      }
      Division division = divide(node, here);
      if (!division.stay.empty()) {
        set_sums(division.stay, sums);
        sum += expected(sums);
      }
      for (size_t c = 0; c < division.parts.size(); ++c) {
        if (division.parts[c].empty()) continue;
        open.emplace_back(tree_.node(node).first_child + c, std::move(division.parts[c]));
      }
    }
    return sum;
  }

  // What was found out about the gates does not hold for other rows.
  void forget_notes(NodeIndex top) {
    std::vector<NodeIndex> open{top};
    while (!open.empty()) {
      const NodeIndex node = open.back();
      open.pop_back();
      if (tree_.node(node).is_leaf()) continue;
      tree_.node(node).notes() = {};
      for (uint32_t c = 0; c < tree_.children(node); ++c) {
        open.push_back(tree_.node(node).first_child + c);
      }
    }
  }

  void set_sums(const RowShares& rows, std::span<double> sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    const Cells<int32_t>& codes = table_.target().codes;
    for (const RowShare& share : rows) sums[static_cast<size_t>(codes[share.row])] += share.weight;
  }

  Division divide(NodeIndex index, const RowShares& rows) {
    const Node& node = tree_.node(index);
    gate_rows_.resize(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) gate_rows_[i] = rows[i].row;
    weights_.compute(node, table_, gate_rows_);
    Division division;
    division.missing = node.missing();
    set_rule(rows, division.missing);
    weights_.apply_rule(node, division.missing, table_, tree_.typical());
    division.parts.resize(tree_.children(index));
    const size_t children = weights_.children();
    RowShares& without =
        division.missing.rule == MissingRule::own ? division.parts.back() : division.stay;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double* const row = &weights_.weights()[i * children];
      if (std::isnan(row[0])) {
        without.push_back(rows[i]);
        continue;
      }
      for (size_t c = 0; c < children; ++c) {
        if (row[c] > 0) division.parts[c].push_back({rows[i].row, rows[i].weight * row[c]});
      }
    }
    return division;
  }

  // Weight and shares of the rows without a value, as C4.5 takes them from those that have one.
  void set_rule(const RowShares& rows, Missing& rule) const {
    const auto missing = weights_.missing();
    rule.weight = 0;
    for (const uint32_t i : missing) rule.weight += rows[i].weight;
    if (rule.rule != MissingRule::shares || rows.empty()) return;
    std::fill(rule.shares.begin(), rule.shares.end(), 0.0);
    const size_t children = weights_.children();
    double known = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double* const row = &weights_.weights()[i * children];
      if (std::isnan(row[0])) continue;
      known += rows[i].weight;
      for (size_t c = 0; c < children; ++c) rule.shares[c] += rows[i].weight * row[c];
    }
    for (double& share : rule.shares) {
      share = known > 0 ? share / known : 1.0 / static_cast<double>(children);
    }
  }

  Tree& tree_;
  const Table& table_;
  const Pessimistic how_;
  const std::vector<double> factors_;  // of the classes; empty without costs
  std::vector<double> expected_;       // errors of the branch, as pruned so far
  NodeWeights weights_;
  std::vector<RowIndex> gate_rows_;
};

}  // namespace

double extra_errors(double weight, double errors, double confidence) {
  if (errors < 1) {
    const double of_none = weight * (1 - std::pow(confidence, 1 / weight));
    if (errors == 0) return of_none;
    return of_none + errors * (extra_errors(weight, 1, confidence) - of_none);
  }
  if (errors + 0.5 >= weight) return std::max(weight - errors, 0.0);
  const double z = normal_upper_point(confidence);
  const double rate = (errors + 0.5) / weight, z2 = z * z;
  const double deviation =
      std::sqrt(rate / weight - rate * rate / weight + z2 / (4 * weight * weight));
  const double limit = (rate + z2 / (2 * weight) + z * deviation) / (1 + z2 / weight);
  return limit * weight - errors;
}

void collapse(Tree& tree) {
  const std::vector<double> factors = cost_factors(tree);
  const auto of_leaf = [&](NodeIndex node) { return errors_of(altered(tree.sums(node), factors)); };
  std::vector<double> errors(tree.size());
  for (auto node = static_cast<NodeIndex>(tree.size()); node-- > 0;) {
    errors[node] =
        tree.node(node).is_leaf() ? of_leaf(node) : errors_that_stay(tree, node, factors);
    for (uint32_t c = 0; c < tree.children(node); ++c) {
      errors[node] += errors[tree.node(node).first_child + c];
    }
  }
  constexpr double rounding = 1e-3;  // errors, as J48
  for (NodeIndex node = 0; node < tree.size(); ++node) {
    if (errors[node] >= of_leaf(node) - rounding) tree.make_leaf(node);
  }
  tree.canonicalise();
}

Tree pruned_pessimistically(Tree tree, const Table& table, std::span<const RowIndex> rows,
                            const Pessimistic& how) {
  if (!how.raise) {
    collapse(tree);
    Pruner(tree, table, how).cut();
  } else {
    RowShares all;
    all.reserve(rows.size());
    for (const RowIndex row : rows) all.push_back({row, table.weight(row)});
    Pruner(tree, table, how).recount(0, all);
    collapse(tree);
    Pruner(tree, table, how).cut_and_raise(std::move(all));
  }
  tree.canonicalise();
  if (how.raise) send_unseen_to_heaviest(tree);
  return tree;
}

}  // namespace softwood::prune
