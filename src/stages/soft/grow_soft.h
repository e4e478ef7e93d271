// The grow-soft stage: trees whose gates are logistic and divide every row.
#pragma once

#include "stages/stage.h"

namespace softwood::soft {

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
StageTraits traits(const Options& options);

}  // namespace softwood::soft
