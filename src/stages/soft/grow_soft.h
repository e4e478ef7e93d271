// The grow-soft stage: trees whose gates are logistic and divide every row.
#pragma once

#include "stages/stage.h"

namespace softwood::soft {

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
std::vector<TraitRule> traits();

}  // namespace softwood::soft
