// What a tree asks of the language that it is exported to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "softwood/lowered.h"

namespace softwood::render {

enum class Feature : uint8_t {
  classification,
  regression,
  thresholds,       // x <= cut
  level_sets,       // levels to one of two children
  multiway_levels,  // levels to more than two
  sums,             // several terms, or a coefficient
  squares,          // squares and products of inputs
  asinh_terms,
  level_terms,  // 1 where the row has the level
  ramps,
  logistic_gates,
  missing_child,      // a missing value goes to one child
  missing_shares,     // is divided among the children
  missing_stays,      // the node answers
  missing_own_child,  // has a child of its own
  missing_imputed,    // typical values
  surrogates,
  linear_leaves,    // formulas of numbers
  softmax_leaves,   // formulas of probabilities: logistic, naive Bayes
  mixed_scores,     // leaves mix log odds
  limited_answers,  // sums of answers are held in a range
  costs
};

struct FeatureRow {
  Feature feature;
  std::string name;  // as users read it: "ramps", "surrogates"
  std::string cure;  // what helps where a format refuses it; empty: nothing
};
std::span<const FeatureRow> features();
const FeatureRow& feature_row(Feature feature);

// In the order of the table, each once.
std::vector<Feature> features_of(const LoweredTree& tree);

}  // namespace softwood::render
