// Models of leaves: fitted last, to the training rows that end in each leaf.
#pragma once

#include <span>

#include "base/control.h"
#include "base/parallel.h"
#include "tree/tree.h"

namespace softwood::fit {

// Gives every leaf the model that the tree's plan asks for, instead of any it had. A leaf keeps its
// constant when it has too few rows or its learner finds no model that is better.
// Weights count as rows. Rows without a known target are left out.
void fit_leaf_models(Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Parallel& parallel, const Control& control = {});

}  // namespace softwood::fit
