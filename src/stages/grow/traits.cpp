// What recipes know of growing before it runs.
#include <fmt/format.h>

#include "base/text.h"
#include "stages/grow/grow.h"
#include "stages/grow/statistics.h"
#include "tree/leaf.h"

namespace softwood::grow {

std::vector<TraitRule> traits() {
  const std::string plain = "split=axis leaf=" + join(leaf_estimator_names(), ",");
  std::vector<TraitRule> rules = {
      {"monotone!=none", {.asks_monotone = true}},
      {plain, {.counts_only = true}},
      {plain + " criterion=auto,mse monotone=none", {.sums_exactly = true}},
      {plain + " search=binned nominal!=multiway missing=auto,learned cut-at=halfway",
       {.whole_sums = true}},
  };
  for (const Criterion& criterion : criteria()) {
    rules.push_back({"criterion=" + criterion.name, {.only_task = criterion.task}});
  }
  return rules;
}

std::vector<ForeignWord> foreign_words() {
  const char* const alpha = "it is 'alpha' of 'prune' here";
  const char* const folds = "it is 'folds' of 'prune' here";
  const char* const split =
      "it is called 'split' here: split=axis takes the best split, split=random a random one";
  std::vector<ForeignWord> words = {
      {"mincriterion", "", "write significance=0.05 for 0.95: it is 1 - mincriterion"},
      {"alpha", "", "it is called 'significance' here; 'alpha' of 'prune' is the price of a leaf"},
      {"cp", "", alpha},
      {"ccp_alpha", "", alpha},
      {"xval", "", folds},
      {"cv", "", folds},
      {"confidence", "", "it is 'cf' of 'prune by=pessimistic' here"},
      {"cf", "", "it is 'cf' of 'prune by=pessimistic' here"},
      {"splitter", "", split},
      {"usesurrogate", "", "missing=surrogate uses surrogates"},
      {"min_weight_fraction_leaf", "", "write it as a weight: it is called 'min-leaf' here"},
      {"fuzzy_threshold", "", "the stage 'soften' has it: soften by=interval rule=c50"},
  };
  // Values of criterion.
  const std::pair<const char*, const char*> criteria_elsewhere[] = {
      {"information", "entropy"}, {"infogain", "entropy"},   {"info-gain", "entropy"},
      {"log_loss", "entropy"},    {"deviance", "entropy"},   {"gainratio", "gain-ratio"},
      {"squared_error", "mse"},   {"variance", "mse"},       {"anova", "mse"},
      {"friedman_mse", "mse"},    {"absolute_error", "mae"}, {"error", "misclassification"},
  };
  for (const auto& [there, here] : criteria_elsewhere) {
    words.push_back(
        {"criterion", there, Advice(fmt::format("it is called criterion={} here", here))});
  }
  return words;
}

}  // namespace softwood::grow
