#include "stages/evolve/fitness.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/math.h"
#include "tree/costs.h"

namespace softwood::evolve {
namespace {

// Deviations below this share of the root's are rounding.
constexpr double rounding_share = 1e-12;
// Trees beyond a limit lose to all others, and less so the nearer they are to it: by this and by
// all that a tree can be better than a leaf.
constexpr double over_limit = 1e6;

}  // namespace

void Fitness::judge(const double* sums, Gene& leaf) const {
  if (classes > 0) {
    const std::span<const double> weights(sums, classes);
    const size_t answer = cheapest_answer(weights, costs);
    leaf.answer = static_cast<uint32_t>(answer);
    leaf.loss = cost_of_answer(weights, costs, answer);
    leaf.mixed = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; }) > 1;
    return;
  }
  if (!(sums[0] > 0)) {  // no rows
    leaf.mixed = false;
    leaf.loss = leaf.mean = 0;
    return;
  }
  const double deviation = sums[2] - sums[1] * sums[1] / sums[0];
  leaf.mixed = deviation > rounding_share * root_loss;
  leaf.loss = leaf.mixed ? deviation : 0;
  leaf.mean = sums[1] / sums[0];
}

double Fitness::value(double loss, double size, double leaves, double extra) const {
  const double beyond =
      leaves > static_cast<double>(max_leaves) ? leaves - static_cast<double>(max_leaves) : 0;
  const double scale = classes > 0 ? weight : root_loss;
  double quality = 1 - loss / scale, price = alpha;
  if (complexity == Complexity::bic) {
    price = alpha * math::log(weight) / (2 * weight);
    if (classes == 0) {
      quality = -math::log(loss / root_loss + 1 / weight);
      price = alpha * 4 * math::log(weight) / weight;
    }
  }
  return quality - price * paid(size, leaves, extra) - (over_limit + root_loss / scale) * beyond;
}

double Fitness::price(double loss) const {
  if (complexity != Complexity::bic) return alpha * (classes > 0 ? weight : root_loss);
  if (classes > 0) return alpha * math::log(weight) / 2;
  // The slope of the logarithm. Since it falls, a change that pays at this price pays.
  return alpha * 4 * math::log(weight) / weight * (loss + root_loss / weight);
}

size_t Fitness::most_outcomes(size_t up_to) const {
  const auto pays = [&](size_t outcomes) {
    const auto leaves = static_cast<double>(outcomes);
    return value(0, leaves + 1, leaves) > value(root_loss, 1, 1);
  };
  size_t most = 2, beyond = std::max<size_t>(2, up_to) + 1;
  while (beyond - most > 1) {
    const size_t middle = most + (beyond - most) / 2;
    (pays(middle) ? most : beyond) = middle;
  }
  return most;
}

double Fitness::paid(std::span<const Gene> subtree) const {
  double size = 0, leaves = 0, extra = 0;
  for (const Gene& gene : subtree) {
    const double cost = gene.is_leaf() ? 1 : feature_costs[gene.feature];
    size += cost;
    leaves += gene.is_leaf() ? 1 : 0;
    extra += cost - 1;
  }
  return paid(size, leaves, extra);
}

void Fitness::finish(Individual& tree) const {
  tree.loss = 0;
  tree.size = 0;
  tree.leaves = 0;
  double extra = 0;
  for (const Gene& gene : tree.genes) {
    if (gene.is_leaf()) {
      tree.loss += gene.loss;
      tree.size += 1;
      ++tree.leaves;
    } else {
      tree.size += feature_costs[gene.feature];
      extra += feature_costs[gene.feature] - 1;
    }
  }
  tree.settled = false;
  tree.fitness = value(tree.loss, tree.size, tree.leaves, extra);
}

}  // namespace softwood::evolve
