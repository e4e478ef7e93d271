// split=random: one random cut of each input, and the best of these.
//
// Geurts, Ernst & Wehenkel 2006, "Extremely randomized trees", Machine Learning 63, table 1.
#pragma once

#include "stages/grow/way.h"

namespace softwood::grow {

std::unique_ptr<Way> make_random_way(const WaySetting& setting);

}  // namespace softwood::grow
