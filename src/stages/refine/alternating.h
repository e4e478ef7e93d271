// Tree alternating optimisation: Carreira-Perpinan & Tavallali, "Alternating optimization of
// decision trees, with application to learning sparse oblique trees", NeurIPS 2018.
#pragma once

#include "stages/stage.h"

namespace softwood::refine {

// Goes through the nodes, the deepest first, and gives each the best gate for the rows that reach
// it while all others stay; then the leaves answer for the rows that have come to them. Nodes of
// one depth do not depend on each other (the "separability condition"), so they are done at the
// same time. The loss (weight of wrong answers, or what they cost, or squared errors, on the
// training rows) falls with every pass, else the passes end. What no training row reaches any more
// is taken out.
Tree alternate(Context& context, Tree tree);

}  // namespace softwood::refine
