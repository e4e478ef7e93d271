// cut-at=data-point: cuts at values that occur.
#pragma once

#include "base/control.h"
#include "base/parallel.h"
#include "tree/tree.h"

namespace softwood::grow {

// Puts every plain threshold at the largest value of its feature in the rows that is not above it
// (C4.5, Quinlan 1993). No row of the tree's nodes changes sides, other rows may.
void move_cuts_to_data(Tree& tree, const Table& table, std::span<const RowIndex> rows,
                       const Parallel& parallel, const Control& control);

}  // namespace softwood::grow
