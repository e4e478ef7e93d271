// Growth on rows kept in sorted lists: every threshold is seen, whatever the way of splitting.
#pragma once

#include "stages/grow/way.h"

namespace softwood::grow {

Tree grow_exact(Context& context, const WayEntry& way, MissingValues missing);

}  // namespace softwood::grow
