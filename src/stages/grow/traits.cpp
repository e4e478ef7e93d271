// What recipes know of growing before it runs.
#include "stages/grow/grow.h"
#include "stages/grow/statistics.h"

namespace softwood::grow {

StageTraits traits(const Options& options) {
  StageTraits traits;
  const std::string& criterion = options.text("criterion");
  for (const Criterion& known : criteria()) {
    if (known.name == criterion) traits.only_task = known.task;
  }
  traits.asks_monotone = options.text("monotone") != "none";
  traits.counts_only =
      options.text("split") == "axis" && leaf_estimator(options.text("leaf")).has_value();
  return traits;
}

std::vector<ForeignWord> foreign_words() {
  const std::string entropy = "it is called criterion=entropy here";
  return {
      {"mincriterion", "", "write significance=0.05 for 0.95: it is 1 - mincriterion"},
      {"alpha", "", "it is called 'significance' here; 'alpha' of 'prune' is the price of a leaf"},
      {"cp", "", "it is 'alpha' of 'prune' here"},
      {"xval", "", "it is 'folds' of 'prune' here"},
      {"criterion", "information", entropy},
      {"criterion", "infogain", entropy},
      {"criterion", "info-gain", entropy},
  };
}

}  // namespace softwood::grow
