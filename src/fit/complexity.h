// Minimal cost-complexity pruning: Breiman, Friedman, Olshen & Stone 1984;
// R_alpha(T) = R(T) + alpha * leaves (Vanschoren et al., section 4.7.2). Costs are shares of the
// root's risk here, as rpart's CP.
#pragma once

#include <span>
#include <vector>

#include "base/control.h"
#include "tree/model.h"

namespace softwood::fit {

// weakest_link: exact, so that every tree of the sequence is the best one for its alphas.
// rpart: the alphas that rpart computes. It works from the leaves upwards and takes a branch that
// falls before its parent as fallen when the grandparent is looked at, too, which can make an alpha
// too small. For those who need rpart's table to the digit.
enum class Sequence { weakest_link, rpart };

// Sets the alpha note of every inner node: its split is part of the best subtree for all alpha
// below it. Along a path alphas never increase.
void note_alphas(Tree& tree, Sequence sequence, const Control& control = {});
// The same with another risk of every node; the tree is canonical.
void note_alphas(Tree& tree, std::span<const double> risk, Sequence sequence,
                 const Control& control = {});

// The nested sequence of best subtrees, smallest first, from the alpha notes. The last one is the
// best subtree for alpha = 0. Cross-validated columns are left empty.
ComplexityTable complexity_table(const Tree& tree);
ComplexityTable complexity_table(const Tree& tree, std::span<const double> risk);

// The risk of every node: Tree::risk, weight * Gini index, weight * entropy in bits, or the sum of
// squared deviations.
enum class Risk { error, gini, entropy, variance };
std::vector<double> risks_of(const Tree& tree, Risk risk);

// Marks the row that the tree is as chosen, where there is one: trees of a sequence are within each
// other, so that the number of leaves tells.
void mark_tree(const Tree& tree, ComplexityTable& table);

// The best subtree for alpha: splits with a larger alpha note stay.
Tree pruned_at(Tree tree, double alpha);

// Errors on other rows of every tree of a sequence: entry i belongs to alphas[i], which descend.
// `sum` adds up weight * loss of each row, `squares` weight * loss^2; the loss is 0 or 1, or the
// squared error. `among` are the rows that the units of exact sums are made for: all those of the
// folds, so that no fold has its own, and none that have no part in the training.
struct SequenceErrors {
  std::vector<double> sum, squares;
};
SequenceErrors sequence_errors(const Tree& tree, std::span<const double> alphas, const Table& table,
                               std::span<const RowIndex> rows, std::span<const RowIndex> among,
                               const Control& control = {});

// The alphas at which the trees of other samples stand for the rows of the table: geometric means
// of neighbouring ones (Breiman et al. 1984; the first stands for infinity).
std::vector<double> typical_alphas(const ComplexityTable& table);

// The same for the tree of another sample: alphas are shares of the root's risk; what must be equal
// is the cost of a leaf per row.
std::vector<double> alphas_for(const Tree& tree, const ComplexityTable& table);

void add_errors(SequenceErrors& to, const SequenceErrors& more);

// Fills xerror and xstd from summed errors on `weight` of rows, as rpart does.
void set_cross_validated(ComplexityTable& table, const SequenceErrors& errors, double weight);

// The row with the smallest xerror, or with `one_se` the smallest tree whose xerror is at most one
// standard error above it.
size_t best_row(const ComplexityTable& table, bool one_se);

}  // namespace softwood::fit
