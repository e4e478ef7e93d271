// The conditions between the root and a node, merged where one implies the other.
#include <algorithm>

#include "tree/show.h"

namespace softwood {

namespace {

struct Condition {
  Gate gate;
  uint32_t child;
};

// Two plain thresholds on the same side of the same feature: the tighter cut remains.
bool merge(const ScoreGate& next, uint32_t child, Condition& earlier) {
  auto* before = std::get_if<ScoreGate>(&earlier.gate);
  if (before == nullptr || earlier.child != child || !next.is_threshold() ||
      !before->is_threshold() || next.terms[0].feature != before->terms[0].feature) {
    return false;
  }
  before->cut = child == 0 ? std::min(before->cut, next.cut) : std::max(before->cut, next.cut);
  return true;
}

// Two sets of levels of the same feature: what they have in common remains. An earlier condition is
// kept as a gate whose child 0 is the set.
bool merge(const LevelsGate& next, uint32_t child, Condition& earlier) {
  auto* before = std::get_if<LevelsGate>(&earlier.gate);
  if (before == nullptr || next.feature != before->feature) return false;
  for (size_t level = 0; level < next.child_of_level.size(); ++level) {
    if (next.child_of_level[level] != static_cast<int32_t>(child)) {
      before->child_of_level[level] = -1;
    }
  }
  return true;
}

Condition condition(const ScoreGate& gate, uint32_t child) { return {gate, child}; }

Condition condition(LevelsGate gate, uint32_t child) {
  for (int32_t& entry : gate.child_of_level) entry = entry == static_cast<int32_t>(child) ? 0 : -1;
  return {std::move(gate), 0};
}

}  // namespace

std::vector<std::string> path_conditions(const Model& model, NodeIndex node) {
  return path_conditions(model, parents_of(model.tree), node);
}

std::vector<std::string> path_conditions(const Model& model, std::span<const NodeIndex> parents,
                                         NodeIndex node) {
  std::vector<NodeIndex> path;
  for (NodeIndex i = node; i != 0; i = parents[i]) path.push_back(i);
  std::reverse(path.begin(), path.end());

  std::vector<Condition> conditions;
  for (const NodeIndex i : path) {
    const Node& parent = model.tree.node(parents[i]);
    const uint32_t child = i - parent.first_child;
    std::visit(
        [&](const auto& gate) {
          for (Condition& earlier : conditions) {
            if (merge(gate, child, earlier)) return;
          }
          conditions.push_back(condition(gate, child));
        },
        *parent.gate);
  }
  std::vector<std::string> texts;
  texts.reserve(conditions.size());
  for (const Condition& item : conditions) {
    texts.push_back(gate_condition(item.gate, item.child, model.schema));
  }
  return texts;
}

}  // namespace softwood
