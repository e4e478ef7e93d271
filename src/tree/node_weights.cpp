#include "tree/node_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softwood {
namespace {

// -1: missing, or a level that the node has not seen.
int32_t child_of(const LevelsGate& gate, double level) {
  const bool known = level >= 0 && level < static_cast<double>(gate.child_of_level.size());
  return known ? gate.child_of_level[static_cast<size_t>(level)] : -1;
}

bool maps_levels(const Node& node) {
  const std::vector<Surrogate>& surrogates = node.missing().surrogates;
  return level_map(node.gate()) != nullptr &&
         std::all_of(surrogates.begin(), surrogates.end(), [](const Surrogate& surrogate) {
           return level_map(surrogate.gate) != nullptr;
         });
}

}  // namespace

void NodeWeights::compute_children(const Node& node, const Table& table,
                                   std::span<const RowIndex> rows) {
  if (!maps_levels(node)) return compute(node, table, rows);
  children_ = gate_children(node.gate());
  has_children_ = true;
  rows_ = rows;
  divided_ = {};
  child_of_row_.assign(rows.size(), -1);
  missing_.resize(rows.size());
  std::iota(missing_.begin(), missing_.end(), 0U);
  const auto try_gate = [&](const LevelsGate& gate) {
    const Cells<int32_t>& codes = table.input(gate.feature).codes;
    size_t left = 0;
    for (const uint32_t i : missing_) {
      child_of_row_[i] = child_of(gate, codes[rows[i]]);
      if (child_of_row_[i] < 0) missing_[left++] = i;
    }
    missing_.resize(left);
  };
  try_gate(*level_map(node.gate()));
  for (const Surrogate& surrogate : node.missing().surrogates) {
    if (missing_.empty()) return;
    try_gate(*level_map(surrogate.gate));
  }
}

void NodeWeights::compute(const Node& node, const Table& table, std::span<const RowIndex> rows) {
  children_ = gate_children(node.gate());
  has_children_ = false;
  rows_ = rows;
  weights_.resize(rows.size() * children_);
  gate_weights(node.gate(), table, rows, weights_);
  missing_.clear();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (std::isnan(weights_[i * children_])) missing_.push_back(i);
  }
  for (const Surrogate& surrogate : node.missing().surrogates) {
    if (missing_.empty()) return;
    try_surrogate(surrogate.gate, table);
  }
}

void NodeWeights::try_surrogate(const Gate& surrogate, const Table& table) {
  surrogate_rows_.clear();
  for (const uint32_t i : missing_) surrogate_rows_.push_back(rows_[i]);
  surrogate_weights_.resize(missing_.size() * children_);
  gate_weights(surrogate, table, surrogate_rows_, surrogate_weights_);
  size_t left = 0;
  for (size_t m = 0; m < missing_.size(); ++m) {
    const double* const row = &surrogate_weights_[m * children_];
    if (std::isnan(row[0])) {
      missing_[left++] = missing_[m];
    } else {
      std::copy_n(row, children_, &weights_[missing_[m] * children_]);
    }
  }
  missing_.resize(left);
}

void NodeWeights::apply_rule(const Node& node, const Missing& missing, const Table& table,
                             const std::vector<double>& typical) {
  if (has_children_) return apply_rule_to_children(node, missing, table, typical);
  for (const uint32_t i : missing_) {
    double* const row = &weights_[i * children_];
    switch (missing.rule) {
      case MissingRule::impute:
        typical_weights(node.gate(), table, rows_[i], typical, {row, children_});
        if (!std::isnan(row[0])) break;
        [[fallthrough]];
      case MissingRule::child:
        std::fill_n(row, children_, 0.0);
        row[missing.child] = 1.0;
        break;
      case MissingRule::shares:
        std::copy_n(missing.shares.begin(), children_, row);
        break;
      case MissingRule::stay:
      case MissingRule::own:
        break;
    }
  }
}

void NodeWeights::apply_rule_to_children(const Node& node, const Missing& missing,
                                         const Table& table, const std::vector<double>& typical) {
  switch (missing.rule) {
    case MissingRule::impute: {
      const LevelsGate& gate = *level_map(node.gate());
      const Cells<int32_t>& codes = table.input(gate.feature).codes;
      const int32_t usual = child_of(gate, typical[gate.feature]);
      for (const uint32_t i : missing_) {
        // A level that was not seen has no other to stand for.
        const bool imputed = codes[rows_[i]] < 0 && usual >= 0;
        child_of_row_[i] = imputed ? usual : static_cast<int32_t>(missing.child);
      }
      return;
    }
    case MissingRule::child:
      for (const uint32_t i : missing_) child_of_row_[i] = static_cast<int32_t>(missing.child);
      return;
    case MissingRule::shares:
      divided_ = missing.shares;
      return;
    case MissingRule::stay:
    case MissingRule::own:
      return;
  }
}

void NodeWeights::keep_largest() {
  if (has_children_) {
    if (divided_.empty()) return;
    const auto largest = std::max_element(divided_.begin(), divided_.end()) - divided_.begin();
    for (const uint32_t i : missing_) child_of_row_[i] = static_cast<int32_t>(largest);
    divided_ = {};
    return;
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    double* const row = &weights_[i * children_];
    if (std::isnan(row[0])) continue;
    const auto largest = std::max_element(row, row + children_) - row;
    std::fill_n(row, children_, 0.0);
    row[largest] = 1.0;
  }
}

}  // namespace softwood
