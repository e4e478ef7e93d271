// What the multivariate splitters know of a node.
#pragma once

#include <span>
#include <vector>

#include "base/control.h"
#include "data/table.h"
#include "stages/grow/statistics.h"

namespace softwood::grow {

struct NodeSample {
  const Table& table;  // missing cells are imputed, but in columns that have no value at all
  const Target& target;
  const SplitSearch& search;
  std::span<const uint32_t> slots;  // of the node's rows, ascending
  std::span<const RowIndex> rows;   // their rows of the table
  std::span<const double> cell;     // their statistics
  const Control& control;
  double min_leaf = 1;
  // Sum of the criterion's impurity, which a split that explains everything would take away.
  double impurity = 0;

  size_t size() const { return slots.size(); }
  double weight(size_t i) const { return target.weight.empty() ? 1.0 : target.weight[slots[i]]; }
  size_t class_of(size_t i) const {
    return target.large_class.empty() ? target.small_class[slots[i]] : target.large_class[slots[i]];
  }
  double number(size_t i) const { return target.value(slots[i]); }
};

// The same for some of the node's rows; keeps what the parts point to.
struct NodePart {
  NodePart(const NodeSample& node, std::span<const uint32_t> positions);
  std::vector<uint32_t> slots;
  std::vector<RowIndex> rows;
  std::vector<double> cell;
  NodeSample data;
};

double impurity_of(const NodeSample& node);

}  // namespace softwood::grow
