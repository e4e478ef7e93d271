// How well a tree's answers fit its training rows, in the one measure by which stages compare the
// trees that they make.
#pragma once

#include <span>

#include "base/parallel.h"
#include "tree/tree.h"

namespace softwood::fit {

// alpha of equation 1 of Dvorak & Savicky, "Softening splits in decision trees using simulated
// annealing".
constexpr double exponential_loss_rate = 4;

// Classes: the sum over the rows of w exp(-alpha p), p the probability of the row's class. Numeric
// targets: the sum of w times the squared error.
double training_loss(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Parallel& parallel);

}  // namespace softwood::fit
