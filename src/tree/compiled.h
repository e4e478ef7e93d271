// The tree flattened for prediction, made once a call. One descent serves hard trees, missing
// values and soft trees; runs of plain thresholds take a fast path over 16-byte nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace softwood {

// A row's stay at a node where its descent ends, with the share of the row that ends there.
struct Arrival {
  RowIndex row;
  NodeIndex node;
  double weight;
};

// Smaller shares of a row are not followed. What is left out of a tree with L leaves is less than L
// times this, and an answer changes by less than that times the range of the leaves' outputs.
constexpr double negligible_share = 1e-16;

class Compiled {
 public:
  explicit Compiled(const Tree& tree);

  // True when every row ends in exactly one node whatever its cells (only hard gates, no shares).
  bool single_path() const { return single_path_; }
  // True when that holds for the rows of this table: thresholds divide only rows without a value.
  bool single_path(const Table& table) const {
    return single_path_ || (all_thresholds_ && !any_missing(table));
  }
  // single_path(table) only: the node where each row ends.
  void end_nodes(const Table& table, std::span<const RowIndex> rows,
                 std::span<NodeIndex> nodes) const;
  // Any tree: all arrivals of the rows; the weights of one row sum to 1. Arrivals of one row are in
  // ascending node order, rows are in the given order.
  void arrivals(const Table& table, std::span<const RowIndex> rows,
                std::vector<Arrival>& out) const;

 private:
  struct FastNode {
    double cut;
    uint32_t first_child;
    uint32_t feature_and_marks;
  };
  struct Levels {
    uint32_t sure = 0;  // levels above the first leaf: every row goes down this far
    uint32_t all = 0;   // depth of the tree
  };
  void flatten();
  bool any_missing(const Table& table) const;  // in the features of fast_
  void end_nodes_of_copies(const Table& table, std::span<const RowIndex> rows,
                           std::span<NodeIndex> nodes) const;

  const Tree& tree_;
  bool single_path_ = true;
  // And missing values go to one child or to all: fast_ can be used where single_path(table).
  bool all_thresholds_ = true;
  Levels levels_;
  std::vector<FastNode> fast_;
  std::vector<uint32_t> used_;  // features of fast_, ascending
};

// Hard trees, with single paths: where the rows would end if they were at node `top`. The tree need
// not be in order.
std::vector<NodeIndex> end_nodes_below(const Tree& tree, NodeIndex top, const Table& table,
                                       std::span<const RowIndex> rows);

}  // namespace softwood
