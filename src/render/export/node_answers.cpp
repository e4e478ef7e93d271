#include "render/export/node_answers.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "tree/costs.h"

namespace softwood::render {

std::vector<double> constants_of(const LoweredTree& tree, const LoweredNode& node) {
  std::vector<double> answer = node.answer;
  if (tree.mixing.kind != MixingKind::scores) return answer;
  for (double& value : answer) value = value > 0 ? math::log(value) : log_of_zero;
  return answer;
}

std::optional<std::vector<double>> constant_answer(const LoweredTree& tree,
                                                   const LoweredNode& node) {
  if (!node.formula) return constants_of(tree, node);
  const LoweredFormula& formula = *node.formula;
  if (!formula.terms.empty()) return std::nullopt;
  std::vector<double> outputs;
  for (const LoweredOutput& output : formula.outputs) {
    if (!std::isfinite(output.constant)) return constants_of(tree, node);
    outputs.push_back(output.constant);
  }
  if (!tree.is_classifier()) return {{std::clamp(outputs[0], formula.low, formula.high)}};
  const bool scores = tree.mixing.kind == MixingKind::scores;
  if (!scores) math::softmax(outputs);
  std::vector<double> answer(tree.target.classes.size(), scores ? log_of_zero : 0);
  for (size_t o = 0; o < outputs.size(); ++o) answer[formula.outputs[o].class_index] = outputs[o];
  return answer;
}

std::vector<double> final_answer(const LoweredTree& tree, std::vector<double> mixed) {
  if (!tree.is_classifier()) {
    mixed[0] = std::clamp(mixed[0], tree.mixing.low, tree.mixing.high);
  } else if (tree.mixing.kind == MixingKind::scores) {
    math::softmax(mixed);
  }
  return mixed;
}

std::vector<double> hard_answer(const LoweredTree& tree, const LoweredNode& node) {
  return final_answer(tree, constant_answer(tree, node).value());
}

size_t decided_class(const LoweredTree& tree, const ExportOptions& options,
                     std::span<const double> probabilities) {
  if (std::isnan(options.threshold)) return cheapest_answer(probabilities, tree.decision.costs);
  const size_t chosen = options.threshold_class;
  return probabilities[chosen] >= options.threshold ? chosen : 1 - chosen;
}

}  // namespace softwood::render
