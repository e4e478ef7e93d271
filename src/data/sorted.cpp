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
  const auto all_if_negative = static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63);
  return bits ^ (all_if_negative | uint64_t{1} << 63);
}

// Items of the radix sort: the reduced key in the high half, the row in the low half.
uint32_t row_of(uint64_t item) { return static_cast<uint32_t>(item); }
uint64_t reduced_key(uint64_t item) { return item >> 32; }

constexpr unsigned digit_bits = 11;
constexpr size_t buckets = size_t{1} << digit_bits;

// Sorts by the reduced keys, least significant digit first, so that equal keys stay in row order.
void radix_sort(std::vector<uint64_t>& items, unsigned key_bits) {
  const unsigned digits = (key_bits + digit_bits - 1) / digit_bits;
  std::array<std::array<uint32_t, buckets>, 3> start{};
  for (const uint64_t item : items) {
    for (unsigned d = 0; d < digits; ++d) ++start[d][(item >> (32 + d * digit_bits)) % buckets];
  }
  std::vector<uint64_t> other(items.size());
  for (unsigned d = 0; d < digits; ++d) {
    uint32_t sum = 0;
    for (uint32_t& count : start[d]) sum += std::exchange(count, sum);
    for (const uint64_t item : items) other[start[d][(item >> (32 + d * digit_bits)) % buckets]++] = item;
    items.swap(other);
  }
}

// The rows with a value, sorted by it. Keys are reduced to the 32 highest bits in which they differ;
// the rare runs that are equal in those are put right by their whole keys.
template <class Key>
std::vector<uint64_t> sort_rows(std::vector<uint64_t> items, const Key& key) {
  uint64_t low = ~uint64_t{0}, high = 0;
  for (const uint64_t item : items) {
    low = std::min(low, key(item));
    high = std::max(high, key(item));
  }
  const auto by_key = [&](uint64_t a, uint64_t b) {
    const uint64_t key_a = key(a), key_b = key(b);
    return key_a != key_b ? key_a < key_b : row_of(a) < row_of(b);
  };
  constexpr size_t small = 3000;  // below, the radix sort's bucket tables cost more than they save
  if (items.size() < small) {
    std::sort(items.begin(), items.end(), by_key);
    return items;
  }
  const auto range_bits = static_cast<unsigned>(std::bit_width(high - low));
  const unsigned dropped = range_bits > 32 ? range_bits - 32 : 0;
  for (uint64_t& item : items) item |= ((key(item) - low) >> dropped) << 32;
  radix_sort(items, range_bits - dropped);
  for (auto begin = items.begin(); dropped > 0 && begin != items.end();) {
    auto end = begin + 1;
    while (end != items.end() && reduced_key(*end) == reduced_key(*begin)) ++end;
    if (end - begin > 1 && !std::is_sorted(begin, end, by_key)) std::sort(begin, end, by_key);
    begin = end;
  }
  return items;
}

}  // namespace

SortedColumn sort_column(const Column& column) {
  const size_t rows = column.kind == Kind::numeric ? column.numbers.size() : column.codes.size();
  const auto key = [&](uint64_t item) { return ordered_key(column.value(row_of(item))); };
  std::vector<uint64_t> items;
  items.reserve(rows - column.missing);
  for (size_t row = 0; row < rows; ++row) {
    if (!column.is_missing(row)) items.push_back(row);
  }
  items = sort_rows(std::move(items), key);
  SortedColumn sorted;
  sorted.known = items.size();
  sorted.order.reserve(rows);
  uint64_t before = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const uint64_t item = items[i];
    // Whole keys are looked up only where the reduced ones do not decide.
    const bool is_new = i == 0 || reduced_key(item) != reduced_key(before) || key(item) != key(before);
    sorted.order.push_back(row_of(item) | (is_new ? new_value_mark : 0));
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
