// The training loss of a tree whose ramps are being moved, a few nodes at a time.
//
// Classes: f = sum over the rows of w exp(alpha (1 - p - 1)), p the probability of the row's class
// (Dvorak & Savicky, equation 1, with |T* - y| = 1 - p; alpha = 4). Regression: squared errors.
//
// Rows are kept by node, with the share of each row that reaches it. A group of nodes that are
// moved together is opened: then a row's answer is a constant plus a few ramps between constants,
// and only rows that reach the group are computed.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "stages/soften/node_rows.h"
#include "stages/soften/ramps.h"

namespace softwood::soften {

// A node and the two top levels of the subtree on one of its sides (section 4).
struct Group {
  NodeIndex top = 0;                          // can be soft
  uint32_t side = 0;                          // the child whose subtree, and the width, that move
  std::array<uint32_t, 2> children = {0, 1};  // of that child: the two that may move
};

class AnnealingObjective {
 public:
  // Works on a copy of the tree, whose leaves have constants or constant models that are mixed by
  // their answers. `table` must outlive it.
  AnnealingObjective(const Tree& tree, const Table& table, std::span<const RowIndex> rows);

  double value() const { return value_; }        // f for the tree as it is
  const Group& group() const { return group_; }  // the open one
  const Tree& tree() const { return tree_; }

  // Prepares the moves of a group.
  void open(const Group& group);
  // The nodes of the open group that have widths: the top, the child below it, and that one's two
  // children. No node where there is none or it can't be soft.
  static constexpr size_t most_nodes = 4;
  static constexpr NodeIndex no_node = ~NodeIndex{0};
  std::array<NodeIndex, most_nodes> open_nodes() const;
  // How many rows an evaluation computes: those that reach the group's side of its top.
  size_t open_rows() const { return group_rows_.size(); }
  // f if the open nodes had these widths. Those of no node do not matter.
  using Moves = std::array<Widths, most_nodes>;
  double value_at(const Moves& moves) const;
  // Makes a move.
  void accept(const Moves& moves);

 private:
  // What one node of the open group does to each of the group's rows: a ramp over distances from
  // its cut, or where these are NaN fixed weights.
  struct Slot {
    NodeIndex node = no_node;  // that moves or lies above one that does
    bool soft = false;
    bool any_fixed = false;
    std::vector<double> below_cut;              // cut - value
    std::vector<double> left, right, constant;  // fixed: left * first + right * second + constant
  };
  struct Scratch {
    std::vector<double> weights, values;
    std::vector<uint32_t> rows, places;
  };

  double leaf_value(NodeIndex node, uint32_t row) const;
  double value_from_rows() const;
  void values_below(NodeIndex node, std::span<const uint32_t> rows, size_t depth,
                    std::span<double> values);
  void choose_rows(const Group& group);
  void fill_slot(Slot& slot, NodeIndex node, std::array<uint32_t, 2> children);
  void fill_fixed(Slot& slot, std::array<uint32_t, 2> children, const std::vector<double>& weights);
  void fill_values(std::vector<double>& values, NodeIndex node);
  Moves current() const;
  void mix_slot(const Slot& slot, const Widths& widths, size_t begin, size_t count,
                const double* first, const double* second, double* out) const;
  void answer_block(const Moves& moves, size_t begin, size_t count, double* answers) const;
  double loss_of(const double* answers, size_t begin, size_t count) const;

  Tree tree_;
  const Table& table_;
  NodeRows node_rows_;
  std::vector<double> weights_, targets_;  // by position; targets in regression only
  std::vector<uint32_t> classes_;
  std::vector<double> node_answers_;
  std::vector<double> answers_;  // of the tree, by position: for classes that of the true one
  double value_ = 0;
  std::vector<Scratch> scratch_;  // by depth of the recursion

  // The open group, by place in group_rows_.
  Group group_;
  std::vector<uint32_t> group_rows_;
  std::vector<double> reach_;  // share that reaches the top
  std::vector<double> rest_;   // the answer without what comes from the top
  std::vector<double> row_weights_, row_targets_;
  std::array<Slot, 4> slots_;  // top, middle, lower
  // Answers that do not move: of the top's other child; of the child below the top, or of its two
  // children, where they do not; of the children of those.
  std::vector<double> other_, middle_, lower_[2], lowest_[2][2];
  double outside_ = 0;  // loss of the other rows
};

}  // namespace softwood::soften
