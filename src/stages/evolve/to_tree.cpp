#include "stages/evolve/to_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tree/compiled.h"
#include "tree/edit.h"

namespace softwood::evolve {
namespace {

LevelsGate levels_gate(std::span<const Gene> genes, size_t node, size_t levels) {
  LevelsGate gate{genes[node].feature, 0, std::vector<int32_t>(levels, missing_code)};
  each_child(genes, node, [&](size_t c) {
    gate.child_of_level[genes[c].branch] = static_cast<int32_t>(gate.children++);
  });
  return gate;
}

// Where a threshold can be without sending a row another way: low <= cut < high.
struct Gap {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// Gives thresholds of one input their places: as few different ones as the gaps allow, each in the
// middle of what the gaps of its nodes have in common. The gap that ends first is stabbed together
// with all that have begun by then, which is the fewest (interval stabbing).
void place_in_gaps(Tree& tree, const std::vector<Gap>& gaps, std::vector<NodeIndex>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) {
    return gaps[a].high != gaps[b].high ? gaps[a].high < gaps[b].high : a < b;
  });
  while (!nodes.empty()) {
    const double high = gaps[nodes[0]].high;
    const auto begun = std::stable_partition(nodes.begin(), nodes.end(),
                                             [&](NodeIndex i) { return gaps[i].low < high; });
    double low = gaps[nodes[0]].low;
    for (auto i = nodes.begin(); i != begun; ++i) low = std::max(low, gaps[*i].low);
    for (auto i = nodes.begin(); i != begun; ++i) {
      tree.node(*i).gate() = with_cut(tree.node(*i).gate(), middle(low, high));
    }
    nodes.erase(nodes.begin(), begun);
  }
}

// Without sums.
Tree bare_tree(std::span<const Gene> genes, Router& router, const Schema& schema) {
  Tree tree(schema.task(), schema.classes());
  std::vector<std::pair<NodeIndex, size_t>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [to, from] = open.back();
    open.pop_back();
    const Gene& gene = genes[from];
    if (gene.is_leaf()) continue;
    const Axis& axis = router.rows().axes()[gene.feature];
    Missing missing;
    NodeIndex first = 0;
    if (axis.nominal) {
      LevelsGate gate = levels_gate(genes, from, axis.values);
      const uint32_t level = router.heaviest_level(router.go_to(genes, from), axis);
      missing.child = static_cast<uint32_t>(gate.child_of_level[level]);
      first = tree.split(to, std::move(gate), missing);
    } else {
      missing.child = gene.missing_first ? 0 : 1;
      first = tree.split(to, threshold_gate(gene.feature, axis.cuts[gene.cut]), missing);
    }
    NodeIndex child = first;
    each_child(genes, from, [&](size_t c) { open.emplace_back(child++, c); });
  }
  tree.canonicalise();
  return tree;
}

// Whole numbers of a node: weights of classes, or weight, amount and square.
struct NodeSums {
  std::array<int64_t, 3> numbers{};
  std::vector<int64_t> classes;
  int64_t missing = 0;  // weight of the rows that have no value of the node's input
};

void set_sums(Tree& tree, NodeIndex node, const NodeSums& sums, const MergedRows& rows) {
  const std::span<double> to = tree.sums(node);
  const double weight_unit = rows.target.weight_unit;
  if (rows.target.classes > 0) {
    for (size_t k = 0; k < to.size(); ++k) {
      to[k] = static_cast<double>(sums.classes[k]) * weight_unit;
    }
    return;
  }
  const double weight = static_cast<double>(sums.numbers[0]) * weight_unit;
  const double amount = static_cast<double>(sums.numbers[1]) * rows.target.amount_unit;
  const double squares = static_cast<double>(sums.numbers[2]) * rows.square_unit;
  const double mean = weight > 0 ? amount / weight : 0;
  const double deviation = squares - mean * amount;
  // What is left of equal numbers is rounding.
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  to[0] = weight;
  to[1] = rows.coding.centre + mean;
  to[2] = deviation > rounding * squares ? deviation : 0;
}

// Adds a merged row to all nodes on its way.
void add_row(const Tree& tree, const MergedRows& rows, size_t row, std::vector<NodeSums>& sums) {
  const int64_t weight = rows.target.weight[row];
  for (NodeIndex node = 0;;) {
    NodeSums& own = sums[node];
    if (rows.target.classes > 0) {
      own.classes[rows.target.klass[row]] += weight;
    } else {
      own.numbers[0] += weight;
      own.numbers[1] += rows.target.amount[row];
      own.numbers[2] += rows.square[row];
    }
    const Node& at = tree.node(node);
    if (at.is_leaf()) return;
    const LevelsGate* const levels = level_map(at.gate());
    const uint32_t feature = levels != nullptr ? levels->feature : as_threshold(at.gate())->feature;
    const FeatureBins& bins = rows.coding.bins[feature];
    const uint32_t code = rows.codes.code(row, feature);
    uint32_t child = at.missing().child;
    if (code == bins.bins) {
      own.missing += weight;
    } else if (levels == nullptr) {
      // Code c is up to cuts[c]; the last one is above all cuts.
      child = code < bins.cuts.size() && bins.cuts[code] <= as_threshold(at.gate())->cut ? 0 : 1;
    } else if (levels->child_of_level[code] >= 0) {
      child = static_cast<uint32_t>(levels->child_of_level[code]);
    }
    node = at.first_child + child;
  }
}

}  // namespace

Tree to_tree(std::span<const Gene> genes, Router& router, const Table& table,
             std::span<const RowIndex> rows) {
  Tree tree = bare_tree(genes, router, table.schema());
  count_rows(tree, table, rows);
  return tree;
}

Tree to_tree(std::span<const Gene> genes, Router& router, const Schema& schema,
             const MergedRows& rows) {
  Tree tree = bare_tree(genes, router, schema);
  std::vector<NodeSums> sums(tree.size());
  for (NodeSums& own : sums) own.classes.resize(schema.classes());
  for (size_t row = 0; row < rows.rows(); ++row) add_row(tree, rows, row, sums);
  for (NodeIndex node = 0; node < tree.size(); ++node) {
    set_sums(tree, node, sums[node], rows);
    if (tree.node(node).is_leaf()) continue;
    tree.node(node).missing().weight =
        static_cast<double>(sums[node].missing) * rows.target.weight_unit;
  }
  send_unseen_to_heaviest(tree);
  return tree;
}

void add_used_cuts(std::span<const Gene> genes, const CodedRows& rows, Cuts& used) {
  used.resize(rows.axes().size());
  for (const Gene& gene : genes) {
    if (gene.is_leaf() || rows.axes()[gene.feature].nominal) continue;
    const double cut = rows.axes()[gene.feature].cuts[gene.cut];
    std::vector<double>& cuts = used[gene.feature];
    const auto at = std::lower_bound(cuts.begin(), cuts.end(), cut);
    if (at == cuts.end() || *at != cut) cuts.insert(at, cut);
  }
}

void translate(Genes& genes, const CodedRows& from, const CodedRows& to) {
  for (Gene& gene : genes) {
    if (gene.is_leaf() || from.axes()[gene.feature].nominal) continue;
    const double cut = from.axes()[gene.feature].cuts[gene.cut];
    const std::vector<double>& cuts = to.axes()[gene.feature].cuts;
    const auto at = std::lower_bound(cuts.begin(), cuts.end(), cut);
    gene.cut = static_cast<uint32_t>(at - cuts.begin());
  }
}

void centre_cuts(Tree& tree, const Table& table, std::span<const RowIndex> rows) {
  std::vector<Gap> gaps(tree.size());
  std::vector<NodeIndex> ends(rows.size());
  Compiled(tree).end_nodes(table, rows, ends);
  const std::vector<NodeIndex> parents = parents_of(tree);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (NodeIndex node = ends[r]; node != 0;) {
      node = parents[node];
      const std::optional<Threshold> threshold = as_threshold(tree.node(node).gate());
      if (!threshold) continue;
      const double value = table.input(threshold->feature).value(rows[r]);
      Gap& gap = gaps[node];
      if (value <= threshold->cut) {
        gap.low = std::max(gap.low, value);
      } else if (value > threshold->cut) {
        gap.high = std::min(gap.high, value);
      }
    }
  }
  std::vector<std::vector<NodeIndex>> nodes_of(table.features());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!std::isfinite(gaps[i].low) || !std::isfinite(gaps[i].high)) continue;
    nodes_of[as_threshold(tree.node(i).gate())->feature].push_back(i);
  }
  for (std::vector<NodeIndex>& nodes : nodes_of) place_in_gaps(tree, gaps, nodes);
}

}  // namespace softwood::evolve
