// The soften stage.
#pragma once

#include "stages/stage.h"

namespace softwood::soften {

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
std::vector<TraitRule> traits();

}  // namespace softwood::soften
