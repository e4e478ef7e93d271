// Where the nodes of a drawn tree stand. Pictures and the page share it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "softwood/lowered.h"

namespace softwood::render {

struct NodeBox {
  uint32_t node = 0;
  double x = 0, y = 0, width = 0, height = 0;  // the upper left corner
  size_t depth = 0;
  size_t parent = 0;         // its place among the boxes; the root's is 0
  bool folded = false;       // an inner node whose children are not drawn
  size_t hidden_leaves = 0;  // below a folded node
};

struct TreeLayout {
  std::vector<NodeBox> boxes;  // parents before children
  double width = 0, height = 0;
};

struct LayoutOptions {
  size_t depth = 0;      // deeper nodes are not drawn
  size_t most_ends = 0;  // leaves and folded nodes; the heaviest nodes are unfolded first
  bool to_the_right = false;
  double sibling_gap = 16, level_gap = 52;
};

struct BoxSize {
  double width = 0, height = 0;
};

// Parents stand over the middle of their children, and no box touches another one (the contours of
// subtrees are moved together: Reingold & Tilford 1981).
TreeLayout layout_tree(const LoweredTree& tree, const LayoutOptions& options,
                       const std::function<BoxSize(uint32_t node, bool folded)>& size);

}  // namespace softwood::render
