// The soften stage.
#pragma once

#include "stages/stage.h"

namespace softwood::soften {

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
StageTraits traits(const Options& options);

}  // namespace softwood::soften
