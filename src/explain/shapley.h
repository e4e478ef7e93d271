// Shapley values of rows, by the way that fits the tree.
#pragma once

#include "base/control.h"
#include "explain/quantity.h"

namespace softwood {

// What is explained. Both must outlive whoever explains.
struct ExplainedTree {
  const LoweredTree& lowered;
  const Predictor& predictor;
};

// The inputs on which an answer may depend, ascending.
std::vector<uint32_t> inputs_in_use(const LoweredTree& tree);

// Trees of conditions on one input each, without surrogates, whose answers are means of constants:
// path-dependent (the value function of Lundberg et al. 2020), or with `background` interventional,
// exact in a time polynomial in the size of the tree. All other trees: interventional, with
// settings.background_rows of `table` where no background is given; exact up to
// most_enumerated_inputs inputs in use, beyond that sampled.
Explanation explain_rows(const ExplainedTree& tree, const Table& table,
                         std::span<const RowIndex> rows, const Table* background,
                         const ExplainSettings& settings, const Parallel& parallel,
                         const Control& control = {});

}  // namespace softwood
