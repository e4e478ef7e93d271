// The prune stage.
#pragma once

#include "fit/complexity.h"
#include "stages/stage.h"

namespace softwood::prune {

// Cost-complexity pruning from what is known of the tree alone, and the choice of its size by
// errors on other rows, wherever these are.
class CostComplexity {
 public:
  CostComplexity(const Options& options, Tree tree, const Control& control);

  bool is_chosen() const { return chosen_; }  // by alpha: no rows are needed
  const Tree& tree() const { return tree_; }  // the whole one, canonical, with alphas
  ComplexityTable& table() { return table_; }
  fit::Sequence sequence() const { return sequence_; }
  std::vector<double> alphas() const;  // of the rows of the table
  // By errors at the alphas of the table, on so much weight of rows.
  void choose(const fit::SequenceErrors& errors, double weight);
  void choose_best();  // by the columns of the table
  Tree pruned() &&;

 private:
  Tree tree_;
  fit::Sequence sequence_;
  bool one_se_, chosen_ = false;
  ComplexityTable table_;
};

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
