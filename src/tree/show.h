// A tree as text for people.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tree/model.h"

namespace softwood {

std::string show_tree(const Model& model);     // indented, one line a node
std::string show_rules(const Model& model);    // one rule a leaf, with coverage and confidence
std::string show_table(const Model& model);    // the cost-complexity table like rpart's printcp
std::string show_summary(const Model& model);  // provenance, size, importance-free facts
// The condition of a node's child: "x <= 3", or "x <= 3 or missing" when training rows without a
// value went there.
std::string branch_condition(const Node& node, uint32_t child, const Schema& schema);

// Conditions on the way from the root to `node`, merged where one implies the other:
// {"petal_length > 2.45", "petal_width <= 1.75"}.
std::vector<std::string> path_conditions(const Model& model, NodeIndex node);
// The same for many nodes: `parents` is parents_of(model.tree).
std::vector<std::string> path_conditions(const Model& model, std::span<const NodeIndex> parents,
                                         NodeIndex node);

// Why rows end where they do, as one line a row: "petal_length > 2.45 and petal_width <= 1.75".
// Where a row had no value to ask for, the line says so: "petal_length missing (taken as > 2.45
// …)".
class PathTexts {
 public:
  explicit PathTexts(const Model& model);
  // Not for several threads at a time: texts of nodes are kept.
  std::string text(NodeIndex end, const Table& table, RowIndex row);

 private:
  const Model& model_;
  std::vector<NodeIndex> parents_;
  std::map<NodeIndex, std::string> by_node_;
};

}  // namespace softwood
