#include "stages/evolve/to_tree.h"

#include <algorithm>
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

}  // namespace

Tree to_tree(std::span<const Gene> genes, Router& router, const Table& table,
             std::span<const RowIndex> rows) {
  Tree tree(table.schema().task(), table.schema().classes());
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
  count_rows(tree, table, rows);
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
