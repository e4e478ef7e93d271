// Copies of rows that say nothing of their own: a tree that has learned from one of them has seen
// the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/control.h"
#include "data/table.h"

namespace softwood::choice {

struct Copies {
  std::vector<uint32_t> first;  // by position in the rows: the position of the first equal row
  size_t different = 0;
  // Equal rows are copies, not what came out equal by chance: every row stands as often as a
  // multiple of some number above 1, or some numeric input or target has other values in most of
  // the rows that differ. Rows of levels and of few numbers are equal by chance.
  bool copied = false;

  bool any() const { return different < first.size(); }
};
Copies copies_of(const Table& table, std::span<const RowIndex> rows, const Control& control);

}  // namespace softwood::choice
