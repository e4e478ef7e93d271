// Sends rows down genomes. Rows are not kept by node: those of any node are the "and" of the tests
// on its path, which costs less than copying lists of rows with every offspring would. So a change
// costs the path to the changed node and the subtree below it, and nothing elsewhere.
//
// One object per thread; it has all the working memory, so nothing is allocated once it is warm.
#pragma once

#include <optional>

#include "base/random.h"
#include "stages/evolve/coded.h"
#include "stages/evolve/fitness.h"

namespace softwood::evolve {

// A set of rows at some depth of a path.
struct RowSet {
  size_t depth = 0;
  size_t count = 0;  // rows (not their weight)
};

class Router {
 public:
  Router(const CodedRows& rows, const Fitness& fitness);

  const CodedRows& rows() const { return rows_; }
  const Fitness& fitness() const { return fitness_; }
  // The set of the place that was made last for its depth.
  Word* set(size_t depth);

  // The rows of all, and of a node of a tree.
  RowSet top();
  RowSet go_to(std::span<const Gene> genes, size_t node);
  // From a place at an inner node to one of its children, which may have no rows.
  RowSet child(RowSet at, std::span<const Gene> genes, size_t node, size_t which_child);

  // Calls body(place, branch) for each outcome of a test that rows at the place have. Where levels
  // are listed, leaf(gene) is asked first, with the leaf that the rows would make: when it is
  // enough (true), no place is made, and the time is that of the rows.
  template <class Leaf, class Body>
  void each_outcome(RowSet at, const Gene& test, const Leaf& leaf, const Body& body) {
    const Axis& axis = rows_.axes()[test.feature];
    set(at.depth + 1);
    if (axis.nominal) {
      const Levels levels = count_levels(at, axis, false);
      for (uint32_t level = 0; level < axis.values; ++level) {
        if (level_counts_[at.depth][level] == 0) continue;
        if (!needs_set(axis, level, levels) && leaf(leaf_of_level(at, axis, level))) {
          continue;
        }
        body(level_child(at, axis, level, levels), level);
      }
      return;
    }
    Gene node[3] = {test, {}, {}};
    node[0].size = 3;
    for (size_t c = 1; c < 3; ++c) {
      const RowSet below = child(at, node, 0, c);
      if (below.count > 0) body(below, 0U);
    }
  }

  // Calls body(place, child) for each child of an inner node whose rows are at the place.
  template <class Body>
  void each_place(RowSet at, std::span<const Gene> genes, size_t node, const Body& body) {
    const Axis& axis = rows_.axes()[genes[node].feature];
    set(at.depth + 1);
    const Levels levels =
        axis.nominal && axis.any_missing ? count_levels(at, axis, false) : Levels{};
    each_child(genes, node, [&](size_t c) {
      body(
          axis.nominal ? level_child(at, axis, genes[c].branch, levels) : child(at, genes, node, c),
          c);
    });
  }

  // The level of the most weight at a place: rows without one join it.
  uint32_t heaviest_level(RowSet at, const Axis& axis);
  // How many levels the rows at a place have, and whether a test may have so many outcomes
  // (Fitness::most_outcomes).
  size_t levels_at(RowSet at, const Axis& axis);
  bool affords(size_t outcomes) const { return outcomes <= most_outcomes_; }

  // The draft of a subtree for the rows at a place as a real one, appended to `out`: leaves are
  // judged, parts without rows are removed, levels that the draft has no branch for get a leaf, and
  // nodes at the depth limit or with more outcomes than can pay are leaves. With a price of nodes,
  // subtrees that are worth less than a leaf in their place are cut.
  using Price = std::optional<double>;
  void route(std::span<const Gene> draft, size_t node, RowSet at, uint32_t branch, Price price,
             Genes& out);
  // Cuts what does not pay of the subtree for the rows at a place that begins at out[start] and was
  // pruned at `price`, which may be less than what nodes cost in the tree as it is then. `rest` is
  // the loss of the tree elsewhere.
  void prune_to_price(Genes& out, size_t start, RowSet at, double rest, double price);
  // Leaves `tree` as a valid individual with the draft in place of node i.
  void replace(Individual& tree, size_t node, std::span<const Gene> draft);
  // The same when the rows of the node are already known.
  void replace(Individual& tree, size_t node, RowSet at, std::span<const Gene> draft, bool prune);
  // Puts a subtree that is routed already there.
  void paste(Individual& tree, size_t node, std::span<const Gene> subtree) const;
  // All of the genome from scratch.
  void reroute(Individual& tree, bool prune);

  // A leaf for the rows at a place, not yet in any tree.
  Gene leaf_of(RowSet at, uint32_t branch);
  // Drops the subtree that begins at out[start] in favour of the leaf when that is worth more.
  void prune_last(Genes& out, size_t start, const Gene& leaf, double price) const;

 private:
  struct Levels {
    uint32_t heaviest = 0;  // the level of the most weight: rows without one join it
    size_t missing = 0;     // rows without a level
    size_t present = 0;     // levels with rows
  };
  // Leaves the rows of each level in level_counts_. Without `weigh` the heaviest level is looked
  // for only where rows have to join it, and is any with rows elsewhere.
  Levels count_levels(RowSet at, const Axis& axis, bool weigh);
  // Whether the rows of a level, and those without one that join it, are no list.
  static bool needs_set(const Axis& axis, uint32_t level, const Levels& levels) {
    return !axis.listed || (levels.missing > 0 && level == levels.heaviest);
  }
  RowSet level_child(RowSet at, const Axis& axis, uint32_t level, const Levels& levels);
  void route_levels(std::span<const Gene> draft, size_t node, RowSet at, uint32_t branch,
                    Price price, Genes& out);
  void route_cut(std::span<const Gene> draft, size_t node, RowSet at, uint32_t branch, Price price,
                 Genes& out);
  void route_pruned(std::span<const Gene> draft, RowSet at, uint32_t branch, double rest,
                    Genes& out);
  Gene leaf_of_level(RowSet at, const Axis& axis, uint32_t level);
  void close(Genes& out, size_t start, RowSet at, Price price);

  const CodedRows& rows_;
  const Fitness& fitness_;
  std::vector<Bits> sets_;   // by depth
  std::vector<Bits> sides_;  // by depth: the first side of a test, where it is not stored
  std::vector<double> sums_;
  std::vector<std::vector<size_t>> level_counts_;  // by depth; the last count is of missing ones
  std::vector<int64_t> level_weights_;
  size_t most_outcomes_ = 2;
  Genes routed_, unpruned_;
};

}  // namespace softwood::evolve
