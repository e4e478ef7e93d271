// A hard tree that is distilled from an ensemble of hard trees.
//
// Breiman & Shang 1996, "Born again trees": a tree that is grown from rows between rows, answered
// by an ensemble, can be as large as these allow, and is steadier than one grown from the rows
// alone.
#pragma once

#include "stages/stage.h"

namespace softwood::distilled {

std::vector<OptionSpec> options();
std::vector<TraitRule> traits();
Tree run(Context& context, Tree tree);

}  // namespace softwood::distilled
