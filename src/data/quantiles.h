// Bins by exact quantiles, without sorting a whole column.
#pragma once

#include <span>

#include "data/bins.h"

namespace softwood {

// The unit in which weights of this sum are whole numbers whose sums are exact in a double.
double quantile_unit(double total, bool whole);
// The weights of all rows of the table in the unit that `rows` need, so that no order of adding
// them up matters; empty where every row weighs 1.
Cells<double> quantile_weights(const Table& table, std::span<const RowIndex> rows);

// The smallest value up to which there is half of the weight; there is a value.
double weighted_median(const Column& column, const Cells<double>& weights,
                       std::span<const RowIndex> rows);

// Of a numeric or ordinal column. `weights` are those of all rows of the table, or empty.
FeatureBins bins_by_quantiles(const Column& column, const Cells<double>& weights,
                              std::span<const RowIndex> rows, size_t max_bins);

}  // namespace softwood
