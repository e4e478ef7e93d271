// What the options of grow say about a finished tree.
#pragma once

#include "base/options.h"
#include "data/schema.h"
#include "softwood/lowered.h"

namespace softwood::grow {

// Sets the name and unit of gains, and which inputs are monotone.
void describe(const Options& options, const Schema& schema, LoweredTree& tree);

}  // namespace softwood::grow
