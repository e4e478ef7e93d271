#include <algorithm>
#include <numeric>

#include "fit/leaf_learners.h"

namespace softwood::fit {

double weighted_median(std::span<const double> values, std::span<const double> weights) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  double total = 0;
  for (const double weight : weights) total += weight;
  double below = 0;
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    below += weights[order[i]];
    if (2 * below > total) return values[order[i]];
    // Halves of their own: the sum of the two values might overflow.
    if (2 * below == total) return values[order[i]] / 2 + values[order[i + 1]] / 2;
  }
  return values[order.back()];
}

std::optional<LeafModel> median_leaf(const LeafRows& leaf, const LeafPlan& /*plan*/) {
  std::vector<double> values;
  values.reserve(leaf.rows.size());
  for (const RowIndex row : leaf.rows) values.push_back(leaf.table.target().numbers[row]);
  const double median = weighted_median(values, leaf.weights);
  LeafModel model;
  model.coefficients = {median};
  model.low = model.high = median;
  return model;
}

}  // namespace softwood::fit
