// The prune stage.
#pragma once

#include "fit/complexity.h"
#include "stages/stage.h"

namespace softwood::prune {

// Fills the cross-validated columns of the table of `context.rows`: for every fold the recipe so
// far is run on the rows of the other folds, and its sequence answers for the fold's rows.
// fold_of[i] belongs to context.rows[i].
void cross_validate_table(ComplexityTable& table, std::span<const uint32_t> fold_of, size_t folds,
                          fit::Sequence sequence, const Context& context);

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
std::vector<TraitRule> traits();
std::vector<ForeignWord> foreign_words();

}  // namespace softwood::prune
