// Growth with thresholds between bins, from sums that merge.
#pragma once

#include "engine/engine.h"
#include "stages/stage.h"

namespace softwood::grow {

// The tree does not depend on the number of shards, nor on how messages travel.
Tree grow_binned(Context& context, size_t shards, Transport transport);

}  // namespace softwood::grow
