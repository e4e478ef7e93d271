#include "cluster/quantile_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/coder.h"
#include "softwood/error.h"

namespace softwood::cluster {
namespace {

constexpr size_t fewest_edges = 1024, most_edges = 16384;
// So many values of a column are asked for one by one; more are counted in finer ranges first.
constexpr uint64_t most_listed = 200000;
constexpr size_t finer = 32;

// Of values in order.
void merge_equal(std::vector<ValueWeight>& values) {
  size_t kept = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (kept > 0 && values[kept - 1].value == values[i].value) {
      values[kept - 1].weight += values[i].weight;
    } else {
      values[kept++] = values[i];
    }
  }
  values.resize(kept);
}

void sort_and_merge(std::vector<ValueWeight>& values) {
  std::sort(values.begin(), values.end(),
            [](const ValueWeight& a, const ValueWeight& b) { return a.value < b.value; });
  merge_equal(values);
}

}  // namespace

void ColumnQuestion::write(ByteWriter& out) const {
  out.value(asked);
  out.vector(edges);
  out.vector(wanted);
}

ColumnQuestion ColumnQuestion::read(ByteReader& in) {
  ColumnQuestion question;
  question.asked = in.value<bool>();
  question.edges = in.vector<double>();
  question.wanted = in.vector<uint8_t>();
  if (question.asked && question.wanted.size() != question.edges.size() + 1) {
    throw Error(ErrorKind::failure, "a question about ranges that are not there");
  }
  return question;
}

void CountQuestion::write(ByteWriter& out) const {
  out.value(weight_unit);
  out.value(static_cast<uint64_t>(columns.size()));
  for (const ColumnQuestion& column : columns) column.write(out);
}

CountQuestion CountQuestion::read(ByteReader& in) {
  CountQuestion question;
  question.weight_unit = in.value<double>();
  for (auto count = in.value<uint64_t>(); count > 0; --count) {
    question.columns.push_back(ColumnQuestion::read(in));
  }
  return question;
}

bool CountQuestion::any() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const ColumnQuestion& column) { return column.asked; });
}

RangeCounts::RangeCounts(const CountQuestion& question) : columns(question.columns.size()) {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (question.columns[c].asked) columns[c].ranges.resize(question.columns[c].edges.size() + 1);
  }
}

void RangeCounts::add(const Table& table, const CountQuestion& question) {
  if (question.columns.size() != table.features() + 1) {
    throw Error(ErrorKind::failure, "a question about other columns");
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    const ColumnQuestion& asked = question.columns[c];
    if (!asked.asked) continue;
    const Column& column = c < table.features() ? table.input(c) : table.target();
    const Coder coder(asked.edges);
    const bool weighted = table.weighted();
    std::vector<ValueWeight> more;
    for (RowIndex row = 0; row < table.rows(); ++row) {
      const double value = column.value(row) + 0.0;
      if (std::isnan(value) || (weighted && !(table.weight(row) > 0))) continue;
      const double weight =
          question.weight_unit > 0 ? std::nearbyint(table.weight(row) / question.weight_unit) : 1;
      const uint32_t range = coder.code(value);
      RangeCount& count = columns[c].ranges[range];
      ++count.rows;
      count.weight += weight;
      // Both are missing before the first value.
      if (!(count.least <= value)) count.least = value;
      if (!(count.largest >= value)) count.largest = value;
      if (asked.wanted[range] != 0) more.push_back({value, weight});
    }
    columns[c].values.insert(columns[c].values.end(), more.begin(), more.end());
    sort_and_merge(columns[c].values);
  }
}

void RangeCounts::merge(const RangeCounts& other) {
  if (columns.size() != other.columns.size()) {
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
    std::inplace_merge(
        to.values.begin(), to.values.begin() + middle, to.values.end(),
        [](const ValueWeight& a, const ValueWeight& b) { return a.value < b.value; });
    merge_equal(to.values);
  }
}

namespace {

template <class T, class Part>
std::vector<T> parts_of(const std::vector<RangeCount>& ranges, const Part& part) {
  std::vector<T> parts;
  parts.reserve(ranges.size());
  for (const RangeCount& range : ranges) parts.push_back(static_cast<T>(part(range)));
  return parts;
}

// In 20 bytes per range, where rows weigh 1 and are not very many.
void write_ranges(const std::vector<RangeCount>& ranges, ByteWriter& out) {
  constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
  bool plain = true;
  for (const RangeCount& range : ranges) {
    plain = plain && range.rows <= most && range.weight == static_cast<double>(range.rows);
  }
  out.value(plain);
  if (plain) {
    out.vector(parts_of<uint32_t>(ranges, [](const RangeCount& range) { return range.rows; }));
  } else {
    out.vector(parts_of<uint64_t>(ranges, [](const RangeCount& range) { return range.rows; }));
    out.vector(parts_of<double>(ranges, [](const RangeCount& range) { return range.weight; }));
  }
  out.vector(parts_of<double>(ranges, [](const RangeCount& range) { return range.least; }));
  out.vector(parts_of<double>(ranges, [](const RangeCount& range) { return range.largest; }));
}

std::vector<RangeCount> read_ranges(ByteReader& in) {
  std::vector<RangeCount> ranges;
  std::vector<double> weights;
  if (in.value<bool>()) {
    for (const uint32_t rows : in.vector<uint32_t>()) {
      ranges.push_back({rows, static_cast<double>(rows)});
    }
  } else {
    for (const uint64_t rows : in.vector<uint64_t>()) ranges.push_back({rows});
    weights = in.vector<double>();
  }
  const std::vector<double> least = in.vector<double>(), largest = in.vector<double>();
  if ((!weights.empty() && weights.size() != ranges.size()) || least.size() != ranges.size() ||
      largest.size() != ranges.size()) {
    throw Error(ErrorKind::failure, "counts of different ranges can't be merged");
  }
  for (size_t r = 0; r < ranges.size(); ++r) {
    if (!weights.empty()) ranges[r].weight = weights[r];
    ranges[r].least = least[r];
    ranges[r].largest = largest[r];
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
  out.vector(single);
  out.vector(others);
}

std::vector<ValueWeight> read_values(ByteReader& in) {
  std::vector<ValueWeight> values;
  for (const double value : in.vector<double>()) values.push_back({value, 1});
  const std::vector<ValueWeight> others = in.vector<ValueWeight>();
  const auto middle = static_cast<std::ptrdiff_t>(values.size());
  values.insert(values.end(), others.begin(), others.end());
  std::inplace_merge(values.begin(), values.begin() + middle, values.end(),
                     [](const ValueWeight& a, const ValueWeight& b) { return a.value < b.value; });
  return values;
}

}  // namespace

void RangeCounts::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(columns.size()));
  for (const ColumnAnswer& column : columns) {
    write_ranges(column.ranges, out);
    write_values(column.values, out);
  }
}

RangeCounts RangeCounts::read(ByteReader& in) {
  RangeCounts counts;
  counts.columns.resize(in.value<uint64_t>());
  for (ColumnAnswer& column : counts.columns) {
    column.ranges = read_ranges(in);
    column.values = read_values(in);
  }
  return counts;
}

QuantileSearch::QuantileSearch(std::vector<double> sample, uint64_t rows, size_t max_bins)
    : max_bins_(max_bins) {
  std::sort(sample.begin(), sample.end());
  // More ranges take more bytes, fewer leave more values to be listed.
  const auto balanced = static_cast<size_t>(4 * std::sqrt(static_cast<double>(rows)));
  const size_t step = sample.size() / std::clamp(balanced, fewest_edges, most_edges) + 1;
  for (size_t i = 0; i < sample.size(); i += step) {
    if (question_.edges.empty() || question_.edges.back() < sample[i]) {
      question_.edges.push_back(sample[i]);
    }
  }
  question_.asked = true;
  question_.wanted.assign(question_.edges.size() + 1, 0);
}

void QuantileSearch::take(ColumnAnswer answer) {
  answer_ = std::move(answer);
  const size_t ranges = answer_.ranges.size();
  if (ranges != question_.wanted.size()) {
    throw Error(ErrorKind::failure, "counts of other ranges than those asked for");
  }
  values_begin_.assign(1, 0);
  for (size_t r = 0; r < ranges; ++r) {
    const double end =
        r < question_.edges.size() ? question_.edges[r] : std::numeric_limits<double>::infinity();
    const auto after =
        std::upper_bound(answer_.values.begin(), answer_.values.end(), end,
                         [](double edge, const ValueWeight& value) { return edge < value.value; });
    values_begin_.push_back(static_cast<size_t>(after - answer_.values.begin()));
  }
  wanted_.assign(ranges, 0);
  if (max_bins_ == 0) {
    search_median();
  } else {
    search_bins();
  }
  if (!found_) ask();
}

bool QuantileSearch::is_known(size_t range) const {
  const RangeCount& count = answer_.ranges[range];
  return question_.wanted[range] != 0 || count.least == count.largest;
}

std::span<const ValueWeight> QuantileSearch::values_of(size_t range,
                                                       std::vector<ValueWeight>& one) const {
  if (question_.wanted[range] != 0) {
    return {answer_.values.data() + values_begin_[range],
            values_begin_[range + 1] - values_begin_[range]};
  }
  one.assign(1, {answer_.ranges[range].least, answer_.ranges[range].weight});
  return one;
}

double QuantileSearch::total() const {
  double total = 0;
  for (const RangeCount& range : answer_.ranges) total += range.weight;
  return total;
}

void QuantileSearch::search_bins() {
  // Where every range is one value, there may be fewer values than bins.
  size_t values = 0;
  bool all_known = true;
  for (size_t r = 0; r < answer_.ranges.size(); ++r) {
    if (answer_.ranges[r].rows == 0) continue;
    all_known = all_known && is_known(r);
    values += question_.wanted[r] != 0 ? values_begin_[r + 1] - values_begin_[r] : 1;
  }
  BinCloser closer(total(), max_bins_, !all_known || values > max_bins_);
  std::vector<ValueWeight> one;
  for (size_t r = 0; r < answer_.ranges.size(); ++r) {
    const RangeCount& range = answer_.ranges[r];
    if (range.rows == 0) continue;
    closer.before(range.least);
    if (closer.may_skip(range.weight)) {
      closer.skip(range.weight);
      continue;
    }
    if (!is_known(r)) return want_ends(r, closer.passed(), closer.closed(), closer.left());
    const std::span<const ValueWeight> own = values_of(r, one);
    for (size_t i = 0; i < own.size(); ++i) {
      if (i > 0) closer.before(own[i].value);
      closer.pass(own[i].value, own[i].weight);
    }
  }
  found_ = true;
  bins_ = closer.take();
}

// The range from which on values are not known, and those where the bins after it will probably
// end: each at its share, and half a row beyond.
void QuantileSearch::want_ends(size_t from, double passed, double closed, size_t left) {
  const double all = total();
  const auto share = [&] { return (all - closed) / static_cast<double>(left); };
  uint64_t rows = 0;
  for (const RangeCount& range : answer_.ranges) rows += range.rows;
  const double row = all / static_cast<double>(rows);
  double slack = 2 * row;
  for (size_t r = from; r < answer_.ranges.size() && left > 1; ++r) {
    const RangeCount& range = answer_.ranges[r];
    if (range.rows == 0) continue;
    const double after = passed + range.weight;
    if (closed + share() - slack <= after && !is_known(r)) wanted_[r] = 1;
    while (left > 1 && closed + share() + slack < after) {
      closed += share() + row / 2;
      --left;
      slack += row / 2;
    }
    passed = after;
  }
  wanted_[from] = 1;
}

void QuantileSearch::search_median() {
  const double all = total();
  double below = 0;
  std::vector<ValueWeight> one;
  for (size_t r = 0; r < answer_.ranges.size(); ++r) {
    const RangeCount& range = answer_.ranges[r];
    if (range.rows == 0) continue;
    if (2 * (below + range.weight) < all) {
      below += range.weight;
      continue;
    }
    if (!is_known(r)) {
      wanted_[r] = 1;
      return;
    }
    for (const ValueWeight& value : values_of(r, one)) {
      below += value.weight;
      median_ = value.value;
      if (2 * below >= all) break;
    }
    found_ = true;
    return;
  }
}

// Edges around the ranges that are wanted. Where these hold many rows they are divided instead of
// listed.
void QuantileSearch::ask() {
  uint64_t listed = 0;
  for (size_t r = 0; r < wanted_.size(); ++r) {
    const bool already = question_.wanted[r] != 0;
    if (wanted_[r] != 0 || already) listed += answer_.ranges[r].rows;
  }
  constexpr size_t most_rounds = 5;  // then the values are close together, whatever they are
  const bool list = listed <= most_listed || ++rounds_ > most_rounds;
  ColumnQuestion next;
  next.asked = true;
  const auto end_range = [&](double edge, bool wanted) {
    if (!next.edges.empty() && !(next.edges.back() < edge)) return;
    next.edges.push_back(edge);
    next.wanted.push_back(wanted ? 1 : 0);
  };
  const double infinite = std::numeric_limits<double>::infinity();
  for (size_t r = 0; r < wanted_.size(); ++r) {
    const RangeCount& range = answer_.ranges[r];
    const bool wanted = wanted_[r] != 0 || question_.wanted[r] != 0;
    const bool next_wanted =
        r + 1 < wanted_.size() && (wanted_[r + 1] != 0 || question_.wanted[r + 1] != 0);
    const auto is_single = [&](size_t at) {
      const RangeCount& of = answer_.ranges[at];
      return of.rows > 0 && of.least == of.largest;
    };
    const bool single = is_single(r);
    const bool next_single = r + 1 < wanted_.size() && is_single(r + 1);
    if (wanted && !list && !single) {
      for (size_t i = 1; i < finer; ++i) {
        const double edge = range.least / finer * static_cast<double>(finer - i) +
                            range.largest / finer * static_cast<double>(i);
        if (edge > range.least && edge < range.largest) end_range(edge, false);
      }
    }
    const double edge = r < question_.edges.size() ? question_.edges[r] : infinite;
    if (edge < infinite && (wanted || next_wanted || single || next_single)) {
      end_range(edge, wanted && list);
    }
    if (edge == infinite) next.wanted.push_back(wanted && list ? 1 : 0);
  }
  question_ = std::move(next);
}

}  // namespace softwood::cluster
