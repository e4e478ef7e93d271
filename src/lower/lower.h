// The tree as plain data, for everything that renders, explains or exports it.
#pragma once

#include "softwood/lowered.h"
#include "tree/model.h"

namespace softwood {

// Everything but the name of gains and the monotone inputs: the recipe says those, which this layer
// does not read. The tree is in canonical order.
LoweredTree lower(const Model& model);

LoweredTerm lower_term(const Term& term);
LoweredCondition lower_gate(const Gate& gate);
LoweredFormula lower_leaf_model(const LeafModel& model);
// Sets how constants are estimated, where formulas come from and how leaves are mixed.
void lower_leaf_plan(const Tree& tree, LoweredTree& lowered);

}  // namespace softwood
