// The refine stage: changes a finished tree without growing it.
#pragma once

#include "stages/stage.h"

namespace softwood::refine {

Tree run(Context& context, Tree tree);
// `gates=`: whether any node may ask for a weighted sum of all inputs.
constexpr Named<bool> hyperplane_choices[] = {{"keep", false}, {"hyperplanes", true}};

std::vector<OptionSpec> options();
std::vector<TraitRule> traits();

}  // namespace softwood::refine
