// Partial dependence and the curves of single rows.
#pragma once

#include "explain/shapley.h"

namespace softwood {

// A usage Error for inputs that the model does not have.
PartialDependence partial_dependence(const ExplainedTree& tree, const Table& table,
                                     const PartialSettings& settings, const Parallel& parallel,
                                     const Control& control = {});

// The position of an input of the model; a usage Error with what is near where there is none.
uint32_t input_index(const LoweredTree& tree, const std::string& name);

// Values of a column for a grid, ascending: of numbers at most `points` quantiles of those that are
// there, of levels all.
std::vector<double> grid_of(const LoweredInput& input, const Column& column, size_t points);

}  // namespace softwood
