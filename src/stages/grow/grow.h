// The grow stage: greedy top-down induction.
#pragma once

#include "stages/stage.h"

namespace softwood::grow {

Tree run(Context& context, Tree tree);
// What leaves are to answer with.
LeafPlan leaf_plan_option(const Options& options, Task task);
std::vector<OptionSpec> options();
std::vector<TraitRule> traits();
std::vector<ForeignWord> foreign_words();
void describe(const Options& options, const Schema& schema, LoweredTree& tree);

}  // namespace softwood::grow
