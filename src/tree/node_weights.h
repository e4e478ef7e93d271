// The weights over its gate's children that a node gives to rows, missing values included.
#pragma once

#include <span>
#include <vector>

#include "tree/tree.h"

namespace softwood {

// Working memory is kept from call to call.
class NodeWeights {
 public:
  // By the gate and, where it can't be computed, by the first surrogate that can. Rows that are
  // left without weights have a first weight of NaN and are listed in missing(). `rows` must last
  // until apply_rule, and the rule's shares until the rows are sent.
  void compute(const Node& node, const Table& table, std::span<const RowIndex> rows);
  // The same, but where gate and surrogates are maps of levels only each row's child is noted: for
  // a branch per level of very many, weights would not fit into memory.
  void compute_children(const Node& node, const Table& table, std::span<const RowIndex> rows);
  // Gives those rows the weights of the rule. A row that stays, or has a child of its own, keeps
  // its NaN.
  void apply_rule(const Node& node, const Missing& missing, const Table& table,
                  const std::vector<double>& typical);

  // Undivided rows: each goes to the first child that has most of it.
  void keep_largest();

  size_t children() const { return children_; }  // of the gate
  // Row after row: weights()[i * children() + c]. Not if has_children().
  std::span<const double> weights() const { return weights_; }
  // By compute_children, whether of each row the child is known that gets all of it.
  bool has_children() const { return has_children_; }
  std::span<const int32_t> child_of_row() const { return child_of_row_; }  // -1: in missing()
  // What the rule gives to each child of the rows in missing(), if it divides them; else empty.
  std::span<const double> divided() const { return divided_; }
  std::span<const uint32_t> missing() const { return missing_; }  // positions, ascending

 private:
  void try_surrogate(const Gate& surrogate, const Table& table);
  void apply_rule_to_children(const Node& node, const Missing& missing, const Table& table,
                              const std::vector<double>& typical);

  size_t children_ = 0;
  bool has_children_ = false;
  std::span<const RowIndex> rows_;
  std::vector<double> weights_, surrogate_weights_;
  std::vector<RowIndex> surrogate_rows_;
  std::vector<uint32_t> missing_;
  std::vector<int32_t> child_of_row_;
  std::span<const double> divided_;
};

}  // namespace softwood
