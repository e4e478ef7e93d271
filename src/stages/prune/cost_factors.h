// Classes that count by their costs where a pruning looks at errors or impurities.
#pragma once

#include <numeric>

#include "tree/costs.h"
#include "tree/tree.h"

namespace softwood::prune {

// The altered weights of the classes (see altered_weights) as factors that leave the weight of the
// root as it is; empty without costs.
inline std::vector<double> cost_factors(const Tree& tree) {
  const auto sums = tree.sums(0);
  std::vector<double> factors = altered_weights(tree.costs(), sums.size());
  const double before = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double after = std::inner_product(factors.begin(), factors.end(), sums.begin(), 0.0);
  if (after > 0) {
    for (double& factor : factors) factor *= before / after;
  }
  return factors;
}

}  // namespace softwood::prune
