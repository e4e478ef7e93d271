// The one descent. Rows go down a tree with their weights, level by level; every node that they
// reach is visited once for a block of rows, and so is its gate. Prediction, counting, softening,
// pruning and compiling all come down here. Hard gates have a faster way (compiled.h), which leads
// to the same nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/node_weights.h"
#include "tree/tree.h"

namespace softwood {

// Smaller shares of a row are not followed in predicting. What is left out of a tree with L leaves
// is less than L times this, and an answer changes by less than that times the range of the leaves'
// outputs.
constexpr double negligible_share = 1e-16;
// Every share is followed, of rows without weight too.
constexpr double follow_all = -1;

// What has come to a node of the row at `position` of those that go down.
struct Share {
  uint32_t position;
  double weight;
};

// What happens at the nodes. A visitor derives from this and hides what it needs; nothing is
// virtual.
struct DescentVisitor {
  // The shares that have come to a node, in the order of the rows.
  void reach(NodeIndex, std::span<const Share>) {}
  // At an inner node, when gate and surrogates are computed: the rule for the rows that they could
  // not be computed for. Null: the node's own.
  const Missing* rule(NodeIndex, std::span<const Share>, const NodeWeights&) { return nullptr; }
  // The weights over the children, the rule applied, before the rows are sent.
  void adjust(NodeWeights&) {}
  // A share that goes no further: at a leaf, or where rows without a value stay.
  void end(NodeIndex, const Share&) {}
};

// Working memory is kept from call to call.
class Descent {
 public:
  // The tree need not be in order. Shares of at most `least` are not followed.
  Descent(const Tree& tree, const Table& table, double least)
      : tree_(tree), table_(table), least_(least) {}

  // From node `top` on. The shares are in ascending order of positions.
  template <class Visitor>
  void run(NodeIndex top, std::span<const RowIndex> rows, std::span<const Share> start,
           Visitor& visitor) {
    if (start.empty()) return;
    if (shares_.size() < start.size()) shares_.resize(start.size());
    std::copy(start.begin(), start.end(), shares_.begin());
    stops_.assign(1, {top, 0, start.size()});
    while (!stops_.empty()) {
      clear_next();
      for (const Stop& stop : stops_) {
        const std::span<const Share> here(&shares_[stop.begin], stop.end - stop.begin);
        visitor.reach(stop.node, here);
        if (!tree_.node(stop.node).is_leaf()) {
          pass(stop.node, rows, here, visitor);
        } else {
          for (const Share& share : here) visitor.end(stop.node, share);
        }
      }
      shares_.swap(next_shares_);
      stops_.swap(next_stops_);
    }
  }

  // One inner node alone. Calls give(child, shares) for the children that get some.
  template <class Visitor, class Give>
  void divide(NodeIndex node, std::span<const RowIndex> rows, std::span<const Share> here,
              Visitor& visitor, const Give& give) {
    clear_next();
    if (!here.empty()) pass(node, rows, here, visitor);
    for (const Stop& stop : next_stops_) {
      give(stop.node, std::span<const Share>(&next_shares_[stop.begin], stop.end - stop.begin));
    }
  }

 private:
  // Shares [begin, end) of a level's list are at `node`.
  struct Stop {
    NodeIndex node;
    size_t begin, end;
  };

  void clear_next() {
    next_count_ = 0;
    next_stops_.clear();
  }

  template <class Visitor>
  void pass(NodeIndex index, std::span<const RowIndex> rows, std::span<const Share> here,
            Visitor& visitor) {
    const Node& node = tree_.node(index);
    gate_rows_.resize(here.size());
    for (size_t i = 0; i < here.size(); ++i) gate_rows_[i] = rows[here[i].position];
    weights_.compute_children(node, table_, gate_rows_);
    const Missing* const given = visitor.rule(index, here, weights_);
    const Missing& rule = given != nullptr ? *given : node.missing();
    weights_.apply_rule(node, rule, table_, tree_.typical());
    visitor.adjust(weights_);
    send(node, rule.rule == MissingRule::own, here);
    if (rule.rule != MissingRule::stay) return;
    for (const uint32_t i : weights_.missing()) visitor.end(index, here[i]);
  }

  void send(const Node& node, bool own_child, std::span<const Share> here);
  void send_children(const Node& node, std::span<const Share> here);
  void send_child(std::span<const uint32_t> whole, std::span<const uint32_t> divided, double part,
                  std::span<const Share> here);
  Share* room_for(size_t more);  // the list of the next level, with so many places left
  void add_stop(NodeIndex node, size_t begin);

  const Tree& tree_;
  const Table& table_;
  const double least_;
  std::vector<Share> shares_, next_shares_;  // only grow; stops and next_count_ say what is in use
  size_t next_count_ = 0;
  std::vector<Stop> stops_, next_stops_;
  std::vector<RowIndex> gate_rows_;
  NodeWeights weights_;
  std::vector<size_t> child_ends_;
  std::vector<uint32_t> by_child_;  // positions in the shares of a node
};

// Rows go down in blocks of at most this many: the longer a block, the more rows share the visit of
// a gate.
constexpr size_t most_block_rows = 8192;

}  // namespace softwood
