// New numbers of some slots: how many of them come before. Bits and counts of 32 slots at a time
// fit in a cache where a table of all new numbers would not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stages/grow/statistics.h"

namespace softwood::grow {

class Ranks {
 public:
  // Words of working memory for slots below `slots`.
  static size_t words(size_t slots) { return 2 * (slots / 32 + 1); }

  // `slots` ascend. `memory` may hold anything, and must stay.
  Ranks(std::span<const uint32_t> slots, uint32_t* memory);

  // Entries of format `from`, of the slots given, get their new numbers. Marks stay; the class of
  // an entry goes along where both formats have one, else it is 0.
  void renumber(std::span<uint32_t> entries, const EntryFormat& from, const EntryFormat& to) const;

 private:
  uint32_t* memory_;  // for 32 slots each: their bits, and the number of slots before them
};

}  // namespace softwood::grow
