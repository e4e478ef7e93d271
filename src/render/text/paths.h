// The conditions between the root and a node, and why rows end where they do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/frame.h"
#include "lower/condition.h"
#include "softwood/lowered.h"

namespace softwood::render {

// Conditions on the way from the root to `node`, merged where one implies the other:
// {"petal_length > 2.45", "petal_width <= 1.75"}.
std::vector<std::string> path_conditions(const LoweredTree& tree, uint32_t node);
// The same for one node after the other: the levels of a split in many are looked through once.
class PathConditions {
 public:
  explicit PathConditions(const LoweredTree& tree) : tree_(tree) {}
  std::vector<std::string> of(uint32_t node);

 private:
  const LoweredTree& tree_;
  std::map<uint32_t, LevelsByChild> by_child_;  // by node
};

// Why rows end where they do, as one line per row: "petal_length > 2.45 and petal_width <= 1.75".
// Where a row had no value to ask for, the line says so: "petal_length missing (taken as > 2.45
// …)"; so it does of levels that the model does not know; and where a soft split divides the row,
// which part of it went there. A leaf with a model adds its formula: "x > 3; y = 3 + 0.5*a".
class PathTexts {
 public:
  // `unknown`: cells of the table that are missing because the model does not know their levels.
  explicit PathTexts(LoweredTree tree, UnknownCells unknown = {});
  // Not for several threads at a time: texts of nodes are kept.
  std::string text(uint32_t end, const Table& table, RowIndex row);

 private:
  LoweredTree tree_;
  UnknownCells unknown_;
  std::map<uint32_t, std::string> by_node_;
};

}  // namespace softwood::render
