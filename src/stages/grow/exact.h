// Growth on rows kept in sorted lists: every threshold is seen, whatever the way of splitting.
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

Tree grow_exact(Context& context, const SplitterEntry& splitter, MissingValues missing);

}  // namespace softwood::grow
