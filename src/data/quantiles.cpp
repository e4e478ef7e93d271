#include "data/quantiles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/coder.h"
#include "data/sorted.h"

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

// Greedy: a bin is closed once it holds its share of what is left for the remaining bins. Gets the
// different values in ascending order, or several at once where no bin ends among them.
class BinCloser {
 public:
  // `divide`: there are more values than bins; otherwise each gets one.
  BinCloser(double total, size_t max_bins, bool divide)
      : total_(total), left_(max_bins), divide_(divide) {}

  bool full() const { return left_ == 1; }
  // To be called with the lowest of the values that follow; then may_skip() can be asked.
  void before(double value) {
    if (!any_ || full() || (divide_ && passed_ - closed_ < share())) return;
    bins_.cuts.push_back(middle(last_, value));
    closed_ = passed_;
    --left_;
  }
  // Whether values of this weight leave the bin open.
  bool may_skip(double weight) const {
    return divide_ && (full() || passed_ + weight - closed_ < share());
  }
  void pass(double largest, double weight) {
    any_ = true;
    last_ = largest;
    passed_ += weight;
  }
  FeatureBins take() {
    bins_.bins = static_cast<uint32_t>(bins_.cuts.size() + 1);
    return std::move(bins_);
  }

 private:
  double share() const { return (total_ - closed_) / static_cast<double>(left_); }

  double total_;
  size_t left_;
  bool divide_;
  bool any_ = false;
  double last_ = 0, passed_ = 0, closed_ = 0;
  FeatureBins bins_;
};

// The known values of a column in ranges; a range is sorted only when it is looked into. Where the
// ranges end decides how much work that is, and nothing else.
class Ranges {
 public:
  Ranges(const Column& column, const Cells<double>& weights, std::span<const RowIndex> rows)
      : column_(column), weights_(weights), rows_(rows), coder_(ends()) {
    count();
    scatter();
  }

  double total() const {
    double sum = 0;
    for (const Range& range : ranges_) sum += range.weight;
    return sum;
  }
  // Whether there are more different values than this.
  bool more_values_than(size_t most) {
    if (sampled_values_ > most) return true;
    size_t count = 0;
    for (Range& range : ranges_) {
      if (range.rows > 0) count += range.least == range.largest ? 1 : values_of(range).size();
      if (count > most) return true;
    }
    return false;
  }
  FeatureBins bins(size_t max_bins) {
    BinCloser closer(total(), max_bins, more_values_than(max_bins));
    for (Range& range : ranges_) {
      if (range.rows == 0) continue;
      closer.before(range.least);
      if (range.least == range.largest || closer.may_skip(range.weight)) {
        closer.pass(range.largest, range.weight);
        continue;
      }
      for (const ValueWeight& value : values_of(range)) {
        closer.before(value.value);
        closer.pass(value.value, value.weight);
      }
    }
    return closer.take();
  }

 private:
  struct Range {
    double weight = 0;
    double least = 0, largest = 0;
    size_t rows = 0, begin = 0;
  };

  // The largest value of each range but the last: some of the values of some rows.
  std::vector<double> ends() {
    constexpr size_t most_sampled = 16384, most_ranges = 1024;
    const size_t step = std::max<size_t>(1, rows_.size() / most_sampled);
    std::vector<double> values;
    for (size_t i = 0; i < rows_.size(); i += step) {
      const double value = column_.value(rows_[i]);
      if (!std::isnan(value)) values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    sampled_values_ = values.empty() ? 0 : 1;
    for (size_t i = 1; i < values.size(); ++i) sampled_values_ += values[i] != values[i - 1];
    // Frequent values end a range each, and so do all where they are few.
    const size_t stride = sampled_values_ < most_ranges ? 1 : values.size() / most_ranges + 1;
    std::vector<double> chosen;
    for (size_t i = stride - 1; i < values.size(); i += stride) {
      if (chosen.empty() || values[i] != chosen.back()) chosen.push_back(values[i]);
    }
    return chosen;
  }

  double weight(RowIndex row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  void count() {
    ranges_.resize(coder_.codes());
    codes_.resize(rows_.size(), missing_range);
    for (size_t i = 0; i < rows_.size(); ++i) {
      const double value = column_.value(rows_[i]);
      if (std::isnan(value)) continue;
      codes_[i] = static_cast<uint16_t>(coder_.code(value));
      Range& range = ranges_[codes_[i]];
      range.least = range.rows == 0 ? value : std::min(range.least, value);
      range.largest = range.rows == 0 ? value : std::max(range.largest, value);
      range.weight += weight(rows_[i]);
      ++range.rows;
    }
  }

  void scatter() {
    size_t size = 0;
    for (Range& range : ranges_) {
      range.begin = size;
      if (range.least != range.largest) size += range.rows;
    }
    numbers_.resize(size);
    if (!weights_.empty()) number_weights_.resize(size);
    std::vector<size_t> next;
    for (const Range& range : ranges_) next.push_back(range.begin);
    for (size_t i = 0; size > 0 && i < rows_.size(); ++i) {
      if (codes_[i] == missing_range) continue;
      const Range& range = ranges_[codes_[i]];
      if (range.least == range.largest) continue;
      const size_t at = next[codes_[i]]++;
      numbers_[at] = column_.value(rows_[i]);
      if (!weights_.empty()) number_weights_[at] = weights_[rows_[i]];
    }
  }

  std::span<const ValueWeight> values_of(const Range& range) {
    sorted_.clear();
    for (size_t i = range.begin; i < range.begin + range.rows; ++i) {
      sorted_.push_back({numbers_[i], weights_.empty() ? 1.0 : number_weights_[i]});
    }
    sort_and_merge(sorted_);
    return sorted_;
  }

  static constexpr uint16_t missing_range = 0xffff;
  const Column& column_;
  const Cells<double>& weights_;
  std::span<const RowIndex> rows_;
  size_t sampled_values_ = 0;  // different ones
  Coder coder_;
  std::vector<Range> ranges_;
  std::vector<uint16_t> codes_;
  std::vector<double> numbers_, number_weights_;  // of ranges with several values
  std::vector<ValueWeight> sorted_;
};

}  // namespace

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
