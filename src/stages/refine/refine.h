// The refine stage: changes a finished tree without growing it.
#pragma once

#include "stages/stage.h"

namespace softwood::refine {

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
StageTraits traits(const Options& options);

}  // namespace softwood::refine
