// soften by=gradient: thresholds of a hard tree become ramps, tuned together.
#pragma once

#include "stages/stage.h"

namespace softwood::soften {

// The tree with ramps in place of its thresholds; what it is allowed to move (`move`) is chosen
// to answer the rows best, by the loss `loss`, until rows that were held out say to stop; then the
// same with all rows. Leaves keep the answers of the hard tree, or get better ones. Gates over
// levels stay.
Tree by_gradient(Context& context, Tree tree);
// Those of the stage that are for it alone.
std::vector<OptionSpec> gradient_options();

}  // namespace softwood::soften
