// Permutation importance (Breiman 2001, section 10): what a model loses on rows whose values of one
// input are shuffled among them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.h"
#include "softwood/measures.h"
#include "use/predict.h"

namespace softwood {

// For every input in the order of the schema; 0 for those that the tree does not use. The loss is
// the cost where errors have costs (per row), else the error, or the mse. Rows are shuffled by a
// seeded hash of their content, so that the result does not depend on their order, and a row of
// weight 2 is the row twice. `costs` as in evaluate. Asks before every
// shuffle whether it should end.
std::vector<InputImportance> permutation_importance(const Tree& tree, const Table& table,
                                                    size_t repeats, uint64_t seed,
                                                    const Parallel& parallel,
                                                    std::span<const double> costs = {},
                                                    const Control& control = {});

}  // namespace softwood
