// split=random: one random cut of each input, and of these the one that the criterion likes best.
//
// Geurts, Ernst & Wehenkel 2006, "Extremely randomized trees", Machine Learning 63, table 1; their
// criterion for classes is a normalised information, here it is that of `criterion=`.
#pragma once

#include "stages/grow/way.h"

namespace softwood::grow {

std::unique_ptr<Way> make_random_way(const WaySetting& setting);

}  // namespace softwood::grow
