// Sends the rows of a node to the children of the split that was found for it.
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

struct Routed {
  Gate gate;
  Missing missing;                     // its weight is that of the node's rows without a value
  std::vector<uint32_t> divided = {};  // slots without a child that are to be divided, ascending
};

struct Routing {
  MissingValues missing;
  size_t surrogates;  // most of them that a node has
  bool cut_at_value;  // at the largest value on the left, not halfway to the next one
};

// The gate of a split that was found, without its rows being sent.
Gate gate_of(const OpenNode& open, const Found& found, bool cut_at_value);

// Marks the child of every row of the node in the data's lists, except of those to be divided.
Routed route_rows(const OpenNode& open, const Found& found, const Routing& routing,
                  const Workers& workers);

}  // namespace softwood::grow
