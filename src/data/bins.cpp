#include "data/bins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "data/sorted.h"

namespace softwood {
namespace {

// Evenly spread positions with a hashed jitter, so that a periodic order of rows does no harm.
std::vector<RowIndex> sample_rows(std::span<const RowIndex> rows) {
  constexpr size_t most = 65536;
  if (rows.size() <= most) return {rows.begin(), rows.end()};
  std::vector<RowIndex> sample(most);
  for (size_t i = 0; i < most; ++i) {
    const size_t begin = rows.size() * i / most, end = rows.size() * (i + 1) / most;
    sample[i] = rows[begin + mix64(i) % (end - begin)];
  }
  return sample;
}

FeatureBins bins_of(const Column& column, std::span<const RowIndex> sample, size_t max_bins) {
  Column part;
  for (const RowIndex row : sample) {
    if (!column.is_missing(row)) part.numbers.push_back(column.value(row));
  }
  FeatureBins result{1, {}};
  const SortedColumn sorted = sort_column(part);
  const auto value = [&](size_t i) { return part.numbers[sorted.order[i] & ~new_value_mark]; };
  size_t distinct = 0;
  for (const uint32_t entry : sorted.order) distinct += entry >> 31;
  // Greedy: a bin is closed once it holds its share of what is left for the remaining bins.
  size_t begin = 0, left = max_bins;
  for (size_t i = 1; i < sorted.known; ++i) {
    if ((sorted.order[i] & new_value_mark) == 0) continue;
    const size_t share = (sorted.known - begin + left - 1) / left;
    if (distinct > max_bins && i - begin < share) continue;
    result.cuts.push_back(middle(value(i - 1), value(i)));
    begin = i;
    if (--left == 1) break;
  }
  result.bins = static_cast<uint32_t>(result.cuts.size() + 1);
  return result;
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
                const std::vector<FeatureBins>& bins, const Parallel& parallel) {
  const size_t features = bins.size();
  codes.resize(rows.size() * features);
  std::vector<Coder> coders;
  coders.reserve(features);
  for (const FeatureBins& feature : bins) coders.emplace_back(feature.cuts);
  const Blocks blocks{rows.size(), 4096};
  parallel.each(blocks.blocks(), [&](size_t block) {
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

std::vector<FeatureBins> make_bins(const Table& table, std::span<const RowIndex> rows,
                                   size_t max_bins, const Parallel& parallel) {
  const std::vector<RowIndex> sample = sample_rows(rows);
  std::vector<FeatureBins> bins(table.features());
  parallel.each(bins.size(), [&](size_t feature) {
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
                       const std::vector<FeatureBins>& bins, const Parallel& parallel)
    : rows_(rows.size()), features_(bins.size()) {
  uint32_t most = 0;
  for (const FeatureBins& feature : bins) most = std::max(most, feature.bins);
  if (most <= 255) {
    fill_codes(narrow_, table, rows, bins, parallel);
  } else {
    fill_codes(wide_, table, rows, bins, parallel);
  }
}

}  // namespace softwood
