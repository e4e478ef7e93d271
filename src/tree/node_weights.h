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
  // until apply_rule.
  void compute(const Node& node, const Table& table, std::span<const RowIndex> rows);
  // Gives those rows the weights of the rule. A row that stays, or has a child of its own, keeps
  // its NaN.
  void apply_rule(const Node& node, const Missing& missing, const Table& table,
                  const std::vector<double>& typical);

  // Undivided rows: each goes to the first child that has most of it.
  void keep_largest();

  size_t children() const { return children_; }  // of the gate
  // Row after row: weights()[i * children() + c].
  std::span<const double> weights() const { return weights_; }
  std::span<const uint32_t> missing() const { return missing_; }  // positions, ascending

 private:
  void try_surrogate(const Gate& surrogate, const Table& table);

  size_t children_ = 0;
  std::span<const RowIndex> rows_;
  std::vector<double> weights_, surrogate_weights_;
  std::vector<RowIndex> surrogate_rows_;
  std::vector<uint32_t> missing_;
};

}  // namespace softwood
