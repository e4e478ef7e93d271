// A leaf model that does not exist in the program: the middle between the least and the largest
// target of the leaf.
#pragma once

#include <optional>

#include "fit/leaf_rows.h"

namespace softwood::fit {

std::optional<LeafModel> midrange_leaf(const LeafRows& leaf, const LeafPlan& plan);

}  // namespace softwood::fit
