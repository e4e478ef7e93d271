// Some rows of a table.
#pragma once

#include <span>

#include "data/table.h"

namespace softwood {

struct Sample {
  const Table* table;
  std::span<const RowIndex> rows;
};

}  // namespace softwood
