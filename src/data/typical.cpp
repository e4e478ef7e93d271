#include "data/typical.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/sort.h"

namespace softwood {
namespace {

// The value at half of the weight; halfway to the next when the weight is divided there, as with an
// even number of rows.
double median(const Table& table, const Column& column, std::span<const RowIndex> rows,
              const Control& control) {
  std::vector<std::pair<double, double>> items;  // value, weight
  double total = 0;
  each_block(rows.size(), control, [&](size_t begin, size_t end) {
    for (const RowIndex row : rows.subspan(begin, end - begin)) {
      if (column.is_missing(row) || !(table.weight(row) > 0)) continue;
      items.emplace_back(column.value(row), table.weight(row));
      total += table.weight(row);
    }
  });
  if (items.empty()) return missing_number;
  sort_unless_stopped(items.begin(), items.end(), std::less<>(), control);
  double below = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    below += items[i].second;
    if (below < total / 2) continue;
    const bool divides = below == total / 2 && i + 1 < items.size();
    const bool numeric = column.kind == Kind::numeric;
    return divides && numeric ? std::midpoint(items[i].first, items[i + 1].first) : items[i].first;
  }
  return items.back().first;
}

double most_frequent(const Table& table, size_t feature, std::span<const RowIndex> rows,
                     const Control& control) {
  const Column& column = table.input(feature);
  std::vector<double> weight(table.schema().features[feature].levels.size(), 0.0);
  each_block(rows.size(), control, [&](size_t begin, size_t end) {
    for (const RowIndex row : rows.subspan(begin, end - begin)) {
      if (column.is_missing(row)) continue;
      weight[static_cast<size_t>(column.codes[row])] += table.weight(row);
    }
  });
  const auto top = std::max_element(weight.begin(), weight.end());
  if (top == weight.end() || !(*top > 0)) return missing_number;
  return static_cast<double>(top - weight.begin());
}

}  // namespace

std::vector<double> typical_values(const Table& table, std::span<const RowIndex> rows,
                                   const Control& control) {
  std::vector<double> typical(table.features());
  for (size_t f = 0; f < typical.size(); ++f) {
    control.throw_if_interrupted();
    typical[f] = table.input(f).kind == Kind::nominal
                     ? most_frequent(table, f, rows, control)
                     : median(table, table.input(f), rows, control);
  }
  return typical;
}

Table imputed(const Table& table, std::span<const double> typical) {
  std::vector<Column> inputs;
  for (size_t f = 0; f < table.features(); ++f) {
    const Column& column = table.input(f);
    if (column.missing == 0 || std::isnan(typical[f])) {
      inputs.push_back(column);
      continue;
    }
    ColumnDraft filled(column);
    for (double& number : filled.numbers) {
      if (std::isnan(number)) number = typical[f];
    }
    for (int32_t& code : filled.codes) {
      if (code < 0) code = static_cast<int32_t>(typical[f]);
    }
    inputs.push_back(std::move(filled));
  }
  return {table.schema(), table.rows(), std::move(inputs), table.target(), table.weights()};
}

}  // namespace softwood
