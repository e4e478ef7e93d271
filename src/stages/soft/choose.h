// The choice of what a soft tree is made of, on held-out rows.
#pragma once

#include "stages/soft/workshop.h"

namespace softwood::soft {

// What is left open is chosen.
struct Wishes {
  Settings settings;
  bool any_depth = false, any_leaves = false, any_terms = false, any_map = false, any_decay = false;
  size_t most_depth = 6;
  size_t starts = 1;
  double allowance = 0;  // share of the held-out loss that a smaller tree may lose
};

// Enough for trees of all sizes to settle.
size_t usual_steps(size_t rows, size_t batch);

// One thing after the other is chosen, each with the best of the others so far: terms, map and kind
// of leaves, with a small tree; weight decay; depth; then the first and the decay once more.
Fitted choose(Workshop& workshop, const Wishes& wishes);

}  // namespace softwood::soft
