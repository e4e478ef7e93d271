#include "tree/node_weights.h"

#include <algorithm>
#include <cmath>

namespace softwood {

void NodeWeights::compute(const Node& node, const Table& table, std::span<const RowIndex> rows) {
  children_ = gate_children(node.gate());
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

void NodeWeights::keep_largest() {
  for (size_t i = 0; i < rows_.size(); ++i) {
    double* const row = &weights_[i * children_];
    if (std::isnan(row[0])) continue;
    const auto largest = std::max_element(row, row + children_) - row;
    std::fill_n(row, children_, 0.0);
    row[largest] = 1.0;
  }
}

}  // namespace softwood
