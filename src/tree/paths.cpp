// The conditions between the root and a node, merged where one implies the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "tree/gates/kinds.h"
#include "tree/show.h"

namespace softwood {

namespace {

struct Condition {
  Gate gate;
  uint32_t child;
  double missing = 0;  // share of the rows without a value that meet it, too
  double part = 1;     // of the row that meets it
};

bool is_own_child(const Gate& gate, uint32_t child) { return child >= gate_children(gate); }

// The child that the typical value of the gate's only feature goes to.
bool goes_with_typical(const Gate& gate, uint32_t child, std::span<const double> typical) {
  if (const LevelsGate* levels = level_map(gate)) {
    const double level = typical[levels->feature];
    return !std::isnan(level) &&
           levels->child_of_level[static_cast<size_t>(level)] == static_cast<int32_t>(child);
  }
  const std::optional<Threshold> threshold = as_threshold(gate);
  if (!threshold) return false;
  const double value = typical[threshold->feature];
  return !std::isnan(value) && (value <= threshold->cut) == (child == 0);
}

// Share of the rows without a value that go to the child. Told only where training had such rows
// and nothing but the node's rule decided about them.
double missing_share(const Tree& tree, const Node& node, uint32_t child) {
  const Missing& missing = node.missing();
  if (missing.weight <= 0 || !missing.surrogates.empty()) return 0;
  switch (missing.rule) {
    case MissingRule::child:
      return missing.child == child ? 1 : 0;
    case MissingRule::shares:
      return missing.shares[child];
    case MissingRule::impute:
      return goes_with_typical(node.gate(), child, tree.typical()) ? 1 : 0;
    case MissingRule::stay:
    case MissingRule::own:
      return 0;
  }
  return 0;
}

std::string condition_text(const Gate& gate, uint32_t child, double missing, const Schema& schema,
                           size_t room) {
  if (is_own_child(gate, child)) {
    std::vector<std::string> names;
    for (const uint32_t feature : gate_features(gate)) {
      names.push_back(shown_name(schema.features[feature].name, NamePlace::set));
    }
    return join(names, " or ") + " missing";
  }
  std::string rest = missing == 1  ? " or missing"
                     : missing > 0 ? fmt::format(" or missing ({:.0f} %)", 100 * missing)
                                   : "";
  std::string text =
      gate_condition(gate, child, schema, room > rest.size() ? room - rest.size() : 0);
  // "x missing" says it already.
  return text.ends_with(" missing") ? text : text + rest;
}

// Of the row that a soft gate sends to the child.
double part_of(const Gate& gate, uint32_t child, const Table& table, RowIndex row) {
  if (is_hard(gate) || is_own_child(gate, child)) return 1;
  std::vector<double> weights(gate_children(gate));
  gate_weights(gate, table, std::span(&row, 1), weights);
  return weights[child];
}

// "x <= 3 (soft from 2 to 4; 62 % go this way)"; as it is where that is all of the row.
std::string with_part(std::string condition, double part) {
  const double percent = 100 * part;
  if (std::lround(percent) >= 100) return condition;
  const std::string text = percent < 1 ? fmt::format("{:.1g} % go this way", percent)
                                       : fmt::format("{:.0f} % go this way", percent);
  if (!condition.ends_with(')')) return condition + " (" + text + ")";
  condition.pop_back();
  return condition + "; " + text + ")";
}

// Two plain thresholds on the same side of the same feature: the tighter cut remains.
bool merge_thresholds(const Gate& gate, uint32_t child, Condition& earlier) {
  const std::optional<Threshold> next = as_threshold(gate), before = as_threshold(earlier.gate);
  if (!next || !before || earlier.child != child || next->feature != before->feature) return false;
  earlier.gate = with_cut(earlier.gate, child == 0 ? std::min(before->cut, next->cut)
                                                   : std::max(before->cut, next->cut));
  return true;
}

// Two sets of levels of the same feature: what they have in common remains. An earlier condition is
// kept as a gate whose child 0 is the set.
bool merge_levels(const Gate& gate, uint32_t child, Condition& earlier) {
  const LevelsGate *const next = level_map(gate), *const before = level_map(earlier.gate);
  if (next == nullptr || before == nullptr || next->feature != before->feature) return false;
  LevelsGate both = *before;
  for (size_t level = 0; level < next->child_of_level.size(); ++level) {
    if (next->child_of_level[level] != static_cast<int32_t>(child)) both.child_of_level[level] = -1;
  }
  earlier.gate = std::move(both);
  return true;
}

Condition condition(const Gate& gate, uint32_t child) {
  const LevelsGate* const levels = level_map(gate);
  if (levels == nullptr) return {gate, child, 0, 1};
  LevelsGate set = *levels;
  for (int32_t& entry : set.child_of_level) entry = entry == static_cast<int32_t>(child) ? 0 : -1;
  return {std::move(set), 0, 0, 1};
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

// The surrogate that decided about a row, if one did.
const Surrogate* deciding_surrogate(const Node& node, const Table& table, RowIndex row) {
  std::vector<double> weights(gate_children(node.gate()));
  for (const Surrogate& surrogate : node.missing().surrogates) {
    gate_weights(surrogate.gate, table, std::span(&row, 1), weights);
    if (!std::isnan(weights[0])) return &surrogate;
  }
  return nullptr;
}

// Of a row without a value that goes to the child where the gate is soft: by typical values.
double typical_part(const Model& model, const Node& node, uint32_t child, const Table& table,
                    RowIndex row) {
  if (node.missing().rule != MissingRule::impute) return 1;
  std::vector<double> weights(gate_children(node.gate()));
  typical_weights(node.gate(), table, row, model.tree.typical(), weights);
  return std::isnan(weights[0]) ? 1 : weights[child];
}

// How a row went to a child of a node whose gate it had no value for: "taken as x <= 3",
// "by y <= 1 taken as x <= 3", "61 % go this way, x <= 3", "taken as x <= 3 (soft from 2 to 4; 62 %
// go this way)".
std::string way_text(const Model& model, const Node& node, uint32_t child, const Table& table,
                     RowIndex row) {
  const std::string condition = gate_condition(node.gate(), child, model.schema);
  if (const Surrogate* const surrogate = deciding_surrogate(node, table, row)) {
    return fmt::format("by {} taken as {}", gate_condition(surrogate->gate, child, model.schema),
                       condition);
  }
  if (node.missing().rule == MissingRule::shares && node.missing().shares[child] < 1) {
    return fmt::format("{:.0f} % go this way, {}", 100 * node.missing().shares[child], condition);
  }
  return "taken as " + with_part(condition, typical_part(model, node, child, table, row));
}

// What the gate asks for and the row does not have: "x missing", "city = c44 not seen here"; empty:
// nothing.
std::string missing_cells(const Gate& gate, const Table& table, RowIndex row) {
  std::string text;
  for (const uint32_t index : gate_features(gate)) {
    const Column& column = table.input(index);
    const Feature& feature = table.schema().features[index];
    const LevelsGate* const levels = level_map(gate);
    const bool unseen = levels != nullptr && column.codes[row] >= 0 &&
                        levels->child_of_level[static_cast<size_t>(column.codes[row])] < 0;
    if (!column.is_missing(row) && !unseen) continue;
    if (!text.empty()) text += ", ";
    text += unseen ? feature.name + " = " + feature.levels[static_cast<size_t>(column.codes[row])] +
                         " not seen here"
                   : feature.name + " missing";
  }
  return text;
}

void add_condition(const Model& model, const Node& parent, uint32_t child, const Table* table,
                   RowIndex row, std::vector<Condition>& conditions) {
  const Gate& gate = parent.gate();
  const double share = missing_share(model.tree, parent, child);
  for (Condition& earlier : conditions) {
    if (!merge_thresholds(gate, child, earlier) && !merge_levels(gate, child, earlier)) continue;
    earlier.missing *= share;
    return;
  }
  Condition next = condition(gate, child);
  next.missing = share;
  if (table != nullptr) next.part = part_of(gate, child, *table, row);
  // Conditions on the same inputs stand together.
  const auto last =
      std::find_if(conditions.rbegin(), conditions.rend(), [&](const Condition& earlier) {
        return gate_features(earlier.gate) == gate_features(next.gate);
      });
  conditions.insert(last == conditions.rend() ? conditions.end() : last.base(), std::move(next));
}

std::vector<std::string> conditions_of(const Model& model, std::span<const NodeIndex> parents,
                                       NodeIndex node, const Table* table, RowIndex row) {
  std::vector<Condition> conditions;
  std::vector<std::string> taken;
  for (const NodeIndex i : path_to(node, parents)) {
    const Node& parent = model.tree.node(parents[i]);
    const uint32_t child = i - parent.first_child;
    const std::string missing = table == nullptr ? "" : missing_cells(parent.gate(), *table, row);
    if (!missing.empty() && is_own_child(parent.gate(), child)) {
      taken.push_back(missing);
      continue;
    }
    if (!missing.empty()) {
      const std::string condition = gate_condition(parent.gate(), child, model.schema);
      taken.push_back(
          condition == missing
              ? missing
              : fmt::format("{} ({})", missing, way_text(model, parent, child, *table, row)));
      continue;
    }
    add_condition(model, parent, child, table, row, conditions);
  }
  std::vector<std::string> texts;
  texts.reserve(conditions.size() + taken.size());
  for (const Condition& item : conditions) {
    const double share = table == nullptr ? item.missing : 0;
    texts.push_back(
        with_part(condition_text(item.gate, item.child, share, model.schema, no_limit), item.part));
  }
  texts.insert(texts.end(), taken.begin(), taken.end());
  return texts;
}

std::string one_line(const std::vector<std::string>& conditions) {
  return conditions.empty() ? "always" : join(conditions, " and ");
}

}  // namespace

std::string branch_condition(const Model& model, NodeIndex i, uint32_t child, size_t room) {
  const Node& node = model.tree.node(i);
  return condition_text(node.gate(), child, missing_share(model.tree, node, child), model.schema,
                        room);
}

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
    const Gate& gate = model_.tree.node(parents_[i]).gate();
    const bool whole =
        part_of(gate, i - model_.tree.node(parents_[i]).first_child, table, row) == 1;
    if (whole && missing_cells(gate, table, row).empty()) continue;
    return one_line(conditions_of(model_, parents_, end, &table, row));
  }
  const auto [entry, is_new] = by_node_.try_emplace(end);
  if (is_new) entry->second = one_line(conditions_of(model_, parents_, end, &table, row));
  return entry->second;
}

}  // namespace softwood
