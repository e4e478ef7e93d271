// The choice of what a soft tree is made of, on held-out rows.
#pragma once

#include "stages/soft/candidate_fits.h"

namespace softwood::soft {

// What is left open is chosen.
struct Preferences {
  Settings settings;
  bool any_depth = false, any_leaves = false, any_terms = false, any_map = false, any_decay = false;
  size_t most_depth = 6;
  size_t starts = 1;
  // What a smaller tree may lose of the held-out loss: so many standard errors of the difference,
  // or this share, whichever is more.
  double standard_errors = 0, allowance = 0;
};

// Enough for trees of all sizes to settle.
size_t usual_steps(size_t rows, size_t batch);

struct Chosen {
  std::vector<Fitted> pool;  // all that were fitted with all steps
  size_t best = 0;
};

// Terms, map and kind of leaves are tried first, with a small tree and a part of the steps; the
// best of them with all depths, again with a part; the best of these with all steps, besides linear
// models and trees that start from greedy ones; and weight decay for the best of all. The smallest
// tree that is as good as is wished for is taken.
Chosen choose(CandidateFits& fits, const Preferences& preferences);

}  // namespace softwood::soft
