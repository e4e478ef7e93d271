// What parts count for the search of quantiles, and its bytes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "cluster/node_search.h"
#include "cluster/quantile_search.h"
#include "softwood/error.h"

namespace softwood::cluster {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

bool is_lower(const ValueWeight& a, const ValueWeight& b) { return a.value < b.value; }

// Of values in order.
void merge_equal(std::vector<ValueWeight>& values) {
  size_t kept = 0;
  for (const ValueWeight& value : values) {
    if (kept > 0 && values[kept - 1].value == value.value) {
      values[kept - 1].weight += value.weight;
    } else {
      values[kept++] = value;
    }
  }
  values.resize(kept);
}

void sort_and_merge(std::vector<ValueWeight>& values) {
  std::sort(values.begin(), values.end(), is_lower);
  merge_equal(values);
}

// Whole numbers in the order of the numbers, and back.
uint64_t key_of(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  constexpr uint64_t sign = uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
double value_of(uint64_t key) {
  constexpr uint64_t sign = uint64_t{1} << 63;
  return std::bit_cast<double>((key & sign) != 0 ? key & ~sign : ~key);
}

// Values in order, each by its distance from the one before.
void write_ascending(const std::vector<double>& values, ByteWriter& out) {
  std::vector<int64_t> steps;
  steps.reserve(values.size());
  uint64_t before = 0;
  for (const double value : values) {
    steps.push_back(static_cast<int64_t>(key_of(value) - before));
    before = key_of(value);
  }
  out.wholes(steps);
}

std::vector<double> read_ascending(ByteReader& in) {
  std::vector<double> values;
  uint64_t key = 0;
  for (const int64_t step : in.wholes()) {
    key += static_cast<uint64_t>(step);
    values.push_back(value_of(key));
  }
  return values;
}

enum Known : int64_t { nothing, the_least, all };  // of the values of a range

void write_ranges(const std::vector<RangeCount>& ranges, ByteWriter& out) {
  std::vector<int64_t> rows;
  std::vector<double> values, weights;
  bool plain = true;
  for (const RangeCount& range : ranges) {
    int64_t known = nothing;
    if (range.is_single()) {
      known = all;
    } else if (range.rows > 0 && range.least > -infinite) {
      known = the_least;
    }
    rows.push_back(static_cast<int64_t>(range.rows) * 3 + known);
    if (known != nothing) values.push_back(range.least);
    weights.push_back(range.weight);
    plain = plain && range.weight == static_cast<double>(range.rows);
  }
  out.wholes(rows);
  write_ascending(values, out);
  out.value(plain);
  if (!plain) out.vector(weights);
}

std::vector<RangeCount> read_ranges(ByteReader& in) {
  const std::vector<int64_t> rows = in.wholes();
  const std::vector<double> values = read_ascending(in);
  const bool plain = in.value<bool>();
  const std::vector<double> weights = plain ? std::vector<double>() : in.vector<double>();
  std::vector<RangeCount> ranges(rows.size());
  auto value = values.begin();
  for (size_t r = 0; r < ranges.size(); ++r) {
    RangeCount& range = ranges[r];
    range.rows = static_cast<uint64_t>(rows[r] / 3);
    range.weight = plain ? static_cast<double>(range.rows) : weights.at(r);
    if (range.rows == 0) continue;
    const int64_t known = rows[r] % 3;
    if (known != nothing && value == values.end()) {
      throw Error(ErrorKind::failure, "counts of different ranges can't be merged");
    }
    range.least = known == nothing ? -infinite : *value++;
    range.largest = known == all ? range.least : infinite;
  }
  return ranges;
}

// Most values occur once and weigh 1: they are written without their weights.
void write_values(const std::vector<ValueWeight>& values, ByteWriter& out) {
  std::vector<double> single;
  std::vector<ValueWeight> others;
  for (const ValueWeight& value : values) {
    if (value.weight == 1) {
      single.push_back(value.value);
    } else {
      others.push_back(value);
    }
  }
  write_ascending(single, out);
  out.vector(others);
}

std::vector<ValueWeight> read_values(ByteReader& in) {
  std::vector<ValueWeight> values;
  for (const double value : read_ascending(in)) values.push_back({value, 1});
  const std::vector<ValueWeight> others = in.vector<ValueWeight>();
  const auto middle = static_cast<std::ptrdiff_t>(values.size());
  values.insert(values.end(), others.begin(), others.end());
  std::inplace_merge(values.begin(), values.begin() + middle, values.end(), is_lower);
  return values;
}

}  // namespace

RangeCounter::RangeCounter(const CountQuestion& question)
    : weight_unit_(question.weight_unit), columns_(question.columns.size()) {
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (!question.columns[c].asked) continue;
    Counting& counting = columns_[c];
    counting.question = question.columns[c].expanded();
    counting.coder.emplace(counting.question.edges);
    const std::vector<RangeWork>& work = counting.question.work;
    counting.answer.ranges.resize(work.size());
    counting.seen.resize(work.size());
    counting.lists = std::find(work.begin(), work.end(), RangeWork::list) != work.end();
  }
}

void RangeCounter::add(std::span<const Table> tables) {
  for (const Table& table : tables) {
    if (columns_.size() != table.features() + 1) {
      throw Error(ErrorKind::failure, "a question about other columns");
    }
  }
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].coder) continue;
    for (const Table& table : tables) {
      add_column(columns_[c], c < table.features() ? table.input(c) : table.target(), table);
    }
  }
}

// Rows that weigh 1 each. First the ranges of some of them are found: what is known of these comes
// from the memory while others are found.
template <class ValueOf>
void RangeCounter::add_plain(Counting& counting, size_t rows, const ValueOf& value_of) {
  constexpr size_t together = 256;
  std::array<double, together> values;
  std::array<uint32_t, together> ranges;
  const Coder& coder = *counting.coder;
  RangeSeen* const seen = counting.seen.data();
  for (size_t row = 0; row < rows;) {
    size_t count = 0;
    for (const size_t end = std::min(row + together, rows); row < end; ++row) {
      const double value = value_of(row) + 0.0;  // -0 is 0
      if (std::isnan(value)) continue;
      values[count] = value;
      ranges[count] = coder.code(value);
      __builtin_prefetch(seen + ranges[count++], 1);
    }
    for (size_t i = 0; i < count; ++i) seen[ranges[i]].add(values[i]);
    for (size_t i = 0; counting.lists && i < count; ++i) {
      if (counting.question.work[ranges[i]] != RangeWork::list) continue;
      counting.answer.values.push_back({values[i], 1});
    }
  }
}

void RangeCounter::add_weighted(Counting& counting, const Column& column,
                                const Table& table) const {
  for (RowIndex row = 0; row < table.rows(); ++row) {
    const double value = column.value(row) + 0.0;
    if (std::isnan(value) || !(table.weight(row) > 0)) continue;
    const uint32_t range = counting.coder->code(value);
    counting.seen[range].add(value);
    const double weight = std::nearbyint(table.weight(row) / weight_unit_);
    counting.answer.ranges[range].weight += weight;
    if (counting.question.work[range] != RangeWork::list) continue;
    counting.answer.values.push_back({value, weight});
  }
}

void RangeCounter::add_column(Counting& counting, const Column& column, const Table& table) const {
  if (weight_unit_ > 0) {
    add_weighted(counting, column, table);
  } else if (column.kind == Kind::numeric) {
    add_plain(counting, table.rows(),
              [numbers = column.numbers.data()](size_t row) { return numbers[row]; });
  } else {
    add_plain(counting, table.rows(),
              [&](size_t row) { return column.value(static_cast<RowIndex>(row)); });
  }
  counting.counted += table.rows();
  if (counting.counted >= uint64_t{1} << 31) sum_up(counting);
  std::vector<ValueWeight>& values = counting.answer.values;
  constexpr size_t unsorted = 65536;
  if (values.size() < 2 * counting.sorted + unsorted) return;
  sort_and_merge(values);
  counting.sorted = values.size();
}

void RangeCounter::sum_up(Counting& counting) {
  for (size_t r = 0; r < counting.seen.size(); ++r) {
    counting.answer.ranges[r].rows += counting.seen[r].rows;
    counting.seen[r].rows = 0;
  }
  counting.counted = 0;
}

// Leaves what others must know.
void RangeCounter::seal(Counting& counting) {
  sort_and_merge(counting.answer.values);
  sum_up(counting);
  std::vector<RangeCount>& ranges = counting.answer.ranges;
  for (size_t r = 0; r < ranges.size(); ++r) {
    ranges[r].least = ranges[r].largest = counting.seen[r].least;
    if (!counting.seen[r].differ) continue;
    const bool after_list = r > 0 && counting.question.work[r - 1] == RangeWork::list;
    if (!after_list) ranges[r].least = -infinite;
    ranges[r].largest = infinite;
  }
}

std::vector<RangeCounts> RangeCounter::pieces(size_t count) {
  std::vector<RangeCounts> all(count);
  for (size_t p = 0; p < count; ++p) {
    const grow::InputRange own = piece_of(columns_.size(), p, count);
    all[p].first = own.begin;
    for (size_t c = own.begin; c < own.end; ++c) {
      Counting& counting = columns_[c];
      seal(counting);
      if (weight_unit_ == 0) {
        for (RangeCount& range : counting.answer.ranges) {
          range.weight = static_cast<double>(range.rows);
        }
      }
      all[p].columns.push_back(columns_[c].answer);
    }
  }
  return all;
}

void RangeCounts::merge(const RangeCounts& other) {
  if (first != other.first || columns.size() != other.columns.size()) {
    throw Error(ErrorKind::failure, "counts of different columns can't be merged");
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    ColumnAnswer& to = columns[c];
    const ColumnAnswer& more = other.columns[c];
    if (to.ranges.size() != more.ranges.size()) {
      throw Error(ErrorKind::failure, "counts of different ranges can't be merged");
    }
    for (size_t r = 0; r < to.ranges.size(); ++r) {
      to.ranges[r].rows += more.ranges[r].rows;
      to.ranges[r].weight += more.ranges[r].weight;
      to.ranges[r].least = std::fmin(to.ranges[r].least, more.ranges[r].least);
      to.ranges[r].largest = std::fmax(to.ranges[r].largest, more.ranges[r].largest);
    }
    const auto middle = static_cast<std::ptrdiff_t>(to.values.size());
    to.values.insert(to.values.end(), more.values.begin(), more.values.end());
    std::inplace_merge(to.values.begin(), to.values.begin() + middle, to.values.end(), is_lower);
    merge_equal(to.values);
  }
}

void RangeCounts::write(ByteWriter& out) const {
  out.value(first);
  out.value(static_cast<uint64_t>(columns.size()));
  for (const ColumnAnswer& column : columns) {
    write_ranges(column.ranges, out);
    write_values(column.values, out);
  }
}

RangeCounts RangeCounts::read(ByteReader& in) {
  RangeCounts counts;
  counts.first = in.value<uint64_t>();
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    ColumnAnswer& column = counts.columns.emplace_back();
    column.ranges = read_ranges(in);
    column.values = read_values(in);
  }
  return counts;
}

}  // namespace softwood::cluster
