#include "stages/prune/pessimistic.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/math.h"
#include "stages/prune/cost_factors.h"
#include "tree/descent.h"
#include "tree/edit.h"

namespace softwood::prune {
namespace {

// z with P(Z > z) = upper for a standard normal Z, 0 < upper <= 1/2: Newton's method from 0, where
// the tail is convex, so every step stays on the same side of the solution.
double normal_upper_point(double upper) {
  constexpr int enough = 100;
  double z = 0;
  for (int i = 0; i < enough; ++i) {
    const double tail = 0.5 * std::erfc(z / std::numbers::sqrt2);
    const double density = math::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const double step = (tail - upper) / density;
    z += step;
    if (std::abs(step) <= 1e-14 * (1 + z)) break;
  }
  return z;
}

using Shares = std::vector<Share>;

// Weight and shares of the rows without a value, as C4.5 takes them from those that have one.
void fit_rule(std::span<const Share> here, const NodeWeights& weights, Missing& rule) {
  rule.weight = 0;
  for (const uint32_t i : weights.missing()) rule.weight += here[i].weight;
  if (rule.rule != MissingRule::shares) return;
  std::fill(rule.shares.begin(), rule.shares.end(), 0.0);
  const size_t children = weights.children();
  double known = 0;
  const std::span<const int32_t> child_of_row = weights.child_of_row();
  for (size_t i = 0; i < here.size(); ++i) {
    if (weights.has_children()) {
      if (child_of_row[i] < 0) continue;
      known += here[i].weight;
      rule.shares[static_cast<size_t>(child_of_row[i])] += here[i].weight;
      continue;
    }
    const double* const row = &weights.weights()[i * children];
    if (std::isnan(row[0])) continue;
    known += here[i].weight;
    for (size_t c = 0; c < children; ++c) rule.shares[c] += here[i].weight * row[c];
  }
  for (double& share : rule.shares) {
    share = known > 0 ? share / known : 1.0 / static_cast<double>(children);
  }
}

// Goes down with the rules for missing values that these rows would give to the nodes.
struct FittedRules : DescentVisitor {
  const Tree& tree;
  Missing fitted = {};

  explicit FittedRules(const Tree& of) : tree(of) {}

  const Missing* rule(NodeIndex node, std::span<const Share> here, const NodeWeights& weights) {
    fitted = tree.node(node).missing();
    fit_rule(here, weights, fitted);
    return &fitted;
  }
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
  Pruner(Tree& tree, const Table& table, std::span<const RowIndex> rows, const Pessimistic& how,
         const Control& control)
      : tree_(tree),
        table_(table),
        rows_(rows),
        how_(how),
        control_(control),
        factors_(cost_factors(tree)),
        expected_(tree.size(), 0.0),
        expected_of_ends_(tree.size(), 0.0),
        descent_(tree, table, follow_all) {}

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

  void cut_and_raise() {
    struct Visit {
      NodeIndex node;
      Shares rows;
      std::vector<Shares> parts = {};
      uint32_t next = 0;
    };
    std::vector<Visit> path;
    path.push_back({0, all_shares()});
    while (!path.empty()) {
      Visit& here = path.back();
      const NodeIndex node = here.node;
      if (!tree_.node(node).is_leaf()) {
        if (here.next == 0) here.parts = divide(node, here.rows);
        if (here.next < here.parts.size()) {
          const NodeIndex child = tree_.node(node).first_child + here.next;
          Shares part = std::move(here.parts[here.next++]);
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

  void recount() { recount(0, all_shares()); }

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
  bool raise_or_cut(NodeIndex node, const Shares& rows) {
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

  // What rows that end at nodes of a branch let expect, by node.
  struct Expecting : FittedRules {
    Pruner& pruner;

    explicit Expecting(Pruner& of) : FittedRules(of.tree_), pruner(of) {}

    void reach(NodeIndex node, std::span<const Share> here) {
      if (tree.node(node).is_leaf()) set(node, here);
    }
    const Missing* rule(NodeIndex node, std::span<const Share> here, const NodeWeights& weights) {
      FittedRules::rule(node, here, weights);
      if (fitted.rule == MissingRule::stay && !weights.missing().empty()) {
        Shares staying;
        for (const uint32_t i : weights.missing()) staying.push_back(here[i]);
        set(node, staying);
      }
      return &fitted;
    }
    void set(NodeIndex node, std::span<const Share> ending) {
      std::vector<double> sums(tree.width());
      pruner.set_sums(ending, sums);
      pruner.expected_of_ends_[node] = pruner.expected(sums);
    }
  };

  // Errors to be expected of the branch if all these rows went down it.
  double expected_of_branch(NodeIndex top, const Shares& rows) {
    Expecting expecting(*this);
    descent_.run(top, rows_, rows, expecting);
    double sum = 0;
    each_below(top, [&](NodeIndex node) { sum += std::exchange(expected_of_ends_[node], 0.0); });
    return sum;
  }

  // The node and all below it, the last child and what is below it first.
  template <class Visit>
  void each_below(NodeIndex top, const Visit& visit) const {
    std::vector<NodeIndex> open{top};
    while (!open.empty()) {
      const NodeIndex node = open.back();
      open.pop_back();
      visit(node);
      for (uint32_t c = 0; c < tree_.children(node); ++c) {
        open.push_back(tree_.node(node).first_child + c);
      }
    }
  }

  Shares all_shares() const {
    Shares all;
    all.reserve(rows_.size());
    for (uint32_t i = 0; i < rows_.size(); ++i) all.push_back({i, table_.weight(rows_[i])});
    return all;
  }

  struct Recounting : FittedRules {
    Pruner& pruner;

    explicit Recounting(Pruner& of) : FittedRules(of.tree_), pruner(of) {}

    void reach(NodeIndex node, std::span<const Share> here) {
      pruner.until_ask_.add(here.size(), pruner.control_);
      pruner.set_sums(here, pruner.tree_.sums(node));
    }
    const Missing* rule(NodeIndex node, std::span<const Share> here, const NodeWeights& weights) {
      Missing& own = pruner.tree_.node(node).missing();
      own = *FittedRules::rule(node, here, weights);
      return &own;
    }
  };

  // Sends the rows down and sets all sums and rules for missing values from `top` on.
  void recount(NodeIndex top, const Shares& rows) {
    each_below(top, [&](NodeIndex node) {
      set_sums({}, tree_.sums(node));
      if (!tree_.node(node).is_leaf()) tree_.node(node).missing().weight = 0;
    });
    Recounting recounting(*this);
    descent_.run(top, rows_, rows, recounting);
  }

  // What was found out about the gates does not hold for other rows.
  void forget_notes(NodeIndex top) {
    each_below(top, [&](NodeIndex node) {
      if (!tree_.node(node).is_leaf()) tree_.node(node).notes() = {};
    });
  }

  void set_sums(std::span<const Share> rows, std::span<double> sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    const Cells<int32_t>& codes = table_.target().codes;
    for (const Share& share : rows) {
      sums[static_cast<size_t>(codes[rows_[share.position]])] += share.weight;
    }
  }

  // The shares of each child.
  std::vector<Shares> divide(NodeIndex node, const Shares& rows) {
    until_ask_.add(rows.size(), control_);
    std::vector<Shares> parts(tree_.children(node));
    const NodeIndex first = tree_.node(node).first_child;
    FittedRules fitted(tree_);
    descent_.divide(node, rows_, rows, fitted, [&](NodeIndex child, std::span<const Share> part) {
      parts[child - first].assign(part.begin(), part.end());
    });
    return parts;
  }

  Tree& tree_;
  const Table& table_;
  const std::span<const RowIndex> rows_;
  const Pessimistic how_;
  const Control& control_;
  RowsUntilAsk until_ask_;
  const std::vector<double> factors_;     // of the classes; empty without costs
  std::vector<double> expected_;          // errors of the branch, as pruned so far
  std::vector<double> expected_of_ends_;  // all 0 but within expected_of_branch
  Descent descent_;
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
                            const Pessimistic& how, const Control& control) {
  control.throw_if_interrupted();
  if (!how.raise) {
    collapse(tree);
    Pruner(tree, table, rows, how, control).cut();
  } else {
    Pruner(tree, table, rows, how, control).recount();
    collapse(tree);
    Pruner(tree, table, rows, how, control).cut_and_raise();
  }
  tree.canonicalise();
  if (how.raise) send_unseen_to_heaviest(tree);
  return tree;
}

}  // namespace softwood::prune
