// Typical values of columns, to stand for missing ones.
#pragma once

#include <span>
#include <vector>

#include "base/control.h"
#include "data/table.h"

namespace softwood {

// Of each input, over the given rows and their weights: the median of a numeric one, the middle
// level of an ordinal one (the lower of two), the most frequent level of a nominal one (the first
// of equals), as a code. NaN when no row has a value.
std::vector<double> typical_values(const Table& table, std::span<const RowIndex> rows,
                                   const Control& control = {});

// Values to stand for missing cells that say what the cells being missing says: of a numeric input
// the median of that tenth of its rows, of a nominal one the level, whose targets (their mean, or
// the shares of the classes) are most like those of the rows without a value; groups of
// weight below 10 are ignored. The typical value where no row lacks one, or no group has that
// weight.
std::vector<double> informative_values(const Table& table, std::span<const RowIndex> rows,
                                       const Control& control = {});

// The table with the typical values instead of missing cells.
Table imputed(const Table& table, std::span<const double> typical);

}  // namespace softwood
