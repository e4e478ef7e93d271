#include "data/bins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "data/sorted.h"

namespace softwood {
namespace {

constexpr size_t most_sampled = 65536;  // rows that are looked at

struct RowSample {
  std::vector<RowIndex> rows;
  std::vector<double> weights;  // empty: all count alike
};

// Evenly spread positions, in rows or in their weight, with a hashed jitter, so that a periodic
// order of rows does no harm.
RowSample sample_rows(const Table& table, std::span<const RowIndex> rows) {
  RowSample sample;
  if (rows.size() <= most_sampled) {
    sample.rows.assign(rows.begin(), rows.end());
    if (!table.weighted()) return sample;
    for (const RowIndex row : rows) sample.weights.push_back(table.weight(row));
    return sample;
  }
  sample.rows.resize(most_sampled);
  if (!table.weighted()) {
    for (size_t i = 0; i < most_sampled; ++i) {
      const size_t begin = rows.size() * i / most_sampled,
                   end = rows.size() * (i + 1) / most_sampled;
      sample.rows[i] = rows[begin + mix64(i) % (end - begin)];
    }
    return sample;
  }
  double total = 0;
  for (const RowIndex row : rows) total += table.weight(row);
  size_t at = 0;
  double passed = table.weight(rows[0]);
  for (size_t i = 0; i < most_sampled; ++i) {
    const double jitter = static_cast<double>(mix64(i) >> 11) * 0x1p-53;
    const double wanted = total * (static_cast<double>(i) + jitter) / most_sampled;
    while (passed <= wanted && at + 1 < rows.size()) passed += table.weight(rows[++at]);
    sample.rows[i] = rows[at];
  }
  return sample;
}

// One of the different values, and the weight of the rows that have it or a lower one.
struct ValueWeight {
  double value;
  double up_to;
};

// Greedy: a bin is closed once it holds its share of what is left for the remaining bins. The
// values are ascending.
FeatureBins close_bins(std::span<const ValueWeight> values, double total, size_t max_bins) {
  FeatureBins result{1, {}};
  size_t left = max_bins;
  double closed = 0;  // weight
  for (size_t i = 1; i < values.size(); ++i) {
    const double passed = values[i - 1].up_to;
    const double share = (total - closed) / static_cast<double>(left);
    if (values.size() > max_bins && passed - closed < share) continue;
    result.cuts.push_back(middle(values[i - 1].value, values[i].value));
    closed = passed;
    if (--left == 1) break;
  }
  result.bins = static_cast<uint32_t>(result.cuts.size() + 1);
  return result;
}

FeatureBins bins_of_weighted(const Column& column, const RowSample& sample, size_t max_bins) {
  std::vector<double> numbers, weights;
  double total = 0;
  for (size_t i = 0; i < sample.rows.size(); ++i) {
    if (column.is_missing(sample.rows[i])) continue;
    numbers.push_back(column.value(sample.rows[i]));
    weights.push_back(sample.weights[i]);
    total += weights.back();
  }
  const Column part{Kind::numeric, std::move(numbers), {}, 0};
  std::vector<ValueWeight> values;
  double passed = 0;
  for (const uint32_t entry : sort_column(part).order) {
    const uint32_t slot = entry & ~new_value_mark;
    passed += weights[slot];
    if ((entry & new_value_mark) != 0) values.push_back({part.numbers[slot], 0});
    values.back().up_to = passed;
  }
  return close_bins(values, total, max_bins);
}

FeatureBins bins_of(const Column& column, const RowSample& sample, size_t max_bins) {
  return sample.weights.empty() ? bins_of_values(count_values(column, sample.rows), max_bins)
                                : bins_of_weighted(column, sample, max_bins);
}

// Finds the code of a value: the number of cuts below it. An even grid over the cuts tells how many
// are below the value's cell; those in the cell, mostly none or one, are compared.
class Coder {
 public:
  explicit Coder(const std::vector<double>& cuts) : cuts_(cuts) {
    if (!cuts.empty()) {
      low_ = cuts.front();
      const double range = cuts.back() - cuts.front();
      if (std::isfinite(range) && range > 0) scale_ = (cells - 1) / range;
    }
    below_.assign(cells + 1, 0);
    for (const double cut : cuts) ++below_[cell(cut) + 1];
    for (size_t c = 1; c <= cells; ++c) below_[c] += below_[c - 1];
    cuts_.push_back(std::numeric_limits<double>::infinity());
  }

  uint32_t code(double x) const {
    const size_t c = cell(x);
    uint32_t code = below_[c];
    constexpr uint32_t few = 8;
    if (below_[c + 1] - code > few) {
      const auto begin = cuts_.begin() + code, end = cuts_.begin() + below_[c + 1];
      return static_cast<uint32_t>(std::lower_bound(begin, end, x) - cuts_.begin());
    }
    while (cuts_[code] < x) ++code;
    return code;
  }

 private:
  static constexpr size_t cells = 4096;
  // Never decreases with x, so that cuts of lower cells are below x.
  size_t cell(double x) const {
    const double position = (x - low_) * scale_;
    return position > 0 ? static_cast<size_t>(std::min<double>(position, cells - 1)) : 0;
  }

  std::vector<double> cuts_;
  std::vector<uint32_t> below_;
  double low_ = 0, scale_ = 0;
};

template <class Code>
void fill_codes(std::vector<Code>& codes, const Table& table, std::span<const RowIndex> rows,
                const std::vector<FeatureBins>& bins, const Parallel& parallel,
                const Control& control) {
  const size_t features = bins.size();
  codes.resize(rows.size() * features);
  std::vector<Coder> coders;
  coders.reserve(features);
  for (const FeatureBins& feature : bins) coders.emplace_back(feature.cuts);
  const Blocks blocks{rows.size(), 4096};
  parallel.each(blocks.blocks(), [&](size_t block) {
    control.throw_if_interrupted();
    for (size_t feature = 0; feature < features; ++feature) {
      const Column& column = table.input(feature);
      const FeatureBins& cuts = bins[feature];
      for (size_t i = blocks.begin(block); i < blocks.end(block); ++i) {
        uint32_t code = cuts.bins;
        if (column.kind == Kind::nominal) {
          if (column.codes[rows[i]] >= 0) code = static_cast<uint32_t>(column.codes[rows[i]]);
        } else {
          const double x = column.value(rows[i]);
          if (!std::isnan(x)) code = coders[feature].code(x);
        }
        codes[i * features + feature] = static_cast<Code>(code);
      }
    }
  });
}

}  // namespace

FeatureBins bins_of_values(std::span<const ValueCount> values, size_t max_bins) {
  std::vector<ValueWeight> weights;
  uint64_t passed = 0;
  for (const ValueCount& count : values) {
    passed += count.rows;
    weights.push_back({count.value, static_cast<double>(passed)});
  }
  return close_bins(weights, static_cast<double>(passed), max_bins);
}

std::vector<FeatureBins> make_bins(const Table& table, std::span<const RowIndex> rows,
                                   size_t max_bins, const Parallel& parallel,
                                   const Control& control) {
  const RowSample sample = sample_rows(table, rows);
  std::vector<FeatureBins> bins(table.features());
  parallel.each(bins.size(), [&](size_t feature) {
    control.throw_if_interrupted();
    const Column& column = table.input(feature);
    if (column.kind == Kind::nominal) {
      bins[feature].bins = static_cast<uint32_t>(table.schema().features[feature].levels.size());
    } else {
      bins[feature] = bins_of(column, sample, max_bins);
    }
  });
  return bins;
}

BinnedRows::BinnedRows(const Table& table, std::span<const RowIndex> rows,
                       const std::vector<FeatureBins>& bins, const Parallel& parallel,
                       const Control& control)
    : rows_(rows.size()), features_(bins.size()) {
  uint32_t most = 0;
  for (const FeatureBins& feature : bins) most = std::max(most, feature.bins);
  if (most <= 255) {
    fill_codes(narrow_, table, rows, bins, parallel, control);
  } else {
    fill_codes(wide_, table, rows, bins, parallel, control);
  }
}

}  // namespace softwood
