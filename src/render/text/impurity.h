// How mixed the training rows of a node are, from its sums alone.
#pragma once

#include <string>
#include <vector>

#include "softwood/lowered.h"

namespace softwood::render {

struct Impurity {
  std::string key, name, unit;  // "entropy", "entropy", "bits"
  double value;
};
// Classification: the Gini index 1 - sum of p_k^2, and the entropy - sum of p_k log2 p_k in bits.
// Regression: the variance about the mean (divided by the weight). NaN without rows.
std::vector<Impurity> impurities_of(const LoweredTree& tree, const LoweredNode& node);

// Quinlan 1993, 1996. `plain_gain` is the information gain before the bits are taken off that say
// which of the possible cuts was taken; NaN where rows without a value reached the node, whose
// classes the sums do not tell apart.
struct GainRatio {
  double plain_gain, split_information, ratio;
};
GainRatio gain_ratio_of(const LoweredTree& tree, const LoweredNode& node);

}  // namespace softwood::render
