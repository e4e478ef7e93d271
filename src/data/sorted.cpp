#include "data/sorted.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/memory.h"
#include "data/row_sort.h"

namespace softwood {
namespace {

// Order-preserving map from double to uint64; -0 and +0 get the same key.
uint64_t ordered_key(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);
  const auto all_if_negative = static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63);
  return bits ^ (all_if_negative | uint64_t{1} << 63);
}

constexpr size_t small = RowSort::small;

void append_missing(const Column& column, size_t rows, std::vector<uint32_t>& order) {
  for (size_t row = 0; order.size() < rows; ++row) {
    if (column.is_missing(row)) order.push_back(static_cast<uint32_t>(row));
  }
}

// Numbers in files mostly are whole numbers of some 10^-k. Those have the same order and are equal
// where the numbers are, and take few digits to sort by.
class DecimalKeys {
 public:
  // Says no when there is no k small enough.
  bool fit(const Column& column, size_t rows, const Control& control) {
    bool fits = true;
    each_block(rows, control, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end && fits; ++row) fits = fit_value(column.value(row));
    });
    if (!fits || !is_exact(least_) || !is_exact(largest_)) return false;
    low_ = whole(least_);
    range_bits_ = static_cast<unsigned>(
        std::bit_width(static_cast<uint64_t>(whole(largest_) - whole(least_))));
    return range_bits_ <= most_bits;
  }
  unsigned range_bits() const { return range_bits_; }
  uint32_t operator()(double value) const { return static_cast<uint32_t>(whole(value) - low_); }

 private:
  static constexpr double most_scale = 1e9;
  static constexpr unsigned most_bits = 32;

  bool fit_value(double value) {
    while (!is_exact(value)) {
      if (std::isnan(value)) break;
      if (scale_ == most_scale) return false;
      scale_ *= 10;
    }
    least_ = std::min(least_, value);  // NaN leaves both as they are
    largest_ = std::max(largest_, value);
    return true;
  }
  // Rounded by the addition of a number whose last bit counts 1.
  double rounded(double value) const {
    constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
    return (value * scale_ + magic) - magic;
  }
  // The nearest whole number, by so many powers of ten, is the value again. Quotients are rounded
  // correctly, so this holds for every larger scale, too, as long as the number is below 2^50.
  bool is_exact(double value) const {
    constexpr double most = 1125899906842624.0;  // 2^50
    const double near = rounded(value);
    return near / scale_ == value && std::abs(near) < most;
  }
  int64_t whole(double value) const { return static_cast<int64_t>(rounded(value)); }

  double scale_ = 1;
  double least_ = std::numeric_limits<double>::max(), largest_ = -least_;
  int64_t low_ = 0;
  unsigned range_bits_ = 0;
};

// Puts rows in the order of their keys' last digit, marking new values. Items come in the order of
// all lower digits: so equal keys come one after the other.
template <class Each>
void scatter_rows(const Each& each_item, unsigned shift, std::vector<uint32_t>& start,
                  std::vector<uint32_t>& order) {
  std::vector<uint64_t> last(start.size(), ~uint64_t{0});  // no key
  each_item([&](uint32_t key, uint32_t row) {
    const size_t digit = key >> shift;
    order[start[digit]++] = row | (last[digit] == key ? 0 : new_value_mark);
    last[digit] = key;
  });
}

// Sorts by keys of one or more digits, the lowest first. `order` has room for the rows with a
// value.
void sort_by_decimals(const Column& column, size_t rows, const DecimalKeys& keys,
                      std::vector<uint32_t>& order, SortSpace& space, const Control& control) {
  constexpr unsigned most_bits = 11;
  const unsigned digits = std::max(1U, (keys.range_bits() + most_bits - 1) / most_bits);
  const unsigned bits = (keys.range_bits() + digits - 1) / digits;
  const uint32_t mask = (1U << bits) - 1;
  const auto each_row = [&](const auto& visit) {
    each_block(rows, control, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) {
        const double value = column.value(row);
        if (!std::isnan(value)) visit(keys(value), static_cast<uint32_t>(row));
      }
    });
  };
  std::vector<std::vector<uint32_t>> start(digits, std::vector<uint32_t>(size_t{1} << bits, 0));
  each_row([&](uint32_t key, uint32_t) {
    for (unsigned d = 0; d < digits; ++d) ++start[d][key >> (d * bits) & mask];
  });
  for (std::vector<uint32_t>& counts : start) {
    uint32_t sum = 0;
    for (uint32_t& count : counts) sum += std::exchange(count, sum);
  }
  if (digits == 1) {
    space = {};  // what is not needed now would only add to the lists of all columns
    scatter_rows(each_row, 0, start[0], order);
    return;
  }
  std::vector<uint64_t>& items = space.items;
  std::vector<uint64_t>& other = space.other;
  reserve_large(items, order.size());
  items.resize(order.size());
  each_row([&](uint32_t key, uint32_t row) {
    items[start[0][key & mask]++] = uint64_t{key} << 32 | row;
  });
  const auto each_item = [&](const auto& visit) {
    each_block(items.size(), control, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        visit(static_cast<uint32_t>(items[i] >> 32), static_cast<uint32_t>(items[i]));
      }
    });
  };
  for (unsigned d = 1; d + 1 < digits; ++d) {
    reserve_large(other, items.size());
    other.resize(items.size());
    each_item([&](uint32_t key, uint32_t row) {
      other[start[d][key >> (d * bits) & mask]++] = uint64_t{key} << 32 | row;
    });
    items.swap(other);
  }
  scatter_rows(each_item, (digits - 1) * bits, start[digits - 1], order);
}

}  // namespace

SortedColumn sort_column(const Column& column, SortSpace& space, const Control& control) {
  const size_t rows = column.size();
  DecimalKeys keys;
  if (rows >= small && keys.fit(column, rows, control)) {
    SortedColumn sorted;
    sorted.known = rows - column.missing;
    reserve_large(sorted.order, rows);
    sorted.order.resize(sorted.known);
    sort_by_decimals(column, rows, keys, sorted.order, space, control);
    append_missing(column, rows, sorted.order);
    return sorted;
  }
  const RowSort layout{static_cast<unsigned>(std::bit_width(rows))};
  const auto key = [&](uint32_t row) { return ordered_key(column.value(row)); };
  std::vector<uint64_t>& items = space.items;
  items.clear();
  reserve_large(items, rows - column.missing);
  for (size_t row = 0; row < rows; ++row) {
    if (!column.is_missing(row)) items.push_back(row);
  }
  layout.sort(items, space.other, key, control);
  SortedColumn sorted;
  sorted.known = items.size();
  reserve_large(sorted.order, rows);
  uint64_t before = 0;
  each_block(items.size(), control, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const uint64_t item = items[i];
      // Whole keys are looked up only where the reduced ones do not decide.
      const bool is_new = sorted.order.empty() ||
                          layout.reduced_key(item) != layout.reduced_key(before) ||
                          key(layout.row(item)) != key(layout.row(before));
      sorted.order.push_back(layout.row(item) | (is_new ? new_value_mark : 0));
      before = item;
    }
  });
  append_missing(column, rows, sorted.order);
  return sorted;
}

void Derived::sort(const Parallel& parallel, const Control& control) {
  if (!sorted_.empty() || table_.features() == 0) return;
  std::vector<SortedColumn> sorted(table_.features());
  std::vector<SortSpace> spaces(static_cast<size_t>(parallel.threads()));
  const auto sort_one = [&](size_t feature) {
    control.throw_if_interrupted();
    const Column& column = table_.input(feature);
    if (column.kind == Kind::nominal) return;
    sorted[feature] = sort_column(column, spaces[parallel.worker()], control);
  };
  constexpr size_t worth_threads = 20000;
  if (table_.rows() * table_.features() < worth_threads) {
    for (size_t feature = 0; feature < sorted.size(); ++feature) sort_one(feature);
  } else {
    parallel.each(sorted.size(), sort_one);
  }
  sorted_ = std::move(sorted);
}

const std::vector<SortedColumn>& Derived::sorted(const Parallel& parallel, const Control& control) {
  const std::lock_guard lock(mutex_);
  sort(parallel, control);
  return sorted_;
}

std::vector<SortedColumn> Derived::take_sorted(const Parallel& parallel, const Control& control) {
  const std::lock_guard lock(mutex_);
  sort(parallel, control);
  return std::exchange(sorted_, {});
}

}  // namespace softwood
