// Pruning that joins neighbouring leaves by what the tree itself knows of its training rows.
#pragma once

#include <string_view>

#include "base/control.h"
#include "tree/tree.h"

namespace softwood::prune {

// From the leaves upwards, makes a leaf of every node that has only leaves for children, all of
// which answer as the node itself does: with the same class, or with the same mean. In a tree
// without soft gates no class and no mean that is answered changes; probabilities do.
Tree simplified(Tree tree, const Control& control = {});

enum class Impurity { entropy, gini, misclassification };

// From the leaves upwards, joins the leaves of every node that has only leaves for children when
// the impurity, per row of the node, grows by less than `epsilon` (UPV chapter, "Purity criteria at
// terminal nodes": joining is the inverse of splitting, so the increase is that of equation 2). For
// numbers impurity is the variance as a share of the root's, whatever `impurity` says.
Tree merged_by_impurity(Tree tree, Impurity impurity, double epsilon, const Control& control = {});

}  // namespace softwood::prune
