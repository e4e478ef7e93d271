// Criteria and the search for the best split of a node by one feature, by their short names:
// growing is what uses them most.
#pragma once

#include "stats/split_search.h"

namespace softwood::grow {

using namespace stats;

}  // namespace softwood::grow
