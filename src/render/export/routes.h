// The ways through a tree for exports that compute a weight per child instead of walking: every
// rule for missing values is a list of conditions that are tried in order and the weights of the
// children where none of them can be computed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/export/exporter.h"

namespace softwood::render {

struct RouteCondition {
  const LoweredCondition* condition = nullptr;
  bool typical = false;  // missing cells have their typical values
};

struct RouteNode {
  uint32_t source = 0;                        // the node of the tree that answers here
  uint32_t parent = 0, place = 0, depth = 0;  // place: among the children of the parent
  std::vector<RouteCondition> conditions;     // the node's own first; empty: a leaf
  std::vector<double> otherwise;              // where none can be computed: one weight per child
  uint32_t first_child = 0, children = 0;

  bool is_leaf() const { return conditions.empty(); }
  // The child to which all of the row goes where no condition can be computed; -1: it is divided.
  int missing_child() const;
};

struct Routes {
  // Breadth first. A node that answers rows with missing values itself has one more child, a leaf.
  std::vector<RouteNode> nodes;
  bool hard = true;       // every row ends in one leaf
  bool plain = true;      // hard, and each split asks one threshold or one set of levels
  bool formulas = false;  // there are leaves whose answers depend on the row

  std::vector<uint32_t> leaves() const;  // ascending
};

// Points into `tree`, which has to stay.
Routes routes_of(const LoweredTree& tree);

// Underscores, as many as no name begins with: for names of what the export computes.
std::string unused_prefix(const std::vector<std::string>& names);

}  // namespace softwood::render
