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

// 0 or 1 by slot: in bytes, or also in bits, which then are what is read. Bits of many slots stay
// in a nearer cache.
struct Sides {
  // NOLINTNEXTLINE(google-explicit-constructor): bytes alone are the usual case
  Sides(const uint8_t* by_bytes, const uint32_t* by_bits = nullptr)
      : bytes(by_bytes), bits(by_bits) {}
  const uint8_t* bytes;
  const uint32_t* bits;  // 32 slots per word
};

// Divides `count` entries by side. Left ones go to out.left on, which may be
// where they come from, right ones to out.right on. An entry is marked when a mark was passed since
// the last one of its side, and at the beginning.
Halves divide_in_two(const uint32_t* entries, size_t count, const EntryFormat& format,
                     const Sides& sides, Halves out);

// The same without vector instructions.
Halves divide_one_by_one(const uint32_t* entries, size_t count, const EntryFormat& format,
                         const Sides& sides, Halves out);

}  // namespace softwood::grow
