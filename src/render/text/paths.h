// The conditions between the root and a node, and why rows end where they do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "softwood/lowered.h"
#include "tree/model.h"

namespace softwood::render {

// Conditions on the way from the root to `node`, merged where one implies the other:
// {"petal_length > 2.45", "petal_width <= 1.75"}.
std::vector<std::string> path_conditions(const LoweredTree& tree, uint32_t node);

// Why rows end where they do, as one line per row: "petal_length > 2.45 and petal_width <= 1.75".
// Where a row had no value to ask for, the line says so: "petal_length missing (taken as > 2.45
// …)"; and where a soft split divides it, which part of it went there.
class PathTexts {
 public:
  // The model must outlive this object.
  explicit PathTexts(const Model& model);
  // Not for several threads at a time: texts of nodes are kept.
  std::string text(NodeIndex end, const Table& table, RowIndex row);

 private:
  const Model& model_;
  LoweredTree lowered_;
  std::map<NodeIndex, std::string> by_node_;
};

}  // namespace softwood::render
