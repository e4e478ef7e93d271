// A split that was found, and the sums of its children: what exact and binned growth share.
#pragma once

#include "stages/grow/limits.h"
#include "stages/grow/search.h"
#include "tree/tree.h"

namespace softwood::grow {

struct Split {
  Gate gate;
  Missing missing;
  double improvement = 0;  // summed over the node's weight
};

// The training targets as the search wants them, one slot a row. Throws when there are no rows or
// they weigh nothing.
Target make_target(const Table& table, std::span<const RowIndex> rows);
std::unique_ptr<SplitSearch> make_search(const Options& options, const Target& target);

// The cell (statistics of the search) of a node with these sums, and the other way round is not
// possible: sums of regression nodes hold the squared deviations too.
std::vector<double> cell_of(const Tree& tree, NodeIndex node, const Target& target);

// Adds the slots to the sums of a new node (two passes for regression).
void set_sums(Tree& tree, NodeIndex node, const Target& target, std::span<const uint32_t> slots);

// Whether a node may be split at all, before anything is searched.
bool may_split(const Tree& tree, NodeIndex node, size_t depth, const Limits& limits,
               double root_deviation);
// Whether the best split found is good enough.
bool good_enough(const Tree& tree, NodeIndex node, double improvement, const Limits& limits);

// Where rows without a value go when none were seen: to the heavier side.
uint32_t heavier_child(const Tree& tree, NodeIndex first_child, uint32_t children);

}  // namespace softwood::grow
