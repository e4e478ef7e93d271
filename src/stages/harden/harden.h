// The harden stage: every row goes to the child that has the larger share of it.
#pragma once

#include "stages/stage.h"

namespace softwood::harden {

// Ramps and logistic gates become steps at the same cut, where both children have half a row. The
// sums of the tree become those of the rows. Leaves that were trained together with the gates keep
// their models if these answer the rows better than the sums.
Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
std::vector<TraitRule> traits();

}  // namespace softwood::harden
