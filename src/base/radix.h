// Sorting whole numbers by some of their bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softwood {

// Sorts by `digits` digits of `digit_bits` bits each from bit `first_bit` on, at most four, least
// significant first, so that items which are equal in those stay in order. `other` is working
// memory. Calls before_pass() before each of its digits + 1 passes over the items.
template <unsigned digit_bits, class BeforePass>
void radix_sort(std::vector<uint64_t>& items, std::vector<uint64_t>& other, unsigned first_bit,
                unsigned digits, const BeforePass& before_pass) {
  constexpr size_t buckets = size_t{1} << digit_bits;
  constexpr unsigned most_digits = 4;
  const auto digit = [&](uint64_t item, unsigned d) {
    return (item >> (first_bit + d * digit_bits)) % buckets;
  };
  std::array<std::array<uint32_t, buckets>, most_digits> start;
  for (unsigned d = 0; d < digits; ++d) start[d].fill(0);
  before_pass();
  for (const uint64_t item : items) {
    for (unsigned d = 0; d < digits; ++d) ++start[d][digit(item, d)];
  }
  other.resize(items.size());
  for (unsigned d = 0; d < digits; ++d) {
    uint32_t sum = 0;
    for (uint32_t& count : start[d]) sum += std::exchange(count, sum);
    before_pass();
    for (const uint64_t item : items) other[start[d][digit(item, d)]++] = item;
    items.swap(other);
  }
}

}  // namespace softwood
