// Some rows of a table.
#pragma once

#include <span>

#include "data/table.h"

namespace softwood {

struct Sample {
  const Table* table;
  std::span<const RowIndex> rows;
};

// Whether they stand one after the other in the table.
inline bool are_contiguous(std::span<const RowIndex> rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return true;
}

}  // namespace softwood
