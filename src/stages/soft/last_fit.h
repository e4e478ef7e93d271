// The tree that is made of what was chosen on held-out rows.
#pragma once

#include "stages/soft/distill.h"

namespace softwood::soft {

struct Finished {
  Tree tree;
  const Fitted* made_as;  // of the pool
  // Whether it gains by an ensemble; none: it was not tried.
  std::optional<Trial> trial;
  bool all_rows;  // fitted to all of them; not so where it was stopped
};

// With an ensemble of more than one tree, those kinds in `pool` that answer best together, a tree
// is distilled from it: one like `best`, or with `any_kind` the smallest of all kinds that learns
// about as well as any. Where held-out rows lose by that, and where there is no ensemble, `best` is
// fitted once more to all rows.
Finished finish(CandidateFits& fits, const Fitted& best, const std::vector<Fitted>& pool,
                size_t ensemble_size, bool any_kind);

}  // namespace softwood::soft
