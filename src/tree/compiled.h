// The tree flattened for prediction, made once for many rows. Thresholds and gates over levels have
// fast ways down, in which a row goes from node to node without ever being divided; soft gates,
// sums of terms and rows that are divided take the general descent (descent.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/descent.h"
#include "tree/interleaved.h"
#include "tree/tree.h"

namespace softwood {

// A row's stay at a node where its descent ends, with the share of the row that ends there.
struct Arrival {
  RowIndex row;
  NodeIndex node;
  double weight;
};

// Those of the first row. Nodes ascend within a row, so that even the same row given twice running
// is told apart.
inline std::span<const Arrival> arrivals_of_first_row(std::span<const Arrival> arrivals) {
  size_t end = arrivals.empty() ? 0 : 1;
  while (end < arrivals.size() && arrivals[end].row == arrivals[0].row &&
         arrivals[end].node > arrivals[end - 1].node) {
    ++end;
  }
  return arrivals.first(end);
}

// Calls visit(position, arrivals of the row) for each row; every row arrives somewhere.
template <class Visit>
void each_row(std::span<const Arrival> arrivals, const Visit& visit) {
  for (size_t position = 0; !arrivals.empty(); ++position) {
    const std::span<const Arrival> own = arrivals_of_first_row(arrivals);
    visit(position, own);
    arrivals = arrivals.subspan(own.size());
  }
}

// Rows of numbers as they lie in memory, float or double.
template <class T>
struct NumberRows {
  size_t rows;
  ptrdiff_t stride;                   // cells from one row to the next
  std::span<const T* const> columns;  // by feature, at the first row; not read where no gate asks
  bool any_missing;                   // in the columns that gates ask about
};

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
  // True when end_nodes takes rows of numbers.
  template <class T>
  bool takes(const NumberRows<T>& rows) const {
    return all_thresholds_ && (single_path_ || !rows.any_missing);
  }
  // The same for rows that it takes; T: float or double.
  template <class T>
  void end_nodes(const NumberRows<T>& rows, std::span<NodeIndex> nodes) const;
  // Any tree: all arrivals of the rows; the weights of one row sum to 1. Arrivals of one row are in
  // ascending node order, rows are in the given order.
  void arrivals(const Table& table, std::span<const RowIndex> rows,
                std::vector<Arrival>& out) const;

 private:
  // 16 bytes: four nodes in a line of the cache.
  struct ThresholdNode {
    double cut;
    uint32_t first_child;
    uint32_t number;  // place in numbers_
  };
  // A threshold or a gate over levels. Where rows go on is in targets_, from `targets` on: of a
  // threshold for its two sides and for rows without a value; of levels for rows without a value
  // and then for each level; of a leaf the leaf itself.
  struct FlatNode {
    double cut;
    uint32_t targets;
    uint32_t slot;  // of what is read: place in numbers_, then in coded_, then that of leaves
  };
  // A threshold, or a gate that sends levels to two children, in a tree that has both and sends
  // every row on to one child. Of levels `cut` holds bits: whether child 1 is that of rows without
  // a value, of the first level, of the second and so on.
  struct BinaryNode {
    uint64_t cut;  // the double's bits
    uint32_t first_child;
    uint32_t slot_and_marks;
  };
  struct Cells;
  template <bool has_missing>
  struct Thresholds;
  template <bool has_missing>
  struct ThresholdStep;
  template <class T, bool has_missing>
  struct StridedStep;
  template <bool has_missing>
  struct BinaryStep;
  template <bool any_numbers, bool any_coded>
  struct FlatStep;

  void note_paths();
  void note_features();
  bool note_levels();  // false: there are gates that have no fast way
  void flatten_thresholds();
  void flatten();
  void flatten_binary();  // from flat_
  void add_threshold(NodeIndex i, const Threshold& threshold);
  void add_levels(NodeIndex i, const LevelsGate& gate);
  NodeIndex target_without_value(NodeIndex i, int32_t typical_child);

  bool any_missing(const Table& table) const;  // in the features of thresholds
  bool has_fast_way(const Table& table) const;
  // Where the rows end, or are left over to the general descent.
  void fast_nodes(const Table& table, std::span<const RowIndex> rows,
                  std::span<NodeIndex> nodes) const;
  template <class Step>
  void descend(const Table& table, std::span<const RowIndex> rows,
               std::span<NodeIndex> nodes) const;
  void general_arrivals(const Table& table, std::span<const RowIndex> rows,
                        std::vector<Arrival>& out) const;

  const Tree& tree_;
  bool single_path_ = true;
  bool all_thresholds_ = true;  // whose rows without a value go to one child or to all
  Depths depths_;
  std::vector<uint32_t> numbers_, coded_;  // features of thresholds and of levels, ascending
  std::vector<uint32_t> slot_levels_;      // by slot: 1 more than it has levels; of numbers 0
  std::vector<ThresholdNode> thresholds_;  // where all_thresholds_
  std::vector<uint8_t> missing_right_;     // of those: 1 where a missing value goes to child 1
  std::vector<FlatNode> flat_;             // of other trees of thresholds and gates over levels
  std::vector<NodeIndex> targets_;
  std::vector<BinaryNode> binary_;  // of flat_, where they can say it
  std::vector<char> left_over_;     // by node: what ends here must go down by the general descent
};

// Hard trees, with single paths: where the rows would end if they were at node `top`. The tree need
// not be in order.
std::vector<NodeIndex> end_nodes_below(const Tree& tree, NodeIndex top, const Table& table,
                                       std::span<const RowIndex> rows);

}  // namespace softwood
