// Stable division of sorted entries in two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stages/grow/statistics.h"

namespace softwood::grow {

// Where the next entry of each side goes.
struct Halves {
  uint32_t *left, *right;
};

// More items than those that belong there may be written after the end of the right ones, and this
// many bytes after the last side may be read.
constexpr size_t division_slack = 16;

// Divides `count` entries by `side`, 0 or 1 by slot. Left ones go to out.left on, which may be
// where they come from, right ones to out.right on. An entry is marked when a mark was passed since
// the last one of its side, and at the beginning.
Halves divide_in_two(const uint32_t* entries, size_t count, const EntryFormat& format,
                     const uint8_t* side, Halves out);

// The same without vector instructions.
Halves divide_one_by_one(const uint32_t* entries, size_t count, const EntryFormat& format,
                         const uint8_t* side, Halves out);

}  // namespace softwood::grow
