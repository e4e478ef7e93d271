// Sums of a tree from rows, after its gates have moved.
#pragma once

#include <span>

#include "tree/tree.h"

namespace softwood {

// Sets the sums of all nodes to those of the rows that reach them. A divided row counts with its
// shares. The tree is in order.
void recount(Tree& tree, const Table& table, std::span<const RowIndex> rows);

}  // namespace softwood
