// The changes that evolution makes: Krętowski & Grześ 2005, sections 2.1 and 2.2. All of them leave
// valid individuals.
#pragma once

#include <limits>

#include "stages/evolve/router.h"

namespace softwood::evolve {

// What a mutation does to a node. All are for inner nodes; see split_leaf for leaves.
enum class Mutation : uint8_t {
  prune,         // becomes a leaf
  threshold,     // a new threshold for the same input; for numeric tests
  test,          // a new input and threshold
  neighbour,     // the subtree is replaced by a copy of a sibling's; not for the root
  swap_with_son  // exchanges its test with a son's that has as many outcomes
};
// CrossTrees, figure 2: a, b, c.
enum class Crossing : uint8_t { subtrees, tests, branches };

class Operators {
 public:
  // Dipolar subtrees in place of leaves have at most so many levels of tests; inner nodes that
  // mutate become leaves with this chance.
  Operators(const CodedRows& rows, const Fitness& fitness,
            size_t most_levels = std::numeric_limits<size_t>::max(), double pruning = 0.5);

  Router& router() { return router_; }
  size_t features() const { return rows_.axes().size(); }

  // A tree by random tests that part two rows with different targets (a dipole), until leaves are
  // pure or too small to pay; subtrees that do not pay are cut.
  void dipolar_tree(Individual& tree, Random& random,
                    size_t levels = std::numeric_limits<size_t>::max());

  // Whether a node allows a mutation; no leaf does.
  bool allows(const Individual& tree, size_t node, Mutation mutation) const;
  void mutate(Individual& tree, size_t node, Mutation mutation, Random& random);
  // A mixed leaf gets a random test, or a dipolar subtree.
  void split_leaf(Individual& tree, size_t node, Random& random);
  void grow_leaf(Individual& tree, size_t node, Random& random);
  // MutateNode: a node at random changes in one of the ways it allows. Returns how many nodes of
  // the array, from `node` on, are new.
  size_t mutate_node(Individual& tree, size_t node, Random& random);
  // To every node with this probability.
  void mutate_tree(Individual& tree, double probability, Random& random);

  bool allows(const Individual& a, size_t node_a, const Individual& b, size_t node_b,
              Crossing crossing) const;
  void cross(Individual& a, size_t node_a, Individual& b, size_t node_b, Crossing crossing,
             Random& random);
  // CrossTrees: a random node of each, and one of the ways that they allow.
  void cross_trees(Individual& a, Individual& b, Random& random);

  // A random test that parts at least two of the rows at a place; false when none was found. Of
  // another input than `except`, unless there is no other.
  bool random_test(RowSet at, Random& random, Gene& test, uint32_t except = no_feature);
  // The threshold of a numeric test moves a little.
  void nudge(Individual& tree, size_t node, Random& random);

 private:
  bool random_cut(RowSet at, uint32_t feature, Random& random, Gene& test);
  bool dipole(RowSet at, Random& random, Gene& test);
  bool part_rows(size_t a, size_t b, Random& random, Gene& test);
  // What ends the growth of a dipolar tree: levels of tests, and what nodes cost in the tree that
  // is grown. Parts are cut at the least price that nodes can have in it when it is finished.
  struct Growth {
    size_t levels;
    double price, least_price;
  };
  void grow_dipolar(RowSet at, uint32_t branch, const Growth& growth, Random& random, Genes& out);
  size_t random_row(RowSet at, Random& random);
  // The chance of a row is its weight, as if rows that were merged were still apart.
  size_t row_by_weight(const Word* set, size_t count, Random& random) const;
  void swap_tests(Genes& genes, size_t a, size_t b) const;
  size_t outcomes(std::span<const Gene> genes, size_t node) const;

  const CodedRows& rows_;
  const Fitness& fitness_;
  Router router_;
  size_t most_levels_;
  double pruning_;
  std::vector<uint32_t> usable_;  // features
  std::vector<uint32_t> apart_;   // features in which two rows differ
  Bits others_;
  Genes draft_, other_draft_, grown_, one_leaf_;
};

}  // namespace softwood::evolve
