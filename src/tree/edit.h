// Changes of shape that several stages make.
#pragma once

#include "tree/tree.h"

namespace softwood {

// Puts `fragment` in place of leaf `leaf`: gates, sums and notes are moved out of the fragment.
void graft(Tree& tree, NodeIndex leaf, Tree& fragment);

// The branch that begins at `node`, as a tree of its own that gives every row the answer that the
// branch would.
Tree branch_of(const Tree& tree, NodeIndex node);

// The tree with, in place of each node that has all its rows in one child, this child. With `least`
// a child of no more weight has no rows; where all children have so little, the heaviest stays.
// Sums are not counted again.
Tree without_empty_branches(const Tree& tree, double least = 0);

// Adds the sums of other rows to `sums`: weights of classes, or weight, mean and squared deviations
// (combined as by Chan, Golub & LeVeque 1979).
void add_sums(Task task, std::span<double> sums, std::span<const double> more);
// Adds `weight` of a row's target to `sums`. The row must have one that the tree knows.
void add_row(Task task, std::span<double> sums, const Table& table, RowIndex row, double weight);
// Where no training row lacked a value, such a row goes to the heaviest child. To be called when
// sums have changed.
void send_unseen_to_heaviest(Tree& tree);
// Counts more training rows: adds them to the sums of all nodes that they pass, and to the weight
// of the missing values.
void count_rows(Tree& tree, const Table& table, std::span<const RowIndex> rows);

// The same tree with leaves that answer with what their rows are.
Tree without_leaf_models(Tree tree);

}  // namespace softwood
