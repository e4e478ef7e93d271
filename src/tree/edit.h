// Changes of shape that several stages make.
#pragma once

#include "tree/tree.h"

namespace softwood {

// Puts `fragment` in the place of leaf `leaf`: gates, sums and notes are moved out of the fragment.
void graft(Tree& tree, NodeIndex leaf, Tree& fragment);

}  // namespace softwood
