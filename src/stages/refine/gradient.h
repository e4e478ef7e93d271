// refine by=gradient: all gates and leaves of a tree of any origin, tuned together.
#pragma once

#include "stages/stage.h"

namespace softwood::refine {

// Hard gates become logistic, steep ones at first; ramps and logistic gates stay what they are.
Tree by_gradient(Context& context, Tree tree);

}  // namespace softwood::refine
