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

  // Those that were sent to the child alone, and those that were divided, both ascending.
  ChildRows(const NodeData& data, std::span<const uint32_t> own, std::span<const uint32_t> divided,
            double share);
};

// Child `c` of a node whose lists were divided, as an open node with data of its own.
OpenNode open_child(const OpenNode& open, NodeIndex node, uint32_t c, ChildRows rows,
                    const DividedLists& divided, const Options& options,
                    std::vector<uint32_t>& buffer);

}  // namespace softwood::grow
