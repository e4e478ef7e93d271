#include "fit/complexity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "data/summary.h"
#include "fit/sequence_sums.h"
#include "fit/unseen_sums.h"
#include "tree/compiled.h"
#include "tree/costs.h"

namespace softwood::fit {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// What a branch gains over its node by rounding alone is no gain.
bool is_gain(double own_risk, double branch_risk) {
  constexpr double rounding = 1e-12;
  return own_risk - branch_risk > rounding * own_risk;
}

// The state of weakest-link pruning: for every node of the current subtree the risk and number of
// leaves of its branch, its own link strength g(t) = (R(t) - R(T_t)) / (leaves - 1), and the
// smallest strength in its branch, by which the weakest link is found from the root.
class WeakestLink {
 public:
  // `own` is the risk of every node.
  WeakestLink(Tree& tree, std::span<const double> own)
      : tree_(tree),
        own_(own),
        parent_(parents_of(tree)),
        risk_(tree.size()),
        leaves_(tree.size()),
        weakest_(tree.size(), infinite),
        inner_(tree.size()) {
    // Children come after their parents in canonical order.
    for (auto node = static_cast<NodeIndex>(tree.size()); node-- > 0;) {
      inner_[node] = static_cast<char>(!tree.node(node).is_leaf());
      update(node);
    }
  }

  void run(const Control& control) {
    RowsUntilAsk until_ask;  // nodes here
    const double root_risk = own_[0];
    double alpha = 0;
    while (inner_[0] != 0) {
      const double weakest = weakest_[0];
      NodeIndex node = 0;
      while (strength(node) > weakest_[node]) node = weakest_child(node);
      if (is_gain(own_[node], risk_[node])) alpha = std::max(alpha, weakest);
      cut(node, alpha > 0 ? alpha / root_risk : 0);
      for (;;) {
        until_ask.add(1, control);
        update(node);
        if (node == 0) break;
        node = parent_[node];
      }
    }
  }

 private:
  double strength(NodeIndex node) const {
    return (own_[node] - risk_[node]) / static_cast<double>(leaves_[node] - 1);
  }

  NodeIndex weakest_child(NodeIndex node) const {
    const NodeIndex first = tree_.node(node).first_child;
    NodeIndex weakest = first;
    for (uint32_t c = 1; c < tree_.children(node); ++c) {
      if (weakest_[first + c] < weakest_[weakest]) weakest = first + c;
    }
    return weakest;
  }

  void update(NodeIndex node) {
    if (inner_[node] == 0) {
      risk_[node] = own_[node];
      leaves_[node] = 1;
      weakest_[node] = infinite;
      return;
    }
    const NodeIndex first = tree_.node(node).first_child;
    risk_[node] = 0;
    leaves_[node] = 0;
    double below = infinite;
    for (uint32_t c = 0; c < tree_.children(node); ++c) {
      risk_[node] += risk_[first + c];
      leaves_[node] += leaves_[first + c];
      below = std::min(below, weakest_[first + c]);
    }
    weakest_[node] = std::min(strength(node), below);
  }

  // The splits that are still there below go with the node's own.
  void cut(NodeIndex top, double alpha) {
    std::vector<NodeIndex> open = {top};
    while (!open.empty()) {
      const NodeIndex node = open.back();
      open.pop_back();
      if (inner_[node] == 0) continue;
      inner_[node] = 0;
      tree_.node(node).notes().alpha = alpha;
      for (uint32_t c = 0; c < tree_.children(node); ++c) {
        open.push_back(tree_.node(node).first_child + c);
      }
    }
  }

  Tree& tree_;
  std::span<const double> own_;
  std::vector<NodeIndex> parent_;
  std::vector<double> risk_;
  std::vector<size_t> leaves_;
  std::vector<double> weakest_;
  std::vector<char> inner_;
};

// rpart 4.1, partition.c and fix_cp.c. A branch is summed up by its risk and splits; a child that
// falls before the node does is summed up as a leaf, the weakest first.
void note_rpart_alphas(Tree& tree, std::span<const double> own) {
  const size_t size = tree.size();
  const double root_risk = own[0];
  std::vector<double> risk(size), alpha(size, 0.0);
  std::vector<size_t> splits(size, 0);
  for (auto node = static_cast<NodeIndex>(size); node-- > 0;) {
    risk[node] = own[node];
    if (tree.node(node).is_leaf()) continue;
    const NodeIndex first = tree.node(node).first_child;
    const uint32_t children = tree.children(node);
    std::vector<NodeIndex> order(children);
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(),
                     [&](NodeIndex a, NodeIndex b) { return alpha[a] < alpha[b]; });
    double branch = 0;
    size_t branch_splits = children - 1;
    for (const NodeIndex child : order) {
      branch += risk[child];
      branch_splits += splits[child];
    }
    const auto strength = [&] { return (own[node] - branch) / static_cast<double>(branch_splits); };
    for (const NodeIndex child : order) {
      if (!(strength() > alpha[child])) break;
      branch += own[child] - risk[child];
      branch_splits -= splits[child];
    }
    if (is_gain(own[node], branch)) {
      alpha[node] = strength();
      risk[node] = branch;
      splits[node] = branch_splits;
    }
  }
  const std::vector<NodeIndex> parent = parents_of(tree);
  for (NodeIndex node = 0; node < size; ++node) {
    if (tree.node(node).is_leaf()) continue;
    alpha[node] = std::min(alpha[node], alpha[parent[node]]);
    tree.node(node).notes().alpha = root_risk > 0 ? alpha[node] / root_risk : 0;
  }
}

double loss_of(const Tree& tree, std::span<const double> answer, const Table& table, RowIndex row) {
  if (tree.task() == Task::regression) {
    const double deviation = table.target().numbers[row] - answer[0];
    return deviation * deviation;
  }
  return cost_for_row(tree.costs(), answer.size(), table.target().codes[row],
                      cheapest_answer(answer, tree.costs()));
}

}  // namespace

std::vector<double> risks_of(const Tree& tree, Risk risk) {
  std::vector<double> risks(tree.size());
  for (NodeIndex node = 0; node < tree.size(); ++node) {
    const std::span<const double> sums = tree.sums(node);
    const double weight = tree.weight(node);
    double purity = 0;
    switch (risk) {
      case Risk::error:
      case Risk::variance:
        risks[node] = tree.risk(node);
        break;
      case Risk::gini:
        for (const double n : sums) purity += n * n;
        risks[node] = weight > 0 ? weight - purity / weight : 0;
        break;
      case Risk::entropy:
        for (const double n : sums) purity += n > 0 ? n * std::log2(n / weight) : 0;
        risks[node] = -purity;
        break;
    }
  }
  return risks;
}

void note_alphas(Tree& tree, std::span<const double> risk, Sequence sequence,
                 const Control& control) {
  if (sequence == Sequence::rpart) {
    note_rpart_alphas(tree, risk);
  } else {
    WeakestLink(tree, risk).run(control);
  }
}

void note_alphas(Tree& tree, Sequence sequence, const Control& control) {
  tree.canonicalise();
  note_alphas(tree, risks_of(tree, Risk::error), sequence, control);
}

void mark_tree(const Tree& tree, ComplexityTable& table) {
  const size_t splits = shape_of(tree).leaves - 1;
  const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                [=](const ComplexityRow& r) { return r.splits == splits; });
  if (row != table.rows.end()) table.chosen = static_cast<size_t>(row - table.rows.begin());
}

ComplexityTable complexity_table(const Tree& tree) {
  return complexity_table(tree, risks_of(tree, Risk::error));
}

ComplexityTable complexity_table(const Tree& tree, std::span<const double> risks) {
  ComplexityTable table;
  table.root_error = risks[0];
  table.root_weight = tree.weight(0);
  // Every split adds leaves and takes risk away, at its alpha.
  struct Step {
    double alpha, risk;
    size_t leaves;
  };
  std::vector<Step> steps;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    double gained = risks[i];
    for (uint32_t c = 0; c < tree.children(i); ++c) gained -= risks[tree.node(i).first_child + c];
    steps.push_back({tree.node(i).notes().alpha, gained, tree.children(i) - 1});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.alpha > b.alpha; });
  double risk = table.root_error;
  size_t splits = 0;
  const double scale = table.root_error > 0 ? table.root_error : 1;
  for (size_t i = 0; i < steps.size() && steps[i].alpha > 0;) {
    const double alpha = steps[i].alpha;
    table.rows.push_back({alpha, splits, std::max(0.0, risk) / scale, no_note, no_note});
    // What differs by rounding alone is one alpha, the largest of them.
    constexpr double rounding = 1e-11;
    for (; i < steps.size() && steps[i].alpha >= alpha * (1 - rounding); ++i) {
      risk -= steps[i].risk;
      splits += steps[i].leaves;
    }
  }
  table.rows.push_back({0, splits, std::max(0.0, risk) / scale, no_note, no_note});
  table.chosen = table.rows.size() - 1;
  return table;
}

Tree pruned_at(Tree tree, double alpha) {
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf() && !(tree.node(i).notes().alpha > alpha)) tree.make_leaf(i);
  }
  tree.canonicalise();
  return tree;
}

namespace {

// Trees that divide rows. A row's answer changes only where a node that it reaches becomes an end
// or ceases to be one, and between those alphas it stays as it is.
class DividedRows {
 public:
  DividedRows(const Tree& tree, std::span<const double> alphas)
      : tree_(tree),
        alphas_(alphas.size()),
        width_(tree.answer_width()),
        answers_(tree.answers()),
        parent_(parents_of(tree)),
        stays_from_(first_stays(tree, alphas)),
        reached_(tree.size(), 0.0),
        ended_(tree.size(), 0.0),
        answer_(width_) {}

  // `arrivals` are those of one row in the whole tree.
  void add(std::span<const Arrival> arrivals, const Table& table, SequenceSums& sums) {
    set_changes(arrivals);
    std::fill(answer_.begin(), answer_.end(), 0.0);
    const RowIndex row = arrivals[0].row;
    for (size_t i = 0; i < changes_.size();) {
      const size_t from = changes_[i].alpha;
      for (; i < changes_.size() && changes_[i].alpha == from; ++i) {
        const double* const answer = &answers_[changes_[i].node * width_];
        for (size_t k = 0; k < width_; ++k) answer_[k] += changes_[i].weight * answer[k];
      }
      const size_t until = i < changes_.size() ? changes_[i].alpha : alphas_;
      const double loss = loss_of(tree_, answer_, table, row);
      const double sum = table.weight(row) * loss;
      sums.add(from, until, sum, sum * loss);
    }
  }

 private:
  // From this alpha on the node answers for so much more of the row.
  struct Change {
    size_t alpha;
    double weight;
    NodeIndex node;
  };

  void set_changes(std::span<const Arrival> arrivals) {
    visited_.clear();
    for (const Arrival& arrival : arrivals) {
      ended_[arrival.node] += arrival.weight;
      for (NodeIndex node = arrival.node;; node = parent_[node]) {
        if (reached_[node] == 0) visited_.push_back(node);
        reached_[node] += arrival.weight;
        if (node == 0) break;
      }
    }
    changes_.clear();
    for (const NodeIndex node : visited_) {
      const size_t from = node == 0 ? 0 : stays_from_[parent_[node]];
      const size_t until = std::max(from, stays_from_[node]);
      const double here = from < until ? reached_[node] : ended_[node];
      if (from < alphas_ && here > 0) changes_.push_back({from, here, node});
      // What goes on to the children; the rest of the row ends here in every larger tree too.
      if (from < until && until < alphas_) {
        changes_.push_back({until, ended_[node] - reached_[node], node});
      }
      reached_[node] = ended_[node] = 0;
    }
    // What is taken away comes first: a row with one path then has exactly its node's answer.
    std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      const bool a_adds = a.weight > 0, b_adds = b.weight > 0;
      return std::tie(a.alpha, a_adds, a.node) < std::tie(b.alpha, b_adds, b.node);
    });
  }

  const Tree& tree_;
  size_t alphas_, width_;
  std::vector<double> answers_;
  std::vector<NodeIndex> parent_;
  std::vector<size_t> stays_from_;
  std::vector<double> reached_, ended_;  // shares of the row by node; 0 between rows
  std::vector<double> answer_;
  std::vector<NodeIndex> visited_;
  std::vector<Change> changes_;
};

SequenceErrors errors_of_divided_rows(const Tree& tree, const Compiled& compiled,
                                      std::span<const double> alphas, const Table& table,
                                      std::span<const RowIndex> rows, const Control& control) {
  RowsUntilAsk until_ask;
  DividedRows divided(tree, alphas);
  SequenceSums sums(alphas.size());
  std::vector<Arrival> arrivals;
  constexpr size_t at_once = 256;  // rows
  for (size_t first = 0; first < rows.size(); first += at_once) {
    until_ask.add(at_once, control);
    compiled.arrivals(table, rows.subspan(first, std::min(at_once, rows.size() - first)), arrivals);
    each_row(arrivals,
             [&](size_t, std::span<const Arrival> of_row) { divided.add(of_row, table, sums); });
  }
  return std::move(sums).errors();
}

}  // namespace

SequenceErrors sequence_errors(const Tree& tree, std::span<const double> alphas, const Table& table,
                               std::span<const RowIndex> rows, std::span<const RowIndex> among,
                               const Control& control) {
  const Compiled compiled(tree);
  if (!compiled.single_path(table)) {
    return errors_of_divided_rows(tree, compiled, alphas, table, rows, control);
  }
  double least = infinite, largest = -infinite;
  ExactSum weight;
  bool whole = true;
  RowsUntilAsk until_ask;
  for (const RowIndex row : among) {
    until_ask.add(1, control);
    const double own = table.weight(row);
    if (!(own > 0)) continue;
    weight.add(own);
    whole = whole && own == std::floor(own);
    if (tree.task() == Task::classification) continue;
    least = std::min(least, table.target().numbers[row]);
    largest = std::max(largest, table.target().numbers[row]);
  }
  const UnseenQuery query(tree, least, largest, weight.value(), whole);
  UnseenSums sums(query);
  std::vector<NodeIndex> ends;
  each_block(rows.size(), control, [&](size_t begin, size_t end) {
    const auto block = rows.subspan(begin, end - begin);
    ends.resize(block.size());
    compiled.end_nodes(table, block, ends);
    for (size_t i = 0; i < block.size(); ++i) {
      if (tree.task() == Task::classification) {
        sums.add_class(query, ends[i], table.target().codes[block[i]], table.weight(block[i]));
      } else {
        sums.add_number(query, ends[i], table.target().numbers[block[i]], table.weight(block[i]));
      }
    }
  });
  return sums.errors(tree, alphas, query);
}

std::vector<double> typical_alphas(const ComplexityTable& table) {
  std::vector<double> alphas(table.rows.size());
  for (size_t i = 0; i < alphas.size(); ++i) {
    alphas[i] = i == 0 ? infinite : std::sqrt(table.rows[i].cp * table.rows[i - 1].cp);
  }
  return alphas;
}

std::vector<double> alphas_for(const Tree& tree, const ComplexityTable& table) {
  const double ratio = (table.root_error / table.root_weight) / (tree.risk(0) / tree.weight(0));
  std::vector<double> alphas = typical_alphas(table);
  for (double& alpha : alphas) alpha *= ratio;
  return alphas;
}

void add_errors(SequenceErrors& to, const SequenceErrors& more) {
  for (size_t i = 0; i < more.sum.size(); ++i) {
    to.sum[i] += more.sum[i];
    to.squares[i] += more.squares[i];
  }
}

void set_cross_validated(ComplexityTable& table, const SequenceErrors& errors, double weight) {
  // Relative to the root's risk on the same weight of rows.
  const double scale = table.root_error > 0 ? table.root_error * weight / table.root_weight : 1;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const double variance = errors.squares[i] - errors.sum[i] * errors.sum[i] / weight;
    table.rows[i].xerror = errors.sum[i] / scale;
    table.rows[i].xstd = std::sqrt(std::max(0.0, variance)) / scale;
  }
}

size_t best_row(const ComplexityTable& table, bool one_se) {
  size_t best = 0;
  for (size_t i = 1; i < table.rows.size(); ++i) {
    if (table.rows[i].xerror < table.rows[best].xerror * (1 - 1e-12)) best = i;
  }
  if (!one_se) return best;
  const double limit = table.rows[best].xerror + table.rows[best].xstd;
  for (size_t i = 0; i < best; ++i) {
    if (table.rows[i].xerror <= limit) return i;
  }
  return best;
}

}  // namespace softwood::fit
