// Pessimistic pruning: Quinlan 1993, "C4.5: Programs for Machine Learning", in the
// details of release 8 as Weka's J48 has them.
#pragma once

#include <span>

#include "base/control.h"
#include "tree/tree.h"

namespace softwood::prune {

// How many errors more than the `errors` seen in a leaf of this weight are to be feared: the upper
// limit of the error rate at the confidence, times the weight, less the errors.
//   errors = 0:  1 - confidence^(1 / weight), the exact limit of the binomial distribution
//   errors >= 1: normal approximation with continuity correction (Wilson's limit)
// Linear between 0 and 1 error, and towards the weight at the other end.
double extra_errors(double weight, double errors, double confidence);

// Cuts every branch that makes no fewer errors on its training rows than a leaf in its place, from
// the root downwards.
void collapse(Tree& tree);

struct Pessimistic {
  double confidence = 0.25;
  bool raise = true;
};

// Collapses the tree, then goes through it from the leaves upwards and replaces each
// inner node by a leaf or, with `raise`, its heaviest branch, when that is expected to make hardly
// more errors. The rows that a raised branch did not have before are sent down it. With `raise` the
// sums of the tree become those of the rows; without it no rows are needed.
Tree pruned_pessimistically(Tree tree, const Table& table, std::span<const RowIndex> rows,
                            const Pessimistic& how, const Control& control = {});

}  // namespace softwood::prune
