// Figures of the columns of a file: what a person wants to know before training.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "data/frame.h"

namespace softwood {

struct ColumnFigures {
  std::string name;
  Kind kind = Kind::numeric;
  size_t missing = 0;
  size_t distinct = 0;  // different values, without missing ones
  // Numeric columns; NaN where there are no values (sd: fewer than two).
  double min = missing_number, mean = missing_number, median = missing_number, max = missing_number,
         sd = missing_number;
  // How often each level occurs, the most frequent first, those as frequent by level_order. For
  // numeric columns with few different values these are the values.
  std::vector<std::pair<std::string, size_t>> levels;
};

// One entry per column, in the order of the file.
std::vector<ColumnFigures> describe(const Frame& frame, const Parallel& parallel);

}  // namespace softwood
