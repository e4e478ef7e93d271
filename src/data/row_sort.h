// Row numbers sorted by 64-bit keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/control.h"
#include "base/memory.h"
#include "base/radix.h"

namespace softwood {

// Items of the radix sort: the row in the low bits, above it as many bits of the key as there is
// room for.
struct RowSort {
  // Below, the bucket tables of radix sorts cost more than they save.
  static constexpr size_t small = 3000;

  unsigned row_bits;

  uint32_t row(uint64_t item) const {
    return static_cast<uint32_t>(item & ((uint64_t{1} << row_bits) - 1));
  }
  uint64_t reduced_key(uint64_t item) const { return item >> row_bits; }

  // Sorts rows (the items) by key(row), equal keys by row; `other` is working memory. Keys are
  // reduced to the highest bits in which they differ; the rare runs that are equal in those are put
  // right by their whole keys.
  template <class Key>
  void sort(std::vector<uint64_t>& items, std::vector<uint64_t>& other, const Key& key,
            const Control& control) const {
    const auto by_key = [&](uint64_t a, uint64_t b) {
      const uint64_t key_a = key(row(a)), key_b = key(row(b));
      return key_a != key_b ? key_a < key_b : row(a) < row(b);
    };
    if (items.size() < small) {
      std::sort(items.begin(), items.end(), by_key);
      return;
    }
    const unsigned dropped = add_keys(items, other, key, control);
    for (auto begin = items.begin(); dropped > 0 && begin != items.end();) {
      auto end = begin + 1;
      while (end != items.end() && reduced_key(*end) == reduced_key(*begin)) ++end;
      if (end - begin > 1 && !std::is_sorted(begin, end, by_key)) std::sort(begin, end, by_key);
      begin = end;
    }
  }

 private:
  static constexpr unsigned digit_bits = 11, max_digits = 4;

  // Sorts by reduced keys; returns how many low bits they lack.
  template <class Key>
  unsigned add_keys(std::vector<uint64_t>& items, std::vector<uint64_t>& other, const Key& key,
                    const Control& control) const {
    uint64_t low = ~uint64_t{0}, high = 0;
    each_block(items.size(), control, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        low = std::min(low, key(row(items[i])));
        high = std::max(high, key(row(items[i])));
      }
    });
    const auto range_bits = static_cast<unsigned>(std::bit_width(high - low));
    const unsigned key_bits = std::min({range_bits, 64 - row_bits, max_digits * digit_bits});
    const unsigned dropped = range_bits - key_bits;
    each_block(items.size(), control, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        items[i] |= ((key(row(items[i])) - low) >> dropped) << row_bits;
      }
    });
    reserve_large(other, items.size());
    const unsigned digits = (key_bits + digit_bits - 1) / digit_bits;
    radix_sort<digit_bits>(items, other, row_bits, digits, [&] { control.throw_if_interrupted(); });
    return dropped;
  }
};

}  // namespace softwood
