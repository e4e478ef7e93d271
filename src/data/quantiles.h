// Bins by exact quantiles, without sorting a whole column.
#pragma once

#include <span>

#include "data/bins.h"

namespace softwood {

// Of a numeric or ordinal column. `weights` are those of all rows of the table, or empty.
FeatureBins bins_by_quantiles(const Column& column, const Cells<double>& weights,
                              std::span<const RowIndex> rows, size_t max_bins);

}  // namespace softwood
