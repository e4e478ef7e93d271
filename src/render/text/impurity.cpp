#include "render/text/impurity.h"

#include <cmath>

namespace softwood::render {
namespace {

double entropy_of(const std::vector<double>& weights) {
  double total = 0, sum = 0;
  for (const double weight : weights) total += weight;
  for (const double weight : weights) {
    if (weight > 0) sum -= weight / total * std::log2(weight / total);
  }
  return sum;
}

// Weight of the rows of each child that had a value, then of those that had none.
std::vector<double> parts_of(const LoweredTree& tree, const LoweredSplit& split) {
  const LoweredMissing& missing = split.missing;
  std::vector<double> parts;
  for (uint32_t c = 0; c < split.children; ++c) {
    double without_value = 0;
    if (missing.action == MissingAction::shares) without_value = missing.shares[c];
    if (missing.action == MissingAction::child && c == missing.child) without_value = 1;
    parts.push_back(tree.nodes[split.first_child + c].weight - without_value * missing.weight);
  }
  parts.push_back(missing.weight);
  return parts;
}

}  // namespace

std::vector<Impurity> impurities_of(const LoweredTree& tree, const LoweredNode& node) {
  const bool any = node.weight > 0;
  if (!tree.is_classifier()) {
    return {{"mse", "variance", "", any ? node.deviation / node.weight : unknown_number}};
  }
  double squares = 0;
  for (const double weight : node.class_weights) squares += weight * weight;
  return {
      {"gini", "Gini index", "", any ? 1 - squares / (node.weight * node.weight) : unknown_number},
      {"entropy", "entropy", "bits", any ? entropy_of(node.class_weights) : unknown_number}};
}

GainRatio gain_ratio_of(const LoweredTree& tree, const LoweredNode& node) {
  const LoweredSplit& split = *node.split;
  GainRatio result{unknown_number, entropy_of(parts_of(tree, split)), unknown_number};
  result.ratio = split.gain / result.split_information;
  if (split.missing.weight > 0) return result;
  double after = 0;
  for (uint32_t c = 0; c < split.children; ++c) {
    const LoweredNode& child = tree.nodes[split.first_child + c];
    if (child.weight > 0) after += child.weight / node.weight * entropy_of(child.class_weights);
  }
  result.plain_gain = entropy_of(node.class_weights) - after;
  return result;
}

}  // namespace softwood::render
