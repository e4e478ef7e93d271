#include "data/describe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "data/convert.h"

namespace softwood {
namespace {

// Numeric columns with at most so many different values list them: such a column may be a target
// of classes, or codes of levels.
constexpr size_t few_values = 10;

void sort_by_count(std::vector<std::pair<std::string, size_t>>& levels) {
  std::sort(levels.begin(), levels.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : level_order(a.first, b.first);
  });
}

void describe_levels(const FrameColumn& column, ColumnFigures& figures) {
  std::vector<size_t> counts(column.levels.size(), 0);
  for (const int32_t code : column.cells.codes) {
    if (code >= 0) ++counts[static_cast<size_t>(code)];
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) figures.levels.emplace_back(column.levels[i], counts[i]);
  }
  figures.distinct = figures.levels.size();
  sort_by_count(figures.levels);
}

// Mean and deviation in two passes, the second around the mean, so that large means lose nothing.
void describe_moments(const std::vector<double>& values, ColumnFigures& figures) {
  const auto n = static_cast<double>(values.size());
  figures.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return;
  double squares = 0;
  for (const double value : values) squares += (value - figures.mean) * (value - figures.mean);
  figures.sd = std::sqrt(squares / (n - 1));
}

void describe_numbers(const FrameColumn& column, ColumnFigures& figures) {
  std::vector<double> values;
  values.reserve(column.cells.numbers.size());
  for (const double value : column.cells.numbers) {
    if (!std::isnan(value)) values.push_back(value);
  }
  if (values.empty()) return;
  describe_moments(values, figures);
  std::sort(values.begin(), values.end());
  figures.min = values.front();
  figures.max = values.back();
  const size_t half = values.size() / 2;
  figures.median = values.size() % 2 == 1 ? values[half] : values[half - 1] / 2 + values[half] / 2;
  for (size_t begin = 0; begin < values.size();) {
    const auto end =
        static_cast<size_t>(std::upper_bound(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                             values.end(), values[begin]) -
                            values.begin());
    if (++figures.distinct <= few_values) {
      figures.levels.emplace_back(number_text(values[begin]), end - begin);
    }
    begin = end;
  }
  if (figures.distinct > few_values) figures.levels.clear();
  sort_by_count(figures.levels);
}

}  // namespace

std::vector<ColumnFigures> describe(const Frame& frame, const Parallel& parallel) {
  std::vector<ColumnFigures> all(frame.columns.size());
  parallel.each(all.size(), [&](size_t i) {
    const FrameColumn& column = frame.columns[i];
    all[i].name = column.name;
    all[i].kind = column.cells.kind;
    for (size_t row = 0; row < frame.rows; ++row) {
      if (column.cells.is_missing(row)) ++all[i].missing;
    }
    if (column.cells.kind == Kind::numeric) {
      describe_numbers(column, all[i]);
    } else {
      describe_levels(column, all[i]);
    }
  });
  return all;
}

}  // namespace softwood
