#include "render/export/routes.h"

#include <algorithm>

#include "lower/condition.h"

namespace softwood::render {
namespace {

// Whether a condition of one input that can't be computed has a missing cell: the weights for its
// typical value are known now. Levels that were not seen are not replaced by the typical one.
bool lacks_cell(const LoweredCondition& condition) {
  if (const auto* const levels = std::get_if<LoweredLevels>(&condition)) {
    const auto& all = levels->child_of_level;
    return std::find(all.begin(), all.end(), -1) == all.end();
  }
  return condition_inputs(condition).size() == 1;
}

// Empty: typical values do not decide.
std::vector<double> typical_weights(const LoweredTree& tree, const LoweredCondition& condition) {
  if (!lacks_cell(condition)) return {};
  return condition_weights(condition, [&](uint32_t input) { return tree.inputs[input].typical; });
}

std::vector<double> all_to(uint32_t child, uint32_t children) {
  std::vector<double> weights(children, 0.0);
  weights[child] = 1;
  return weights;
}

class Builder {
 public:
  explicit Builder(const LoweredTree& tree) : tree_(tree) {
    out_.nodes.push_back({});
    // Grows while it is walked: children follow in breadth first order.
    for (uint32_t i = 0; i < out_.nodes.size(); ++i) {
      const LoweredNode& node = tree.nodes[out_.nodes[i].source];
      if (node.split && !out_.nodes[i].stays) split(i, *node.split);
      if (node.formula && !node.formula->terms.empty()) out_.formulas = true;
    }
    out_.plain = out_.plain && out_.hard;
  }

  Routes take() {
    Routes routes{{}, out_.hard, out_.plain, out_.formulas};
    for (Growing& node : out_.nodes) routes.nodes.push_back(std::move(node));
    return routes;
  }

 private:
  struct Growing : RouteNode {
    bool stays = false;
  };
  struct Output {
    std::vector<Growing> nodes;
    bool hard = true, plain = true, formulas = false;
  };

  void split(uint32_t index, const LoweredSplit& split) {
    const bool stay = split.missing.action == MissingAction::stay;
    const uint32_t children = split.children + (stay ? 1 : 0);
    std::vector<RouteCondition> conditions{{&split.condition, false}};
    for (const LoweredSurrogate& surrogate : split.missing.surrogates) {
      conditions.push_back({&surrogate.condition, false});
    }
    std::vector<double> otherwise = otherwise_of(split, children);
    if (split.missing.action == MissingAction::impute && !lacks_cell(split.condition)) {
      conditions.push_back({&split.condition, true});
    }
    note(conditions, otherwise);
    const auto first = static_cast<uint32_t>(out_.nodes.size());
    for (uint32_t c = 0; c < children; ++c) {
      Growing child;
      child.stays = stay && c == split.children;
      child.source = child.stays ? out_.nodes[index].source : split.first_child + c;
      child.parent = index;
      child.place = c;
      child.depth = out_.nodes[index].depth + 1;
      out_.nodes.push_back(child);
    }
    Growing& node = out_.nodes[index];
    node.conditions = std::move(conditions);
    node.otherwise = std::move(otherwise);
    node.first_child = first;
    node.children = children;
  }

  std::vector<double> otherwise_of(const LoweredSplit& split, uint32_t children) const {
    const LoweredMissing& missing = split.missing;
    switch (missing.action) {
      case MissingAction::shares:
        return missing.shares;
      case MissingAction::stay:
      case MissingAction::own_child:
        return all_to(children - 1, children);
      case MissingAction::impute:
        if (auto weights = typical_weights(tree_, split.condition); !weights.empty()) {
          return weights;
        }
        break;
      case MissingAction::child:
        break;
    }
    return all_to(missing.child, children);
  }

  void note(const std::vector<RouteCondition>& conditions, const std::vector<double>& otherwise) {
    for (const RouteCondition& one : conditions) {
      const auto* const score = std::get_if<LoweredScore>(one.condition);
      if (score && score->link != LinkKind::step) out_.hard = false;
      if (score && !is_threshold(*score)) out_.plain = false;
    }
    if (conditions.size() > 1) out_.plain = false;
    if (std::find(otherwise.begin(), otherwise.end(), 1.0) == otherwise.end()) out_.hard = false;
  }

  const LoweredTree& tree_;
  Output out_;
};

}  // namespace

int RouteNode::missing_child() const {
  const auto found = std::find(otherwise.begin(), otherwise.end(), 1.0);
  return found == otherwise.end() ? -1 : static_cast<int>(found - otherwise.begin());
}

std::vector<uint32_t> Routes::leaves() const {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is_leaf()) all.push_back(i);
  }
  return all;
}

Routes routes_of(const LoweredTree& tree) { return Builder(tree).take(); }

std::string unused_prefix(const std::vector<std::string>& names) {
  std::string prefix = "_";
  const auto begins = [&prefix](const std::string& name) { return name.starts_with(prefix); };
  while (std::any_of(names.begin(), names.end(), begins)) prefix += '_';
  return prefix;
}

}  // namespace softwood::render
