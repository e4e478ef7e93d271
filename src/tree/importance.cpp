#include "tree/importance.h"

#include <algorithm>
#include <numeric>

namespace softwood {

namespace {

// The place of a node's rows in the space of answers: class shares, or the mean; times the weight.
void add_moment(const Tree& tree, NodeIndex i, double sign, std::vector<double>& moment) {
  const auto sums = tree.sums(i);
  if (tree.task() == Task::regression) {
    moment[0] += sign * sums[0] * sums[1];
    return;
  }
  for (size_t k = 0; k < moment.size(); ++k) moment[k] += sign * sums[k];
}

// Weight times squared distance from the node's answer.
double distance(double weight, const std::vector<double>& moment, double all_weight,
                const std::vector<double>& all) {
  double sum = 0;
  for (size_t k = 0; k < moment.size(); ++k) {
    const double difference = moment[k] / weight - all[k] / all_weight;
    sum += difference * difference;
  }
  return weight * sum;
}

}  // namespace

double decrease_at(const Tree& tree, NodeIndex i) {
  const double weight = tree.weight(i);
  if (tree.node(i).is_leaf() || weight <= 0) return 0;
  std::vector<double> all(tree.answer_width(), 0.0);
  add_moment(tree, i, 1, all);
  std::vector<double> rest = all;
  double rest_weight = weight;
  double decrease = 0;
  const NodeIndex first = tree.node(i).first_child;
  for (NodeIndex child = first; child < first + tree.children(i); ++child) {
    const double child_weight = tree.weight(child);
    if (child_weight <= 0) continue;
    std::vector<double> own(all.size(), 0.0);
    add_moment(tree, child, 1, own);
    add_moment(tree, child, -1, rest);
    rest_weight -= child_weight;
    decrease += distance(child_weight, own, weight, all);
  }
  // Less than this is rounding.
  constexpr double least_rest = 1e-9;
  if (rest_weight > least_rest * weight) decrease += distance(rest_weight, rest, weight, all);
  return decrease;
}

std::vector<double> importance_of(const Model& model) {
  const Tree& tree = model.tree;
  std::vector<double> importance(model.schema.features.size(), 0.0);
  const auto add = [&](const Gate& gate, double gained) {
    for (const FeatureShare& part : gate_shares(gate)) {
      importance[part.feature] += part.share * gained;
    }
  };
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    const double gained = decrease_at(tree, i);
    add(tree.node(i).gate(), gained);
    for (const Surrogate& surrogate : tree.node(i).missing().surrogates) {
      add(surrogate.gate, std::max(0.0, surrogate.adjusted) * gained);
    }
  }
  const double all = std::accumulate(importance.begin(), importance.end(), 0.0);
  for (double& value : importance) value = all > 0 ? value / all : 0;
  return importance;
}

}  // namespace softwood
