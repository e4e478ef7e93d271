// From genomes to trees.
#pragma once

#include "stages/evolve/router.h"
#include "tree/tree.h"

namespace softwood::evolve {

// The tree of a genome, with the sums of the rows, which are those that were coded.
Tree to_tree(std::span<const Gene> genes, Router& router, const Table& table,
             std::span<const RowIndex> rows);

// The same of rows that were merged before, with their sums.
Tree to_tree(std::span<const Gene> genes, Router& router, const Schema& schema,
             const MergedRows& rows);

// The cuts that genomes use, ascending, by input.
void add_used_cuts(std::span<const Gene> genes, const CodedRows& rows, Cuts& used);
// The same genome for rows that were coded with other cuts, among them all that it uses.
void translate(Genes& genes, const CodedRows& from, const CodedRows& to);

// A threshold can be anywhere between the largest value that it sends to the first child and the
// smallest that it sends to the second, of the rows that reach its node, without any row changing
// its way. Moves each to the middle of that gap, or, where gaps of several nodes that ask for one
// input overlap, to the middle of what they have in common: a tree does not ask for two thresholds
// where the rows speak for one.
void centre_cuts(Tree& tree, const Table& table, std::span<const RowIndex> rows);

}  // namespace softwood::evolve
