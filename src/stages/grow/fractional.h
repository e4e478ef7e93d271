// Fractional rows (missing=fractional): Quinlan 1993, "C4.5: Programs for Machine Learning".
// A row without a value of the feature that splits a node goes to every child, with the
// share of its weight that the rows with a value have there.
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

// The rows of one child. Slots are numbered anew: a divided row is one slot in each child.
struct ChildRows {
  std::vector<uint32_t> slots;  // of the node, ascending
  Target target;                // by new slot

  // Those that were sent to the child, and the node's rows without a value (`missing`, ascending).
  ChildRows(const OpenNode& open, uint32_t child, uint32_t children,
            std::span<const uint32_t> missing, double share);
};

// The child as an open node with data of its own; its lists are filtered from the node's.
OpenNode open_child(const OpenNode& open, NodeIndex node, ChildRows rows, const Options& options,
                    std::vector<uint32_t>& buffer);

}  // namespace softwood::grow
