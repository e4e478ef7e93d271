// The tree that is made of what was chosen on held-out rows.
#pragma once

#include "stages/soft/candidate_fits.h"

namespace softwood::soft {

struct Finished {
  Tree tree;
  const Fitted* made_as;  // of the pool
  bool distilled;         // from an ensemble
  bool all_rows;          // fitted to all of them; not so where it was stopped
};

// Fits `best` once more to all rows and makes the tree. With an ensemble of more than one tree so
// many are fitted, of those kinds in `pool` that answer best together, and the tree is distilled
// from them: one like `best`, or with `any_kind` the smallest of all kinds that answers about as
// well as any.
Finished finish(CandidateFits& fits, const Fitted& best, const std::vector<Fitted>& pool,
                size_t ensemble_size, bool any_kind);

}  // namespace softwood::soft
