#include "data/sorted.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/radix.h"

namespace softwood {
namespace {

// Order-preserving map from double to uint64; -0 and +0 get the same key.
uint64_t ordered_key(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);
  const auto all_if_negative = static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63);
  return bits ^ (all_if_negative | uint64_t{1} << 63);
}

// Items of the radix sort: the row in the low bits, above it as many bits of the key as there is
// room for.
struct Layout {
  unsigned row_bits;
  uint32_t row(uint64_t item) const {
    return static_cast<uint32_t>(item & ((uint64_t{1} << row_bits) - 1));
  }
  uint64_t reduced_key(uint64_t item) const { return item >> row_bits; }
};

constexpr unsigned digit_bits = 11, max_digits = 4;

// Sorts rows (the items) by key(row). Keys are reduced to the highest bits in which they differ;
// the rare runs that are equal in those are put right by their whole keys.
template <class Key>
void sort_rows(std::vector<uint64_t>& items, const Layout& layout, const Key& key) {
  const auto by_key = [&](uint64_t a, uint64_t b) {
    const uint64_t key_a = key(layout.row(a)), key_b = key(layout.row(b));
    return key_a != key_b ? key_a < key_b : layout.row(a) < layout.row(b);
  };
  constexpr size_t small = 3000;  // below, the radix sort's bucket tables cost more than they save
  if (items.size() < small) {
    std::sort(items.begin(), items.end(), by_key);
    return;
  }
  uint64_t low = ~uint64_t{0}, high = 0;
  for (const uint64_t item : items) {
    low = std::min(low, key(layout.row(item)));
    high = std::max(high, key(layout.row(item)));
  }
  const auto range_bits = static_cast<unsigned>(std::bit_width(high - low));
  const unsigned key_bits = std::min({range_bits, 64 - layout.row_bits, max_digits * digit_bits});
  const unsigned dropped = range_bits - key_bits;
  for (uint64_t& item : items) {
    item |= ((key(layout.row(item)) - low) >> dropped) << layout.row_bits;
  }
  std::vector<uint64_t> other;
  const unsigned digits = (key_bits + digit_bits - 1) / digit_bits;
  radix_sort<digit_bits>(items, other, layout.row_bits, digits);
  for (auto begin = items.begin(); dropped > 0 && begin != items.end();) {
    auto end = begin + 1;
    while (end != items.end() && layout.reduced_key(*end) == layout.reduced_key(*begin)) ++end;
    if (end - begin > 1 && !std::is_sorted(begin, end, by_key)) std::sort(begin, end, by_key);
    begin = end;
  }
}

}  // namespace

SortedColumn sort_column(const Column& column) {
  const size_t rows = column.kind == Kind::numeric ? column.numbers.size() : column.codes.size();
  const Layout layout{static_cast<unsigned>(std::bit_width(rows))};
  const auto key = [&](uint32_t row) { return ordered_key(column.value(row)); };
  std::vector<uint64_t> items;
  items.reserve(rows - column.missing);
  for (size_t row = 0; row < rows; ++row) {
    if (!column.is_missing(row)) items.push_back(row);
  }
  sort_rows(items, layout, key);
  SortedColumn sorted;
  sorted.known = items.size();
  sorted.order.reserve(rows);
  uint64_t before = 0;
  for (const uint64_t item : items) {
    // Whole keys are looked up only where the reduced ones do not decide.
    const bool is_new = sorted.order.empty() ||
                        layout.reduced_key(item) != layout.reduced_key(before) ||
                        key(layout.row(item)) != key(layout.row(before));
    sorted.order.push_back(layout.row(item) | (is_new ? new_value_mark : 0));
    before = item;
  }
  for (size_t row = 0; sorted.order.size() < rows; ++row) {
    if (column.is_missing(row)) sorted.order.push_back(static_cast<uint32_t>(row));
  }
  return sorted;
}

void Derived::sort(const Parallel& parallel) {
  if (!sorted_.empty() || table_.features() == 0) return;
  std::vector<SortedColumn> sorted(table_.features());
  const auto sort_one = [&](size_t feature) {
    const Column& column = table_.input(feature);
    if (column.kind != Kind::nominal) sorted[feature] = sort_column(column);
  };
  constexpr size_t worth_threads = 20000;
  if (table_.rows() * table_.features() < worth_threads) {
    for (size_t feature = 0; feature < sorted.size(); ++feature) sort_one(feature);
  } else {
    parallel.each(sorted.size(), sort_one);
  }
  sorted_ = std::move(sorted);
}

const std::vector<SortedColumn>& Derived::sorted(const Parallel& parallel) {
  const std::lock_guard lock(mutex_);
  sort(parallel);
  return sorted_;
}

std::vector<SortedColumn> Derived::take_sorted(const Parallel& parallel) {
  const std::lock_guard lock(mutex_);
  sort(parallel);
  return std::exchange(sorted_, {});
}

}  // namespace softwood
