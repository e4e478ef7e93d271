// Sends rows down genomes. Rows are not kept by node: those of any node are the "and" of the tests
// on its path, which costs less than copying lists of rows with every offspring would. So a change
// costs the path to the changed node and the subtree below it, and nothing elsewhere.
//
// One object a thread; it has all the working memory, so nothing is allocated once it is warm.
#pragma once

#include "base/random.h"
#include "stages/evolve/coded.h"
#include "stages/evolve/objective.h"

namespace softwood::evolve {

// A set of rows at some depth of a path.
struct Place {
  size_t depth = 0;
  size_t count = 0;  // rows (not their weight)
};

class Router {
 public:
  Router(const CodedRows& rows, const Objective& objective);

  const CodedRows& rows() const { return rows_; }
  const Objective& objective() const { return objective_; }
  // The set of the place that was made last for its depth.
  Word* set(size_t depth);

  // The rows of all, and of a node of a tree.
  Place top();
  Place go_to(std::span<const Gene> genes, size_t node);
  // From a place at an inner node to one of its children. False when no row goes there.
  Place child(Place at, std::span<const Gene> genes, size_t node, size_t which_child);

  // Calls body(place, branch) for each outcome of a test that rows at the place have.
  template <class Body>
  void each_outcome(Place at, const Gene& test, const Body& body) {
    const Axis& axis = rows_.axes()[test.feature];
    Gene node[3] = {test, {}, {}};
    node[0].size = axis.nominal ? 2 : 3;
    if (axis.nominal) {
      for (node[1].branch = 0; node[1].branch < axis.values; ++node[1].branch) {
        const Word* const level = rows_.level(axis, node[1].branch);
        if (count_common(set(at.depth), level, rows_.words()) == 0) continue;
        body(child(at, node, 0, 1), node[1].branch);
      }
      return;
    }
    for (size_t c = 1; c < 3; ++c) {
      const Place below = child(at, node, 0, c);
      if (below.count > 0) body(below, 0U);
    }
  }

  // The level that most rows at a place have: rows without one join it.
  uint32_t heaviest_level(Place at, const Axis& axis);

  // The draft of a subtree for the rows at a place as a real one, appended to `out`: leaves are
  // judged, parts without rows are removed, levels that the draft has no branch for get a leaf, and
  // nodes at the depth limit are leaves. With `prune`, subtrees that are worth less than a leaf
  // in their place are cut.
  void route(std::span<const Gene> draft, size_t node, Place at, uint32_t branch, bool prune,
             Genes& out);
  // Leaves `tree` as a valid individual with the draft in the place of node i.
  void replace(Individual& tree, size_t node, std::span<const Gene> draft);
  // The same when the rows of the node are already known.
  void replace(Individual& tree, size_t node, Place at, std::span<const Gene> draft, bool prune);
  // Puts a subtree that is routed already there.
  void paste(Individual& tree, size_t node, std::span<const Gene> subtree) const;
  // All of the genome from scratch.
  void reroute(Individual& tree, bool prune);

  // A leaf for the rows at a place, not yet in any tree.
  Gene leaf_of(Place at, uint32_t branch);
  // Drops the subtree that begins at out[start] in favour of the leaf when that is worth more.
  void prune_last(Genes& out, size_t start, const Gene& leaf) const;

 private:
  struct Levels {
    uint32_t heaviest = 0;  // the level that most rows have: those without one join it
    size_t missing = 0;     // rows without a level
    size_t present = 0;     // levels with rows
  };
  Levels count_levels(Place at, const Axis& axis, std::vector<size_t>& counts) const;
  Place level_child(Place at, const Axis& axis, uint32_t level, const Levels& levels);
  void route_levels(std::span<const Gene> draft, size_t node, Place at, uint32_t branch, bool prune,
                    Genes& out);
  void route_cut(std::span<const Gene> draft, size_t node, Place at, uint32_t branch, bool prune,
                 Genes& out);
  void close(Genes& out, size_t start, Place at, bool prune);

  const CodedRows& rows_;
  const Objective& objective_;
  std::vector<Bits> sets_;   // by depth
  std::vector<Bits> sides_;  // by depth: the first side of a test, where it is not stored
  std::vector<double> sums_;
  std::vector<std::vector<size_t>> level_counts_;  // by depth
  Genes routed_;
};

}  // namespace softwood::evolve
