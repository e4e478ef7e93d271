// A tree as text for people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tree/model.h"

namespace softwood {

std::string show_tree(const Model& model);     // indented, one line a node
std::string show_rules(const Model& model);    // one rule a leaf, with coverage and confidence
std::string show_table(const Model& model);    // the cost-complexity table like rpart's printcp
std::string show_summary(const Model& model);  // provenance, size, importance-free facts
// Conditions on the way from the root to `node`, merged where one implies the other:
// {"petal_length > 2.45", "petal_width <= 1.75"}.
std::vector<std::string> path_conditions(const Model& model, NodeIndex node);
// The same for many nodes: `parents` is parents_of(model.tree).
std::vector<std::string> path_conditions(const Model& model, std::span<const NodeIndex> parents,
                                         NodeIndex node);

}  // namespace softwood
