// Cells that count as missing because the training data named them so.
#pragma once

#include <cstdint>
#include <vector>

#include "softwood/lowered.h"

namespace softwood::render {

// Cells of an input that hold something and count as missing: numbers that are missing marks, or
// the indices of levels that are; ascending. Texts that are marks and no levels need no mention:
// every text that is no level counts as missing.
std::vector<double> marked_cells(const LoweredTree& tree, const LoweredInput& input);

// Those of all inputs: of input i from first[i] to first[i + 1]. Empty where there are none.
struct MarkTables {
  std::vector<int32_t> first;
  std::vector<double> cells;
  bool empty() const { return cells.empty(); }
};
MarkTables mark_tables(const LoweredTree& tree);

}  // namespace softwood::render
