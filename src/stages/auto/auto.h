// Chooses among all families of trees, by rows that they have not seen.
#pragma once

#include "stages/stage.h"

namespace softwood::choice {

std::vector<OptionSpec> options();
std::vector<TraitRule> traits();
Tree run(Context& context, Tree tree);

}  // namespace softwood::choice
