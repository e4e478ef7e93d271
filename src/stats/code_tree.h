// Trees of binned growth as divisions of codes, in few bytes, and rows that walk down them from the
// root: each row is looked at once per tree, however many splits there are.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "data/bins.h"

namespace softwood {

// Codes below `right` are the first child's, others the second's, missing ones those of `missing`.
struct CodeSplit {
  uint32_t node = 0, feature = 0, first_child = 0, children = 2;
  uint32_t right = 0, missing = 0;
  std::vector<uint32_t> child_of_code;  // not empty: of every code instead, missing included
};

// Every node that is no split's is a leaf. Children have higher numbers than their parents.
struct CodeTree {
  std::vector<CodeSplit> splits;

  size_t nodes() const;
  std::vector<uint32_t> parents() const;  // of every node; the root is its own
  std::vector<bool> leaves() const;       // of every node, whether it is one
  void write(ByteWriter& out) const;
  static CodeTree read(ByteReader& in);
};

// Rows by place: those of place i are slots[begin[i]] … slots[begin[i + 1] - 1].
struct PlacedRows {
  std::vector<uint32_t> slots, begin;

  std::span<const uint32_t> at(size_t place) const {
    return {slots.data() + begin[place], begin[place + 1] - begin[place]};
  }
};

// Ready to be walked down by rows with these bins, to some of the leaves: the places.
class CodeWalk {
 public:
  // Failure Error where the tree is none, does not fit the bins or does not have the leaves.
  CodeWalk(const CodeTree& tree, const std::vector<FeatureBins>& bins,
           std::span<const uint32_t> leaves);

  // Those of the rows that end at the leaves. Their codes must be those of the bins.
  PlacedRows placed(const BinnedRows& rows, std::span<const uint32_t> slots) const;

 private:
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();
  // Of a leaf: no code is on the right, and the first child is itself.
  struct Step {
    uint32_t feature = 0, right = none, first = 0;
    uint32_t left_too = none;  // a code that is on the left, though it is not below `right`
    uint32_t table = none;     // none: by `right`
  };
  void add(const CodeSplit& split, const std::vector<FeatureBins>& bins);
  template <class Code, bool tables>
  void walk(const BinnedRows& rows, std::span<const uint32_t> slots, uint32_t* places) const;

  std::vector<Step> steps_;
  std::vector<uint32_t> child_of_code_;
  std::vector<uint32_t> place_of_node_;
  size_t places_ = 0;
};

}  // namespace softwood
