// A tree as the search keeps it: its nodes in one array, each before its children (preorder), so
// that a subtree is a stretch of the array and crossing two trees is cutting and pasting.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace softwood::evolve {

constexpr uint32_t no_feature = ~0U;

struct Gene {
  uint32_t size = 1;              // nodes of the subtree, this one included
  uint32_t feature = no_feature;  // no_feature: a leaf
  uint32_t cut = 0;               // numeric: rows with a code of at most this go to the first child
  uint32_t branch = 0;            // under a nominal test: the level that leads here
  bool missing_first = false;     // numeric: where rows without a value go
  bool mixed = false;             // leaf: its rows have different targets
  bool settled = false;           // inner: the exact choice of its test found nothing better, and
                                  // neither its rows nor its subtree changed since
  uint32_t answer = 0;            // leaf: class that costs least
  double loss = 0;                // leaf: of its rows; 0 elsewhere
  double mean = 0;                // leaf: answer of regression, measured from the mean of all

  bool is_leaf() const { return feature == no_feature; }
};
// What they are; not what was tried with them.
inline bool operator==(const Gene& a, const Gene& b) {
  return a.size == b.size && a.feature == b.feature && a.cut == b.cut && a.branch == b.branch &&
         a.missing_first == b.missing_first && a.mixed == b.mixed && a.answer == b.answer &&
         a.loss == b.loss && a.mean == b.mean;
}

using Genes = std::vector<Gene>;

// Calls body(index of child) for each child of node i.
template <class Body>
void each_child(std::span<const Gene> genes, size_t i, const Body& body) {
  for (size_t c = i + 1; c < i + genes[i].size; c += genes[c].size) body(c);
}
inline size_t children_of(std::span<const Gene> genes, size_t i) {
  size_t count = 0;
  each_child(genes, i, [&](size_t) { ++count; });
  return count;
}
// The n-th child of node i; there must be as many.
inline size_t nth_child(std::span<const Gene> genes, size_t i, size_t n) {
  size_t c = i + 1;
  for (; n > 0; --n) c += genes[c].size;
  return c;
}
// i must not be the root, 0.
inline size_t parent_of(std::span<const Gene> genes, size_t i) {
  size_t p = i - 1;
  while (p + genes[p].size <= i) --p;
  return p;
}

inline double loss_of(std::span<const Gene> genes) {
  double loss = 0;
  for (const Gene& gene : genes) loss += gene.loss;  // inner nodes have none
  return loss;
}
// The loss of the leaves that are not below node i.
inline double loss_elsewhere(std::span<const Gene> genes, size_t i) {
  double loss = 0;
  for (size_t n = 0; n < genes.size(); ++n) {
    if (n < i || n >= i + genes[i].size) loss += genes[n].loss;
  }
  return loss;
}

// With what is known of the whole tree.
struct Individual {
  Genes genes = {Gene{}};
  double loss = 0;  // of all leaves
  double size = 1;  // nodes, those that ask counted by what their input costs
  uint32_t leaves = 1;
  double fitness = 0;
  bool settled = false;  // polishing found nothing better
};

}  // namespace softwood::evolve
