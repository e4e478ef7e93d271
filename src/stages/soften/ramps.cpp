#include "stages/soften/ramps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softwood::soften {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

std::vector<Range> ranges_of(const Table& table, std::span<const RowIndex> rows) {
  std::vector<Range> ranges(table.features());
  for (size_t f = 0; f < ranges.size(); ++f) {
    const Column& column = table.input(f);
    if (column.kind == Kind::nominal) continue;
    for (const RowIndex row : rows) {
      const double value = column.value(row);  // NaN changes neither end
      if (value < ranges[f].low) ranges[f].low = value;
      if (value > ranges[f].high) ranges[f].high = value;
    }
  }
  return ranges;
}

// The distance if it is one; where the tree's own width is all that is known, that.
double unit_of(double distance, double width) {
  return distance > 0 && std::isfinite(distance) ? distance : width;
}

}  // namespace

bool can_be_soft(const Gate& gate) { return as_ramp(gate).has_value(); }

Widths widths_of(const Gate& gate) {
  const RampForm ramp = *as_ramp(gate);
  return {ramp.below, ramp.above};
}

std::vector<Ramp> ramps_of(const Tree& tree, const Table& table, std::span<const RowIndex> rows) {
  std::vector<Ramp> ramps;
  struct NodeRanges {
    NodeIndex node;
    std::vector<Range> ranges;
  };
  std::vector<NodeRanges> open;
  open.push_back({0, ranges_of(table, rows)});
  while (!open.empty()) {
    NodeRanges here = std::move(open.back());
    open.pop_back();
    const Node& node = tree.node(here.node);
    if (node.is_leaf()) continue;
    std::vector<NodeRanges> below(tree.children(here.node));
    for (size_t c = 0; c < below.size(); ++c) {
      below[c] = {node.first_child + static_cast<NodeIndex>(c), here.ranges};
    }
    if (const std::optional<RampForm> ramp = as_ramp(node.gate())) {
      const Range& range = here.ranges[ramp->feature];
      ramps.push_back({here.node,
                       {ramp->below, ramp->above},
                       {unit_of(ramp->cut - range.low, ramp->below),
                        unit_of(range.high - ramp->cut, ramp->above)}});
      below[0].ranges[ramp->feature].high = std::min(range.high, ramp->cut);
      below[1].ranges[ramp->feature].low = std::max(range.low, ramp->cut);
    }
    std::move(below.begin(), below.end(), std::back_inserter(open));
  }
  std::sort(ramps.begin(), ramps.end(),
            [](const Ramp& a, const Ramp& b) { return a.node < b.node; });
  return ramps;
}

void set_widths(Tree& tree, NodeIndex node, const Widths& widths) {
  tree.node(node).gate() = softened(tree.node(node).gate(), widths.below, widths.above);
}

bool leaves_are_in_the_way(const Tree& tree) {
  if (tree.leaf_plan().mixes_scores()) return true;
  if (!tree.leaf_plan().has_trained_models()) return false;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).model && !tree.node(i).model->terms.empty()) return true;
  }
  return false;
}

}  // namespace softwood::soften
