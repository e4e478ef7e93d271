// The choice of what a soft tree is made of, on held-out rows.
#pragma once

#include "fit/tolerance.h"
#include "stages/soft/candidate_fits.h"

namespace softwood::soft {

// What is left open is chosen.
struct Preferences {
  Settings settings;
  bool any_depth = false, any_leaves = false, any_terms = false, any_map = false, any_decay = false;
  bool any_l1 = false;
  std::optional<Imputation> imputation;  // none: what the held-out rows say
  size_t most_depth = 6;
  size_t starts = 1;
  fit::Tolerance tolerance;  // what a smaller tree may lose
};

// Enough for trees of all sizes to settle.
size_t usual_steps(size_t rows, size_t batch);

// Of the difference of the mean losses, the rows being the same.
double standard_error(std::span<const float> a, std::span<const float> b);

struct Chosen {
  std::vector<Fitted> pool;  // all that were fitted with all steps
  size_t best = 0;
};

// Terms, map and kind of leaves are tried first, with small trees and a small part of the steps;
// the better ones with more steps, the best of these with all depths; beside them single leaves and
// trees that start from greedy ones. The best are fitted with all steps, and variants of the best
// of all in weight decay and size, where a part of the steps shows that they are better. The
// smallest tree that is as good as is wished for is taken.
Chosen choose(CandidateFits& fits, const Preferences& preferences);

}  // namespace softwood::soft
