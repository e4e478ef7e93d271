// The conditions between the root and a node, merged where one implies the other.
#include <algorithm>

#include "base/text.h"
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

namespace {

// Nodes from the one below the root down to `node`.
std::vector<NodeIndex> path_to(NodeIndex node, std::span<const NodeIndex> parents) {
  std::vector<NodeIndex> path;
  for (NodeIndex i = node; i != 0; i = parents[i]) path.push_back(i);
  std::reverse(path.begin(), path.end());
  return path;
}

// Names of the features that the gate asks for and the row does not have; empty: none.
std::string missing_names(const Gate& gate, const Table& table, RowIndex row) {
  std::string names;
  for (const uint32_t feature : gate_features(gate)) {
    const Column& column = table.input(feature);
    const auto* levels = std::get_if<LevelsGate>(&gate);
    const bool unseen = levels != nullptr && column.codes[row] >= 0 &&
                        levels->child_of_level[static_cast<size_t>(column.codes[row])] < 0;
    if (!column.is_missing(row) && !unseen) continue;
    if (!names.empty()) names += ", ";
    names += table.schema().features[feature].name;
  }
  return names;
}

std::vector<std::string> conditions_of(const Model& model, std::span<const NodeIndex> parents,
                                       NodeIndex node, const Table* table, RowIndex row) {
  std::vector<Condition> conditions;
  std::vector<std::string> taken;
  for (const NodeIndex i : path_to(node, parents)) {
    const Node& parent = model.tree.node(parents[i]);
    const uint32_t child = i - parent.first_child;
    const std::string missing = table == nullptr ? "" : missing_names(*parent.gate, *table, row);
    if (!missing.empty()) {
      const std::string condition = gate_condition(*parent.gate, child, model.schema);
      const std::string plain = missing + " missing";
      taken.push_back(condition == plain ? plain : plain + " (taken as " + condition + ")");
      continue;
    }
    std::visit(
        [&, child](const auto& gate) {
          for (Condition& earlier : conditions) {
            if (merge(gate, child, earlier)) return;
          }
          conditions.push_back(condition(gate, child));
        },
        *parent.gate);
  }
  std::vector<std::string> texts;
  texts.reserve(conditions.size() + taken.size());
  for (const Condition& item : conditions) {
    texts.push_back(gate_condition(item.gate, item.child, model.schema));
  }
  texts.insert(texts.end(), taken.begin(), taken.end());
  return texts;
}

std::string one_line(const std::vector<std::string>& conditions) {
  return conditions.empty() ? "always" : join(conditions, " and ");
}

}  // namespace

std::vector<std::string> path_conditions(const Model& model, NodeIndex node) {
  return path_conditions(model, parents_of(model.tree), node);
}

std::vector<std::string> path_conditions(const Model& model, std::span<const NodeIndex> parents,
                                         NodeIndex node) {
  return conditions_of(model, parents, node, nullptr, 0);
}

PathTexts::PathTexts(const Model& model) : model_(model), parents_(parents_of(model.tree)) {}

std::string PathTexts::text(NodeIndex end, const Table& table, RowIndex row) {
  for (NodeIndex i = end; i != 0; i = parents_[i]) {
    if (missing_names(*model_.tree.node(parents_[i]).gate, table, row).empty()) continue;
    return one_line(conditions_of(model_, parents_, end, &table, row));
  }
  const auto [entry, is_new] = by_node_.try_emplace(end);
  if (is_new) entry->second = one_line(conditions_of(model_, parents_, end, nullptr, row));
  return entry->second;
}

}  // namespace softwood
