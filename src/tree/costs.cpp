#include "tree/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softwood {

double costliest_error(std::span<const double> costs) {
  return costs.empty() ? 1 : *std::max_element(costs.begin(), costs.end());
}

double cost_of_answer(std::span<const double> weights, std::span<const double> costs,
                      size_t answer) {
  double cost = 0;
  for (size_t truth = 0; truth < weights.size(); ++truth) {
    cost += weights[truth] * cost_of(costs, weights.size(), truth, answer);
  }
  return cost;
}

size_t cheapest_answer(std::span<const double> weights, std::span<const double> costs) {
  if (costs.empty()) {
    return static_cast<size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  }
  size_t best = 0;
  double least = cost_of_answer(weights, costs, 0);
  for (size_t answer = 1; answer < weights.size(); ++answer) {
    const double cost = cost_of_answer(weights, costs, answer);
    if (cost < least * (1 - cost_rounding)) {
      best = answer;
      least = cost;
    }
  }
  return best;
}

std::string fault_of_costs(std::span<const double> costs, const std::vector<std::string>& names) {
  const size_t classes = names.size();
  if (costs.size() != classes * classes) {
    return fmt::format("there are {} costs instead of {} times {}", costs.size(), classes, classes);
  }
  for (size_t truth = 0; truth < classes; ++truth) {
    const auto row = costs.subspan(truth * classes, classes);
    for (const double cost : row) {
      if (!std::isfinite(cost) || cost < 0) return "a cost is negative or not finite";
    }
    if (row[truth] != 0)
      return fmt::format("class '{}' costs something when it is right", names[truth]);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum > 0)) return fmt::format("no error costs anything for class '{}'", names[truth]);
    if (!std::isfinite(sum)) return "the costs are too large";
  }
  return {};
}

std::vector<double> altered_weights(std::span<const double> costs, size_t classes) {
  std::vector<double> weights;
  if (costs.empty()) return weights;
  for (size_t truth = 0; truth < classes; ++truth) {
    const auto row = costs.subspan(truth * classes, classes);
    weights.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  }
  return weights;
}

}  // namespace softwood
