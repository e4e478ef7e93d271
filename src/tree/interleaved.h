// Many rows down a tree of hard gates at once, each from node to node until it ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tree/tree.h"

namespace softwood {

struct Depths {
  uint32_t sure = 0;  // levels of nodes above the first leaf: every row goes down this far
  uint32_t all = 0;   // depth of the tree
};

// step(place, i) is the node after `place` for the row at i; a node where rows end leads to itself.
// step.ask_for(i) asks the memory for the cells of rows i to i + group - 1.
template <class Step>
class Interleaved {
 public:
  // Rows whose descents are interleaved: enough to hide the latency of a load, few enough that
  // their places stay in registers and the first cache. (8 and 32 are slower by a sixth.)
  static constexpr size_t group = 16;

  Interleaved(const Step& step, const Depths& depths) : step_(step), depths_(depths) {}

  // Rows 0, 1, … of the columns. Cells are asked for up to those of row `ask_until`, which may come
  // in a later call; 0: none.
  void contiguous(size_t rows, size_t ask_until, NodeIndex* out) const {
    size_t i = 0;
    for (; i + group <= rows; i += group) {
      if (i + group + rows_ahead <= ask_until) step_.ask_for(i + rows_ahead);
      descend(
          group, [i](size_t k) { return i + k; }, out + i);
    }
    descend(
        rows - i, [i](size_t k) { return i + k; }, out + i);
  }

  // Rows at 0, stride, 2 * stride, …
  void strided(size_t rows, ptrdiff_t stride, NodeIndex* out) const {
    for (size_t i = 0; i < rows; i += group) {
      const ptrdiff_t first = static_cast<ptrdiff_t>(i) * stride;
      const auto at = [=](size_t k) { return first + static_cast<ptrdiff_t>(k) * stride; };
      i + group <= rows ? descend(group, at, out + i) : descend(rows - i, at, out + i);
    }
  }

  void scattered(std::span<const RowIndex> rows, NodeIndex* out) const {
    size_t i = 0;
    for (; i + group <= rows.size(); i += group) {
      const RowIndex* const here = rows.data() + i;
      descend(
          group, [here](size_t k) { return size_t{here[k]}; }, out + i);
    }
    const RowIndex* const here = rows.data() + i;
    descend(
        rows.size() - i, [here](size_t k) { return size_t{here[k]}; }, out + i);
  }

 private:
  // Cells are asked for this many rows before they are needed. The processor can't guess that by
  // itself: which columns a row reads is known only on the way down.
  static constexpr size_t rows_ahead = 64;

  // Row k of the group is at position at(k).
  template <class At>
  void descend(size_t count, const At& at, NodeIndex* out) const {
    NodeIndex place[group] = {};
    for (uint32_t level = 0; level < depths_.sure; ++level) {
      for (size_t k = 0; k < count; ++k) place[k] = step_(place[k], at(k));
    }
    // Below the first leaf some rows have arrived.
    NodeIndex moved = 1;
    for (uint32_t level = depths_.sure; level < depths_.all && moved != 0; ++level) {
      moved = 0;
      for (size_t k = 0; k < count; ++k) {
        const NodeIndex next = step_(place[k], at(k));
        moved |= next ^ place[k];
        place[k] = next;
      }
    }
    std::copy_n(place, count, out);
  }

  Step step_;
  Depths depths_;
};

}  // namespace softwood
