// A tree as text for people.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tree/model.h"

namespace softwood {

// Columns of a line where nothing better is known.
constexpr size_t usual_width = 120;

// One line a node, indented, with a table beside it. Long conditions and the counts of classes are
// shortened to fit.
std::string show_tree(const Model& model, size_t width = usual_width);
// As R prints an rpart object.
std::string show_tree_rpart(const Model& model);
// As C5.0 prints a tree; parts that would be too wide come after it as subtrees [S1], [S2], ...
std::string show_tree_c50(const Model& model, size_t width = 80);
// One rule a leaf, with coverage and confidence: by class, largest first; or by rising answer.
std::string show_rules(const Model& model, size_t width = usual_width);
// The cost-complexity table like rpart's printcp.
std::string show_table(const Model& model);
// Origin, size, importance of the features, and all that is known of every node.
std::string show_summary(const Model& model, size_t width = usual_width);

// The condition of a child of node `i`: "x <= 3", or "x <= 3 or missing" when training rows without
// a value went there. See gate_condition for `room`.
std::string branch_condition(const Model& model, NodeIndex i, uint32_t child,
                             size_t room = no_limit);

// Conditions on the way from the root to `node`, merged where one implies the other:
// {"petal_length > 2.45", "petal_width <= 1.75"}.
std::vector<std::string> path_conditions(const Model& model, NodeIndex node);
// The same for many nodes: `parents` is parents_of(model.tree).
std::vector<std::string> path_conditions(const Model& model, std::span<const NodeIndex> parents,
                                         NodeIndex node);

// Why rows end where they do, as one line a row: "petal_length > 2.45 and petal_width <= 1.75".
// Where a row had no value to ask for, the line says so: "petal_length missing (taken as > 2.45
// …)"; and where a soft gate divides it, which part of it went there.
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
