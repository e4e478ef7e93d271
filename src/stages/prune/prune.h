// The prune stage.
#pragma once

#include "fit/complexity.h"
#include "stages/stage.h"

namespace softwood::prune {

// One run per fold, which tests the tree of the others. fold_of[i] belongs to rows[i].
std::vector<Run> runs_of_folds(std::span<const RowIndex> rows, std::span<const uint32_t> fold_of,
                               size_t folds);

// Fills the cross-validated columns of the table of `context.rows`: for every run the recipe so far
// is run on its training rows, and its sequence answers for its test rows.
void cross_validate_table(ComplexityTable& table, std::span<const Run> runs, fit::Sequence sequence,
                          const Context& context);

Tree run(Context& context, Tree tree);
std::vector<OptionSpec> options();
std::vector<TraitRule> traits();
std::vector<ForeignWord> foreign_words();

}  // namespace softwood::prune
