// What would change an answer: the nearest other row that gets the answer that is wanted.
#pragma once

#include <optional>

#include "explain/shapley.h"

namespace softwood {

// For each of `rows` of `table`. Spreads (standard deviations) and ranges of inputs are those of
// `reference`, mostly the same table. Inputs that have only whole numbers there and no cut between
// others than halves change by whole numbers. Levels that no training row had at a split are not
// proposed, nor is a missing value. A value for a missing one counts as a distance of 1.
//
// Exact for trees of thresholds and gates over levels with constant leaves: the boxes of all leaves
// are compared. A search for all others, and for rows that are divided or sent by surrogates
// because of missing values.
std::vector<Change> nearest_changes(const ExplainedTree& tree, const Table& table,
                                    std::span<const RowIndex> rows, const Table& reference,
                                    const ChangeGoal& goal, const Parallel& parallel,
                                    const Control& control = {});

}  // namespace softwood
