// The training rows of a leaf, as the fits of its model see them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/leaf.h"

namespace softwood::fit {

struct LeafRows {
  const Table& table;
  std::span<const RowIndex> rows;
  std::span<const double> weights;  // of the rows in this leaf, all above 0
  std::span<const double> typical;  // of each feature
};

// The classes that occur in a leaf, by the numbers 0, 1, ….
struct LeafClasses {
  explicit LeafClasses(const LeafRows& leaf);

  std::vector<uint32_t> codes;   // of the table, ascending
  std::vector<double> weight;    // of each
  std::vector<uint32_t> of_row;  // number of each row's class

  size_t heaviest() const;  // the first of equals
  double total() const;
  // Sum of weight * (-log probability) when the class shares answer.
  double constant_loss() const;
};

// The same when the model answers; probabilities below 1e-15 count as that.
double model_loss(const LeafModel& model, const LeafRows& leaf, const LeafClasses& classes);

}  // namespace softwood::fit
