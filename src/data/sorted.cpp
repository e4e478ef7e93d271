#include "data/sorted.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

namespace softwood {
namespace {

// Order-preserving map from double to uint64; -0 and +0 get the same key.
uint64_t ordered_key(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);
  constexpr uint64_t sign = uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

struct Keyed {
  std::vector<uint64_t> key;  // of each known row
  std::vector<uint32_t> row;
};

// One pass of a least-significant-digit radix sort; `packed` holds the digit from bit `shift` on.
void radix_pass(const std::vector<uint64_t>& from, std::vector<uint64_t>& to, unsigned shift) {
  constexpr size_t buckets = 2048;
  std::array<uint32_t, buckets> start{};
  for (const uint64_t item : from) ++start[(item >> shift) & (buckets - 1)];
  uint32_t sum = 0;
  for (uint32_t& count : start) sum += std::exchange(count, sum);
  for (const uint64_t item : from) to[start[(item >> shift) & (buckets - 1)]++] = item;
}

// Sorts by the 32 highest bits in which the keys differ, then puts right the rare runs that are
// equal in those. Packed items are (reduced key << 32 | position), so equal keys stay in order.
void sort_large(Keyed& keyed) {
  const size_t n = keyed.key.size();
  const auto [low, high] = std::minmax_element(keyed.key.begin(), keyed.key.end());
  const uint64_t base = *low;
  const auto range_bits = static_cast<unsigned>(std::bit_width(*high - base));
  const unsigned drop = range_bits > 32 ? range_bits - 32 : 0;
  std::vector<uint64_t> packed(n), buffer(n);
  for (size_t i = 0; i < n; ++i) packed[i] = (((keyed.key[i] - base) >> drop) << 32) | i;
  for (unsigned digit = 0; digit < std::min(range_bits, 32U); digit += 11) {
    radix_pass(packed, buffer, 32 + digit);
    packed.swap(buffer);
  }
  const auto full_key = [&](uint64_t item) { return keyed.key[item & 0xFFFFFFFFU]; };
  const auto by_full_key = [&](uint64_t a, uint64_t b) {
    const uint64_t key_a = full_key(a), key_b = full_key(b);
    return key_a != key_b ? key_a < key_b : (a & 0xFFFFFFFFU) < (b & 0xFFFFFFFFU);
  };
  for (size_t begin = 0; drop > 0 && begin < n;) {
    size_t end = begin + 1;
    while (end < n && packed[end] >> 32 == packed[begin] >> 32) ++end;
    const auto first = packed.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = packed.begin() + static_cast<std::ptrdiff_t>(end);
    if (end - begin > 1 && !std::is_sorted(first, last, by_full_key)) {
      std::sort(first, last, by_full_key);
    }
    begin = end;
  }
  std::vector<uint32_t> row(n);
  std::vector<uint64_t>& key = buffer;
  for (size_t i = 0; i < n; ++i) {
    row[i] = keyed.row[packed[i] & 0xFFFFFFFFU];
    key[i] = full_key(packed[i]);
  }
  keyed.row = std::move(row);
  keyed.key = std::move(key);
}

void sort_small(Keyed& keyed) {
  std::vector<std::pair<uint64_t, uint32_t>> pairs(keyed.key.size());
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keyed.key[i], keyed.row[i]};
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 0; i < pairs.size(); ++i) std::tie(keyed.key[i], keyed.row[i]) = pairs[i];
}

}  // namespace

SortedColumn sort_column(const Column& column) {
  const size_t rows = column.kind == Kind::numeric ? column.numbers.size() : column.codes.size();
  SortedColumn sorted;
  Keyed keyed;
  keyed.key.reserve(rows - column.missing);
  keyed.row.reserve(rows - column.missing);
  for (size_t row = 0; row < rows; ++row) {
    if (column.is_missing(row)) continue;
    keyed.key.push_back(ordered_key(column.value(row)));
    keyed.row.push_back(static_cast<uint32_t>(row));
  }
  constexpr size_t small = 3000;  // below, the radix sort's bucket tables cost more than they save
  if (keyed.key.size() < small) {
    sort_small(keyed);
  } else {
    sort_large(keyed);
  }
  sorted.known = keyed.key.size();
  sorted.order = std::move(keyed.row);
  for (size_t i = 0; i < sorted.known; ++i) {
    if (i == 0 || keyed.key[i] != keyed.key[i - 1]) sorted.order[i] |= new_value_mark;
  }
  sorted.order.reserve(rows);
  for (size_t row = 0; row < rows && sorted.order.size() < rows; ++row) {
    if (column.is_missing(row)) sorted.order.push_back(static_cast<uint32_t>(row));
  }
  return sorted;
}

const std::vector<SortedColumn>& Derived::sorted(const Parallel& parallel) {
  const std::lock_guard lock(mutex_);
  if (sorted_.empty() && table_.features() > 0) {
    std::vector<SortedColumn> sorted(table_.features());
    const auto sort_one = [&](size_t feature) {
      if (table_.input(feature).kind != Kind::nominal) sorted[feature] = sort_column(table_.input(feature));
    };
    constexpr size_t worth_threads = 20000;
    if (table_.rows() * table_.features() < worth_threads) {
      for (size_t feature = 0; feature < sorted.size(); ++feature) sort_one(feature);
    } else {
      parallel.each(sorted.size(), sort_one);
    }
    sorted_ = std::move(sorted);
  }
  return sorted_;
}

}  // namespace softwood
