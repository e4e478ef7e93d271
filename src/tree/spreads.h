// What is known about the terms of sums only when the training rows are at hand.
#pragma once

#include <span>

#include "tree/tree.h"

namespace softwood {

// Notes at every gate of several terms how much each term varies among the training rows that reach
// the node, estimated from at most 10 000 of the rows, evenly chosen. For reading, not for
// predicting.
void note_spreads(Tree& tree, const Table& table, std::span<const RowIndex> rows);

}  // namespace softwood
