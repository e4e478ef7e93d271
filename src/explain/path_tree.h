// A tree all of whose conditions read one input each, as edges in preorder: the share of a row that
// ends at a node is a product over the inputs on the path to it.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "data/table.h"
#include "explain/quantity.h"

namespace softwood {

struct PathEdge {
  uint32_t depth = 0;    // 1 for the edges of the root
  uint32_t input = 0;    // position in PathTree::inputs() of the input that decides about it
  uint32_t earlier = 0;  // depth of the nearest edge above of the same input; 0: none
  uint32_t after = 0;    // the first edge that is not below this one
  bool is_end = false;   // rows end there
  bool again = false;    // the input is asked again below
};

class PathTree {
 public:
  // None: a condition reads several inputs, a surrogate reads another one, or the answer is not a
  // mean of constants.
  static std::optional<PathTree> make(const LoweredTree& tree, const Quantity& quantity);

  const std::vector<PathEdge>& edges() const { return edges_; }
  const std::vector<uint32_t>& inputs() const { return inputs_; }  // in use, ascending
  size_t outputs() const { return base_.size(); }
  uint32_t depth() const { return depth_; }
  uint32_t most_inputs() const { return most_inputs_; }  // on one path
  // Of an edge to an end: what rows get there, as the difference from base(): outputs() numbers.
  const double* value(size_t edge) const { return &values_[edge * outputs()]; }
  // The answer of a row that goes down as the training rows did.
  const std::vector<double>& base() const { return base_; }

  // Weights of all edges, each the part of what comes to its node: of the training rows, and of a
  // row. `lane` of `lanes` numbers per edge is written.
  void training_weights(double* weights, size_t lane, size_t lanes) const;
  void row_weights(const Table& table, RowIndex row, double* weights, size_t lane,
                   size_t lanes) const;
  // For rows that no condition divides, edges x rows: all bits set where the row passes, else none.
  // False: some condition divides a row.
  bool passes(const Table& table, std::span<const RowIndex> rows, uint16_t* passes) const;

 private:
  struct Split {
    const LoweredSplit* split = nullptr;
    uint32_t input = 0;      // position in inputs_
    bool threshold = false;  // plain: x <= cut
    double cut = 0;
    double typical = 0;            // of that input
    std::vector<uint32_t> edges;   // to the children, then to the node itself where rows may stay
    std::vector<double> training;  // weights of these
  };

  // The weights of a split's edges for a cell.
  static void weigh(const Split& split, double cell, std::vector<double>& shares);
  // A split whose edges are being added. Trees may be deeper than a stack of calls.
  struct OpenSplit {
    uint32_t node = 0, depth = 1;
    uint32_t edge = 0;     // that leads to it; none at the root
    size_t at = 0;         // in splits_
    uint32_t earlier = 0;  // edge of the same input above it, 0: none
    uint32_t next = 0;     // the child whose turn it is
  };
  OpenSplit open_split(const LoweredTree& tree, uint32_t node, uint32_t depth, uint32_t edge);
  uint32_t add_edge(const OpenSplit& from, bool is_end);
  void add_end(const OpenSplit& from, uint32_t edge, const LoweredNode& end,
               const Quantity& quantity);
  void add_splits(const LoweredTree& tree, const Quantity& quantity);

  std::vector<PathEdge> edges_;
  std::vector<Split> splits_;
  std::vector<uint32_t> inputs_;
  std::vector<double> values_, base_;
  std::vector<uint32_t> path_;  // while edges are added: those above, by depth
  uint32_t depth_ = 0, most_inputs_ = 0;
};

}  // namespace softwood
