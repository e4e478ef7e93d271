// Rows kept by the node that they reach, each with the share of it that does. A share ends where
// the tree divides it to nothing; rows below a node are found again when its gate has moved.
#pragma once

#include <span>
#include <vector>

#include "tree/descent.h"

namespace softwood::soften {

struct Arrivals {
  std::vector<uint32_t> rows;  // positions in the rows that are kept, ascending
  std::vector<double> shares;  // 0 to 1, whatever the rows' weights
};

// Of a row with these weights over the gate's children. The child after those of the gate is for
// rows that it can't be computed for, whose first weight is NaN.
inline double share_of_child(const double* weights, size_t child, size_t gate_children) {
  if (child < gate_children) return std::isnan(weights[0]) ? 0 : weights[child];
  return std::isnan(weights[0]) ? 1 : 0;
}

class NodeRows {
 public:
  // Tree and table must outlive it. The tree's gates may move, its shape may not.
  NodeRows(const Tree& tree, const Table& table, std::span<const RowIndex> rows);

  const std::vector<RowIndex>& rows() const { return rows_; }
  const Arrivals& at(NodeIndex node);
  // After a move of the node's gate or of gates below it.
  void forget_below(NodeIndex node);

  // Weights over the gate's children for any rows (positions), row after row; NaN first for rows
  // that stay at the node or go to a child of their own.
  void weigh(NodeIndex node, std::span<const uint32_t> rows, std::vector<double>& weights);
  // Of the last weigh: places in its rows that gate and surrogates could not be computed for.
  std::span<const uint32_t> without_value() const { return node_weights_.missing(); }

 private:
  const Tree& tree_;
  const Table& table_;
  std::vector<RowIndex> rows_;
  std::vector<NodeIndex> parents_;
  std::vector<Arrivals> arrivals_;
  std::vector<char> known_;
  Descent descent_;
  std::vector<Share> shares_;
  NodeWeights node_weights_;
  std::vector<RowIndex> gate_rows_;
};

}  // namespace softwood::soften
