// split=random: one random cut of each input, and of these the one that the criterion likes best.
//
// Geurts, Ernst & Wehenkel 2006, "Extremely randomized trees", Machine Learning 63, table 1; their
// criterion for classes is a normalised information, here it is that of `criterion=`.
#pragma once

#include "stages/grow/splitter.h"

namespace softwood::grow {

std::unique_ptr<Splitter> make_random_splitter(const SplitterSetting& setting);

}  // namespace softwood::grow
