// Answers for many rows, in parallel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "tree/tree.h"

namespace softwood {

struct Predictions {
  size_t rows = 0;
  size_t width = 0;                // classes, or 1 for regression
  std::vector<double> answers;     // rows * width: probabilities, or the mean
  std::vector<double> costs = {};  // of the model's wrong answers; empty: every error costs 1

  // The class that is answered: the first with the largest probability, or where errors have costs
  // the first whose expected cost is least.
  size_t top_class(size_t i) const;
};

Predictions predict(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                    const Parallel& parallel);
// The class that is answered for each row: as predict and top_class, but without
// keeping the probabilities. Classification only.
std::vector<uint32_t> predict_classes(const Tree& tree, const Table& table,
                                      std::span<const RowIndex> rows, const Parallel& parallel);
// The node where most of each row's weight ends (for hard trees: where it ends).
std::vector<NodeIndex> predict_nodes(const Tree& tree, const Table& table,
                                     std::span<const RowIndex> rows, const Parallel& parallel);

}  // namespace softwood
