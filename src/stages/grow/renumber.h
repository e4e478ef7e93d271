// Slot numbers of their own for the nodes of a large table that have become small: what is looked
// up by slot (targets, sides) is then in a cache, whose misses would be most of the time.
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

// Whether the node is so much smaller than its data that new numbers pay.
bool wants_renumbering(const OpenNode& open);

// Gives the node data of its own, in which nothing else is different. The node's part of the
// old data's lists is used for the new one's.
void renumber(OpenNode& open, const Options& options, std::vector<uint32_t>& buffer);

}  // namespace softwood::grow
