// Global induction: trees as wholes are searched for, by evolution. Krętowski & Grześ, "Global
// learning of decision trees by an evolutionary algorithm", 2005.
#pragma once

#include <vector>

#include "stages/stage.h"

namespace softwood::evolve {

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
std::vector<TraitRule> traits();

}  // namespace softwood::evolve
