// What recipes know of pruning before it runs.
#include "stages/prune/prune.h"

namespace softwood::prune {

std::vector<TraitRule> traits() {
  const Refusal on_soft = {
      "judges leaves by the rows that reach them, but those of '{}' are trained by gradients "
      "together with its gates",
      "leave 'prune' out; grow-soft makes smaller trees with shape=full and depth= or "
      "prefer=size"};
  return {
      {"", {.on_soft = on_soft, .counts_only = true}},
      // Leaves count other rows than those that growing saw;
      {"by=reduced-error",
       {.label = "prune by=reduced-error",
        .breaks_monotone = true,
        .unseen_rows = UnseenRows::needed,
        .divides_rows = true}},
      // so do those of branches that are raised.
      {"by=pessimistic raise=yes", {.label = "prune by=pessimistic", .breaks_monotone = true}},
      {"by=cost-complexity", {.whole_sums = true}},
      {"by=cost-complexity alpha=auto", {.unseen_rows = UnseenRows::useful, .divides_rows = true}},
      {"by=cost-complexity alpha!=auto", {.leaves_columns = true}},
  };
}

std::vector<ForeignWord> foreign_words() {
  return {
      {"xval", "", "it is called 'folds' here"},
      {"by", "rep", "it is called by=reduced-error here"},
      {"by", "ccp", "it is called by=cost-complexity here"},
      {"by", "error-based", "it is called by=pessimistic here"},
      {"by", "ebp", "it is called by=pessimistic here"},
      {"by", "none", {AdviceCode::leave_stage_out, "leave 'prune' out of the recipe", {"prune"}}},
  };
}

}  // namespace softwood::prune
