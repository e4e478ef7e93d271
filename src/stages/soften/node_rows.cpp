#include "stages/soften/node_rows.h"

#include <numeric>

namespace softwood::soften {

NodeRows::NodeRows(const Tree& tree, const Table& table, std::span<const RowIndex> rows)
    : tree_(tree),
      table_(table),
      rows_(rows.begin(), rows.end()),
      parents_(parents_of(tree)),
      arrivals_(tree.size()),
      known_(tree.size(), 0),
      descent_(tree, table, follow_all) {
  known_[0] = 1;
  arrivals_[0].rows.resize(rows.size());
  std::iota(arrivals_[0].rows.begin(), arrivals_[0].rows.end(), 0U);
  arrivals_[0].shares.assign(rows.size(), 1.0);
}

void NodeRows::weigh(NodeIndex node, std::span<const uint32_t> rows, std::vector<double>& weights) {
  gate_rows_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) gate_rows_[i] = rows_[rows[i]];
  const Node& here = tree_.node(node);
  node_weights_.compute(here, table_, gate_rows_);
  node_weights_.apply_rule(here, here.missing(), table_, tree_.typical());
  weights.assign(node_weights_.weights().begin(), node_weights_.weights().end());
}

const Arrivals& NodeRows::at(NodeIndex node) {
  if (known_[node] != 0) return arrivals_[node];
  const NodeIndex parent = parents_[node];
  const Arrivals& above = at(parent);
  shares_.resize(above.rows.size());
  for (size_t i = 0; i < shares_.size(); ++i) shares_[i] = {above.rows[i], above.shares[i]};
  const NodeIndex first = tree_.node(parent).first_child;
  for (size_t c = 0; c < tree_.children(parent); ++c) {
    known_[first + c] = 1;
    arrivals_[first + c] = {};
  }
  DescentVisitor nothing;
  descent_.divide(parent, rows_, shares_, nothing,
                  [&](NodeIndex child, std::span<const Share> shares) {
                    Arrivals& there = arrivals_[child];
                    for (const Share& share : shares) {
                      there.rows.push_back(share.position);
                      there.shares.push_back(share.weight);
                    }
                  });
  return arrivals_[node];
}

void NodeRows::forget_below(NodeIndex node) {
  std::vector<NodeIndex> open = {node};
  while (!open.empty()) {
    const NodeIndex here = open.back();
    open.pop_back();
    for (uint32_t c = 0; c < tree_.children(here); ++c) {
      const NodeIndex child = tree_.node(here).first_child + c;
      known_[child] = 0;
      open.push_back(child);
    }
  }
}

}  // namespace softwood::soften
