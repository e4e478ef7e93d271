// Absolute error: the split that leaves the smallest sum of absolute deviations from the medians of
// the two sides (Breiman et al. 1984). Leaves answer the median (fit/leaf_median.cpp).
#pragma once

#include <memory>

#include "stats/split_search.h"

namespace softwood::stats {

// A node of n rows costs O(n log n) for each feature; targets are ranked once for the fit. Sums do
// not tell medians, so this search needs the rows: bins can't serve it, and levels are divided by
// best_levels_of_rows alone. The order of their medians, unlike that of means for the squared
// error, need not hold the best subset: up to exhaustive_levels all divisions are tried, above it
// the cuts of that order.
std::unique_ptr<SplitSearch> make_mae(const Target& target);

}  // namespace softwood::stats
