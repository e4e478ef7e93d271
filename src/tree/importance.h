// How much each feature does in a tree, whatever the kinds of its gates.
#pragma once

#include <vector>

#include "tree/model.h"

namespace softwood {

// What the gate of node i gains on the training rows, from the sums alone, so that it means the
// same for every method: the weighted sum of squared distances between the children's answers and
// the node's,
//   sum over children c of w_c |a_c - a_i|^2
// which is the decrease of the sum of squared deviations, and for classes w_i times the decrease of
// the Gini index (Breiman et al. 1984, sections 4.3 and 8.3). Rows that stay at the node count as a
// child.
double decrease_at(const Tree& tree, NodeIndex i);

// The share of each feature in the decreases of all gates: a gate's among its features by
// gate_shares, and besides for every surrogate its adjusted agreement times the decrease (as rpart;
// the measure M(x) of Breiman et al. 1984, with the surrogates that the tree keeps).
// Sum 1; all 0 when nothing is gained.
std::vector<double> importance_of(const Model& model);

}  // namespace softwood
