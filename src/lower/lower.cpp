#include "lower/lower.h"

#include <algorithm>

#include "base/names.h"
#include "tree/compiled.h"
#include "tree/costs.h"
#include "tree/importance.h"

namespace softwood {

namespace {

InputKind input_kind(Kind kind) {
  switch (kind) {
    case Kind::numeric:
      return InputKind::numeric;
    case Kind::nominal:
      return InputKind::nominal;
    case Kind::ordinal:
      return InputKind::ordinal;
  }
  return InputKind::numeric;
}

std::vector<LoweredInput> lower_inputs(const Model& model) {
  const std::vector<double>& typical = model.tree.typical();
  const std::vector<InputRange>& ranges = model.provenance.ranges;
  const std::vector<double> importance = importance_of(model);
  std::vector<LoweredInput> inputs;
  for (size_t f = 0; f < model.schema.features.size(); ++f) {
    const Feature& feature = model.schema.features[f];
    LoweredInput& input = inputs.emplace_back();
    input.name = feature.name;
    input.kind = input_kind(feature.kind);
    input.levels = feature.levels;
    if (!typical.empty()) input.typical = typical[f];
    if (!ranges.empty()) {
      input.low = ranges[f].low;
      input.high = ranges[f].high;
    }
    input.importance = importance[f];
  }
  return inputs;
}

MissingAction missing_action(MissingRule rule) {
  switch (rule) {
    case MissingRule::child:
      return MissingAction::child;
    case MissingRule::shares:
      return MissingAction::shares;
    case MissingRule::stay:
      return MissingAction::stay;
    case MissingRule::own:
      return MissingAction::own_child;
    case MissingRule::impute:
      return MissingAction::impute;
  }
  return MissingAction::child;
}

LoweredMissing lower_missing(const Missing& missing) {
  LoweredMissing lowered;
  lowered.action = missing_action(missing.rule);
  lowered.child = missing.child;
  lowered.shares = missing.shares;
  for (const Surrogate& surrogate : missing.surrogates) {
    lowered.surrogates.push_back(
        {lower_gate(surrogate.gate), surrogate.agreement, surrogate.adjusted});
  }
  lowered.weight = missing.weight;
  return lowered;
}

LoweredSplit lower_split(const Tree& tree, NodeIndex i) {
  const Node& node = tree.node(i);
  const Notes& notes = node.notes();
  LoweredSplit split;
  split.condition = lower_gate(node.gate());
  split.missing = lower_missing(node.missing());
  split.first_child = node.first_child;
  split.children = tree.children(i);
  split.decrease = decrease_at(tree, i);
  split.gain = notes.gain;
  split.alpha = notes.alpha;
  split.statistic = notes.statistic;
  split.log_p = notes.log_p;
  if (notes.competitors) {
    for (const Competitor& competitor : *notes.competitors) {
      split.competitors.push_back({lower_gate(competitor.gate), competitor.gain});
    }
  }
  return split;
}

std::vector<LoweredNode> lower_nodes(const Tree& tree) {
  const size_t width = tree.answer_width();
  const std::vector<double> answers = tree.answers();
  const double all = tree.weight(0);
  std::vector<LoweredNode> nodes(tree.size());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    LoweredNode& node = nodes[i];
    const auto answer = std::span(answers).subspan(i * width, width);
    node.answer.assign(answer.begin(), answer.end());
    node.weight = tree.weight(i);
    node.share = all > 0 ? node.weight / all : 0;
    node.risk = tree.risk(i);
    const auto sums = tree.sums(i);
    if (tree.task() == Task::classification) {
      node.class_weights.assign(sums.begin(), sums.end());
    } else {
      node.mean = sums[1];
      node.deviation = sums[2];
    }
    if (tree.node(i).model) node.formula = lower_leaf_model(*tree.node(i).model);
    if (tree.node(i).is_leaf()) continue;
    node.split = lower_split(tree, i);
    for (uint32_t c = 0; c < node.split->children; ++c) {
      nodes[node.split->first_child + c].parent = i;
      nodes[node.split->first_child + c].depth = node.depth + 1;
    }
  }
  return nodes;
}

// Every cut of an input is shown with as many digits as tell it from the next.
void set_digits(LoweredTree& tree) {
  constexpr int most = 17;
  std::vector<std::vector<double>> cuts(tree.inputs.size());
  for (const LoweredNode& node : tree.nodes) {
    const auto* const score =
        node.is_leaf() ? nullptr : std::get_if<LoweredScore>(&node.split->condition);
    if (score == nullptr || score->terms.size() != 1) continue;
    const LoweredTerm& term = score->terms[0];
    if (term.kind == TermKind::value) cuts[term.input].push_back(score->cut / term.coefficient);
  }
  for (size_t f = 0; f < cuts.size(); ++f) {
    std::sort(cuts[f].begin(), cuts[f].end());
    int& digits = tree.inputs[f].digits;
    for (size_t i = 1; i < cuts[f].size(); ++i) {
      const double low = cuts[f][i - 1], high = cuts[f][i];
      while (low != high && digits < most &&
             shown_number(low, digits) == shown_number(high, digits)) {
        ++digits;
      }
    }
  }
}

LoweredOrigin lower_origin(const Model& model) {
  const Provenance& from = model.provenance;
  LoweredOrigin origin;
  origin.method = from.method;
  origin.recipe = from.recipe;
  if (model.frontier) origin.chosen = model.frontier->points[model.frontier->chosen].recipe;
  origin.seed = from.seed;
  origin.version = from.version;
  origin.fingerprint = from.fingerprint;
  origin.rows = from.rows;
  origin.weight_column = model.schema.weight;
  origin.class_weights = from.class_weights;
  origin.stopped = from.stopped;
  return origin;
}

LoweredComplexity lower_complexity(const ComplexityTable& table) {
  LoweredComplexity complexity;
  for (const ComplexityRow& row : table.rows) {
    complexity.trees.push_back({row.cp, row.splits, row.error, row.xerror, row.xstd});
  }
  complexity.chosen = table.chosen;
  complexity.root_risk = table.root_error;
  complexity.root_weight = table.root_weight;
  return complexity;
}

}  // namespace

LoweredTree lower(const Model& model) {
  const Tree& tree = model.tree;
  LoweredTree lowered;
  lowered.inputs = lower_inputs(model);
  lowered.target = {model.schema.target.name, model.schema.target.levels,
                    static_cast<uint32_t>(model.schema.positive)};
  lowered.missing_marks = model.schema.missing_marks;
  lowered.nodes = lower_nodes(tree);
  set_digits(lowered);
  lower_leaf_plan(tree, lowered);
  lowered.decision = {tree.costs(), cost_rounding};
  lowered.smallest_share = negligible_share;
  const Shape shape = shape_of(tree);
  lowered.leaves = shape.leaves;
  lowered.depth = shape.depth;
  lowered.parameters = shape.parameters;
  lowered.origin = lower_origin(model);
  if (model.complexity) lowered.complexity = lower_complexity(*model.complexity);
  return lowered;
}

}  // namespace softwood
