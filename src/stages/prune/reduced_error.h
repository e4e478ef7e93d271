// Reduced-error pruning: Quinlan 1987 (Simplifying decision trees); Vanschoren et al.,
// section 4.7.1.
#pragma once

#include "stages/stage.h"

namespace softwood::prune {

// From the leaves upwards, replaces by a leaf every branch that makes no fewer errors (sum
// of squared errors) on the held-out rows. For trees in which a row ends in one node this gives the
// smallest of the subtrees with the fewest errors (Esposito, Malerba & Semeraro 1997).
// Where rows are divided among branches, what counts is the errors of the whole tree as pruned so
// far: every step leaves them no larger.
Tree pruned_by_reduced_error(Tree tree, const Sample& held_out, const Control& control = {});

}  // namespace softwood::prune
