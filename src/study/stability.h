// How stable a tree is: what trees of bootstrap samples have in common with it (Breiman 1996;
// Philipp, Rusch, Hornik & Strobl 2018 look at the same figures).
#pragma once

#include <vector>

#include "softwood/lowered.h"
#include "study/train.h"

namespace softwood {

struct SplitStability {
  uint32_t node = 0;
  // Shares of the samples whose tree splits by the same inputs at the same place (the splits above
  // are by the same inputs, too), and anywhere.
  double same_place = 0, anywhere = 0;
  // Of thresholds: between which values nine tenths of the cuts at the same place are; NaN without.
  double cut_low = unknown_number, cut_high = unknown_number;
};

struct Stability {
  LoweredTree tree;  // of all rows
  size_t samples = 0;
  std::vector<SplitStability> splits;  // by node
  // Classification: the share of rows and samples for which both trees answer the same class.
  double agreement = unknown_number;
  // Regression: root mean squared difference of the answers, and that divided by the standard
  // deviation of the target.
  double difference = unknown_number, relative_difference = unknown_number;
  double leaves = 0, leaves_deviation = 0;  // of the samples' trees: mean and standard deviation
};

// Draws as many rows as there are, with replacement, for each sample. Does not depend on the order
// of the rows.
Stability bootstrap_stability(const Table& table, const TrainRequest& request, size_t samples,
                              const Parallel& parallel, const Control& control);

}  // namespace softwood
