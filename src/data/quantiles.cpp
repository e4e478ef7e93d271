#include "data/quantiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "data/bin_closer.h"
#include "data/sorted.h"
#include "data/summary.h"

namespace softwood {
namespace {

// One of the different values, and the weight of the rows that have it.
struct ValueWeight {
  double value;
  double weight;
};

// Merges equal values, which get the sum of their weights.
void sort_and_merge(std::vector<ValueWeight>& values) {
  std::sort(values.begin(), values.end(),
            [](const ValueWeight& a, const ValueWeight& b) { return a.value < b.value; });
  size_t last = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i].value == values[last].value) {
      values[last].weight += values[i].weight;
    } else {
      values[++last] = values[i];
    }
  }
  if (!values.empty()) values.resize(last + 1);
}

// Divides the line into ranges of about equally many rows each, judged by some values: an even grid
// whose cells are divided evenly again, the more often the more of the values they hold.
class Grid {
 public:
  // Of values in ascending order.
  explicit Grid(std::span<const double> values) {
    double high = 0;
    if (!values.empty()) {
      const size_t outside = values.size() / 256;
      low_ = values[outside] / 2;
      high = values[values.size() - 1 - outside] / 2;
    }
    constexpr double infinite = 1e300;  // all but one value are outside
    scale_ = high > low_ ? std::min(cells / (high - low_), infinite) : infinite;
    std::vector<double> share(cells_.size(), 1);
    constexpr double ranges_per_value = 3;
    for (const double value : values) share[static_cast<size_t>(place(value))] += ranges_per_value;
    share.front() = share.back() = 1;
    double first = 0;
    for (size_t c = 0; c < cells_.size(); ++c) {
      cells_[c] = {first, share[c]};
      first += share[c];
    }
    ranges_ = static_cast<size_t>(first);
  }

  size_t ranges() const { return ranges_; }
  // Never decreases with x.
  size_t range(double x) const {
    const double at = place(x);
    const auto c = static_cast<int32_t>(at);
    const Cell& cell = cells_[static_cast<size_t>(c)];
    return static_cast<size_t>(static_cast<int32_t>(cell.first + (at - c) * cell.ranges));
  }

 private:
  static constexpr int cells = 512;
  struct Cell {
    double first, ranges;
  };
  // The cell, and how far within it; the first and the last are for all that is outside.
  double place(double x) const {
    return std::min<double>(std::max(0.0, (x / 2 - low_) * scale_ + 1), cells + 1);
  }

  double low_ = 0, scale_ = 0;  // of halves, whose differences do not overflow
  std::array<Cell, cells + 2> cells_;
  size_t ranges_ = 0;
};

// The known values of a column in ranges; those of a range are looked at only where a bin may end
// among them. Where the ranges end decides how much work that is, and nothing else.
class Ranges {
 public:
  Ranges(const Column& column, const Cells<double>& weights, std::span<const RowIndex> rows)
      : column_(column), weights_(weights), rows_(rows), sample_(some_values()), grid_(sample_) {
    count();
  }

  FeatureBins bins(size_t max_bins) {
    double total = 0;
    size_t occupied = 0;
    for (const Range& range : ranges_) {
      total += range.weight;
      occupied += range.rows > 0 ? 1 : 0;
    }
    const bool divide = occupied > max_bins || values() > max_bins;
    BinCloser closer(total, max_bins, divide);
    last_left_ = max_bins;
    for (size_t r = 0; r < ranges_.size(); ++r) {
      const double weight = ranges_[r].weight;
      if (ranges_[r].rows == 0) continue;
      if (!ranges_[r].wanted && (closer.ends_bin() || !closer.may_skip(weight))) {
        want_likely_ends(total, closer, r);
        gather();
      }
      if (closer.ends_bin()) closer.before(values_of(ranges_[r]).front().value);
      if (closer.may_skip(weight)) {
        closer.skip(weight);
        continue;
      }
      const std::span<const ValueWeight> values = values_of(ranges_[r]);
      for (size_t i = 0; i < values.size(); ++i) {
        if (i > 0) closer.before(values[i].value);
        closer.pass(values[i].value, values[i].weight);
      }
    }
    return closer.take();
  }

 private:
  struct Range {
    double weight = 0;
    size_t rows = 0;
    bool wanted = false;
    // Of those that are wanted:
    bool several = false;  // different values
    double first = 0;      // one of them
    size_t begin = 0, gathered = 0;
  };

  // In ascending order.
  std::vector<double> some_values() const {
    constexpr size_t most = 4096;
    const size_t step = rows_.size() / most + 1;
    std::vector<double> values;
    for (size_t i = 0; i < rows_.size(); i += step) {
      const double value = column_.value(rows_[i]);
      if (!std::isnan(value)) values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    return values;
  }

  double weight(RowIndex row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  size_t missing_range() const { return grid_.ranges(); }

  // The ranges of all rows, and their weights.
  void count() {
    range_of_.resize(rows_.size());
    std::vector<uint32_t> rows(missing_range() + 1);
    const auto count_all = [&](const auto& value_of) {
      for (size_t i = 0; i < rows_.size(); ++i) {
        const double value = value_of(rows_[i]);
        const size_t range = std::isnan(value) ? missing_range() : grid_.range(value);
        range_of_[i] = static_cast<uint16_t>(range);
        ++rows[range];
      }
    };
    if (column_.kind == Kind::numeric) {
      count_all([numbers = column_.numbers.data()](RowIndex row) { return numbers[row]; });
    } else {
      count_all([&](RowIndex row) { return column_.value(row); });
    }
    ranges_.resize(missing_range());
    for (size_t r = 0; r < ranges_.size(); ++r) {
      ranges_[r].rows = rows[r];
      if (weights_.empty()) ranges_[r].weight = rows[r];
    }
    for (size_t i = 0; !weights_.empty() && i < rows_.size(); ++i) {
      if (range_of_[i] < ranges_.size()) ranges_[range_of_[i]].weight += weight(rows_[i]);
    }
  }

  void want_all() {
    for (Range& range : ranges_) range.wanted = true;
  }
  // This range and those where bins will probably end: each at its share and what the last ones got
  // beyond it, as equal values are not divided. All, where that was wrong several times.
  void want_likely_ends(double total, const BinCloser& closer, size_t from) {
    constexpr size_t most_guesses = 4;
    if (++guesses_ > most_guesses) return want_all();
    if (closer.left() < last_left_) {
      const auto each = [](double weight, size_t bins) {
        return weight / static_cast<double>(bins);
      };
      excess_ = each(closer.closed() - last_closed_, last_left_ - closer.left()) -
                each(total - last_closed_, last_left_);
    }
    last_left_ = closer.left();
    last_closed_ = closer.closed();
    size_t left = last_left_ + 1;
    double end = 0, near = 0;
    const auto go_on_from = [&](double closed) {
      const double share = (total - closed) / static_cast<double>(--left) + excess_;
      end = closed + share;
      near = share / 16;
    };
    go_on_from(last_closed_);
    if (closer.ends_bin()) go_on_from(closer.passed());
    double passed = closer.passed();
    for (size_t r = 0; r < ranges_.size(); ++r) {
      ranges_[r].wanted = r == from;
      if (r < from || ranges_[r].rows == 0) continue;
      while (left > 1 && end + near < passed) go_on_from(end);
      passed += ranges_[r].weight;
      if (left > 1 && end - near <= passed) ranges_[r].wanted = true;
    }
  }

  // The values of the ranges that are wanted, where they are several.
  void gather() {
    std::vector<uint8_t> wanted;
    wanted.reserve(ranges_.size() + 1);
    size_t wanted_rows = 0;
    for (const Range& range : ranges_) {
      wanted.push_back(range.wanted ? 1 : 0);
      if (range.wanted) wanted_rows += range.rows;
    }
    wanted.push_back(0);  // missing
    std::vector<uint32_t> chosen(wanted_rows + 1);
    size_t count = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {  // no branch that could be guessed wrong
      chosen[count] = static_cast<uint32_t>(i);
      count += wanted[range_of_[i]];
    }
    chosen.resize(count);
    for (Range& range : ranges_) {
      range.gathered = 0;
      range.several = false;
    }
    for (const uint32_t i : chosen) {
      Range& range = ranges_[range_of_[i]];
      const double value = column_.value(rows_[i]);
      if (range.gathered++ == 0) range.first = value;
      range.several |= value != range.first;
    }
    size_t size = 0;
    for (Range& range : ranges_) {
      range.begin = size;
      range.gathered = 0;
      if (range.several) size += range.rows;
    }
    values_.resize(size);
    for (size_t k = 0; size > 0 && k < chosen.size(); ++k) {
      Range& range = ranges_[range_of_[chosen[k]]];
      if (!range.several) continue;
      const RowIndex row = rows_[chosen[k]];
      values_[range.begin + range.gathered++] = {column_.value(row), weight(row)};
    }
  }

  // The number of different ones.
  size_t values() {
    want_all();
    gather();
    size_t count = 0;
    for (const Range& range : ranges_) {
      if (range.rows > 0) count += range.several ? values_of(range).size() : 1;
    }
    return count;
  }

  std::span<const ValueWeight> values_of(const Range& range) {
    if (!range.several) {
      sorted_.assign(1, {range.first, range.weight});
      return sorted_;
    }
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(range.begin);
    sorted_.assign(begin, begin + static_cast<std::ptrdiff_t>(range.rows));
    sort_and_merge(sorted_);
    return sorted_;
  }

  const Column& column_;
  const Cells<double>& weights_;
  std::span<const RowIndex> rows_;
  const std::vector<double> sample_;
  const Grid grid_;
  std::vector<Range> ranges_;
  std::vector<uint16_t> range_of_;  // rows
  std::vector<ValueWeight> values_, sorted_;
  // When ends of bins were guessed last, and how often.
  double excess_ = 0.5, last_closed_ = 0;
  size_t last_left_ = 0, guesses_ = 0;
};

bool is_whole(double number) { return number == std::floor(number); }

}  // namespace

double quantile_unit(double total, bool whole) {
  int exponent = 0;
  std::frexp(total, &exponent);  // total < 2^exponent
  constexpr int digits = 53;
  return whole && exponent <= digits ? 1 : std::ldexp(1.0, exponent - digits + 1);
}

Cells<double> quantile_weights(const Table& table, std::span<const RowIndex> rows) {
  if (!table.weighted()) return {};
  ExactSum total;
  bool whole = true;
  for (const RowIndex row : rows) {
    total.add(table.weight(row));
    whole = whole && is_whole(table.weight(row));
  }
  const double unit = quantile_unit(total.value(), whole);
  if (unit == 1 && whole) return table.weights();
  std::vector<double> weights(table.rows());
  for (size_t row = 0; row < weights.size(); ++row) {
    weights[row] = std::nearbyint(table.weight(row) / unit);
  }
  return weights;
}

double weighted_median(const Column& column, const Cells<double>& weights,
                       std::span<const RowIndex> rows) {
  const Cells<double>& y = column.numbers;
  std::vector<RowIndex> order(rows.begin(), rows.end());
  const auto is_less = [&](RowIndex a, RowIndex b) { return y[a] < y[b]; };
  if (weights.empty()) {
    const auto half = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
    std::nth_element(order.begin(), half, order.end(), is_less);
    return y[*half];
  }
  std::sort(order.begin(), order.end(), is_less);
  double total = 0, below = 0;
  for (const RowIndex row : order) total += weights[row];
  for (const RowIndex row : order) {
    below += weights[row];
    if (2 * below >= total) return y[row];
  }
  return y[order.back()];
}

FeatureBins bins_by_quantiles(const Column& column, const Cells<double>& weights,
                              std::span<const RowIndex> rows, size_t max_bins) {
  return Ranges(column, weights, rows).bins(max_bins);
}

FeatureBins bins_of_values(std::span<const ValueCount> values, size_t max_bins) {
  double total = 0;
  for (const ValueCount& count : values) total += static_cast<double>(count.rows);
  BinCloser closer(total, max_bins, values.size() > max_bins);
  for (const ValueCount& count : values) {
    closer.before(count.value);
    closer.pass(count.value, static_cast<double>(count.rows));
  }
  return closer.take();
}

}  // namespace softwood
