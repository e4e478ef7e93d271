// What recipes know of pruning before it runs.
#include "stages/prune/prune.h"

namespace softwood::prune {

StageTraits traits(const Options& options) {
  StageTraits traits;
  traits.on_soft = {
      "judges leaves by the rows that reach them, but those of '{}' are trained by gradients "
      "together with its gates",
      "leave 'prune' out; grow-soft makes smaller trees with shape=full and depth= or "
      "prefer=size"};
  traits.counts_only = true;
  const std::string& by = options.text("by");
  if (by == "reduced-error") {
    traits.label = "prune by=reduced-error";
    traits.unseen_rows = UnseenRows::needed;
    traits.parts = parts_of_shares;
    traits.breaks_monotone = true;  // leaves count other rows than those that growing saw
  } else if (by == "pessimistic" && options.text("raise") == "yes") {
    traits.label = "prune by=pessimistic";
    traits.breaks_monotone = true;  // so do those of branches that are raised
  } else if (by == "cost-complexity" && !options.has_number("alpha")) {
    traits.unseen_rows = UnseenRows::useful;
    traits.parts = options.count("folds");
  }
  return traits;
}

std::vector<ForeignWord> foreign_words() {
  return {
      {"xval", "", "it is called 'folds' here"},
      {"by", "rep", "it is called by=reduced-error here"},
      {"by", "ccp", "it is called by=cost-complexity here"},
      {"by", "error-based", "it is called by=pessimistic here"},
      {"by", "ebp", "it is called by=pessimistic here"},
      {.option = "by", .value = "none", .leave_stage_out = true},
  };
}

}  // namespace softwood::prune
