#include "data/typical.h"

#include <algorithm>
#include <functional>
#include <limits>
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

namespace {

// Targets of fewer rows are alike, or not, by chance. Chosen.
constexpr double least_group = 10;

// The mean of the targets of some rows, or the shares of their classes.
class TargetMeans {
 public:
  explicit TargetMeans(const Table& table)
      : table_(table), sums_(std::max<size_t>(1, table.schema().classes()), 0.0) {}

  void add(RowIndex row) {
    const Column& target = table_.target();
    if (target.is_missing(row)) return;
    const double weight = table_.weight(row);
    weight_ += weight;
    if (target.kind == Kind::numeric) {
      sums_[0] += weight * target.numbers[row];
    } else {
      sums_[static_cast<size_t>(target.codes[row])] += weight;
    }
  }
  bool any() const { return weight_ > 0; }
  bool enough() const { return weight_ >= least_group; }
  double squared_distance(const TargetMeans& other) const {
    double sum = 0;
    for (size_t k = 0; k < sums_.size(); ++k) {
      const double gap = sums_[k] / weight_ - other.sums_[k] / other.weight_;
      sum += gap * gap;
    }
    return sum;
  }

 private:
  const Table& table_;
  std::vector<double> sums_;
  double weight_ = 0;
};

// The value of the group of rows whose targets are most like those of the rows without a value.
double most_alike(const Table& table, const TargetMeans& unknown,
                  const std::vector<std::vector<RowIndex>>& groups,
                  const std::vector<double>& values, double otherwise) {
  double best = otherwise, least = std::numeric_limits<double>::infinity();
  for (size_t g = 0; g < groups.size(); ++g) {
    TargetMeans own(table);
    for (const RowIndex row : groups[g]) own.add(row);
    if (!own.enough()) continue;
    const double distance = own.squared_distance(unknown);
    if (!(distance < least)) continue;
    least = distance;
    best = values[g];
  }
  return best;
}

// Of sorted rows, by weight; larger parts where these would be small. Rows of equal values are in
// one.
std::vector<std::vector<RowIndex>> tenths(const Table& table, const Column& column,
                                          std::span<const RowIndex> sorted) {
  double total = 0, before = 0;
  for (const RowIndex row : sorted) total += table.weight(row);
  const auto parts = static_cast<size_t>(std::clamp(total / least_group, 1.0, 10.0));
  std::vector<std::vector<RowIndex>> groups(parts);
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    const auto part = static_cast<size_t>(before / total * static_cast<double>(parts));
    for (; end < sorted.size() && column.value(sorted[end]) == column.value(sorted[begin]); ++end) {
      groups[std::min(part, parts - 1)].push_back(sorted[end]);
      before += table.weight(sorted[end]);
    }
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

double informative_value(const Table& table, size_t feature, std::span<const RowIndex> rows,
                         double typical, const Control& control) {
  const Column& column = table.input(feature);
  TargetMeans unknown(table);
  std::vector<RowIndex> known;
  for (const RowIndex row : rows) {
    if (column.is_missing(row)) {
      unknown.add(row);
    } else {
      known.push_back(row);
    }
  }
  if (!unknown.any() || known.empty()) return typical;
  std::vector<std::vector<RowIndex>> groups;
  std::vector<double> values;
  if (column.kind == Kind::nominal) {
    groups.resize(table.schema().features[feature].levels.size());
    for (const RowIndex row : known) groups[static_cast<size_t>(column.codes[row])].push_back(row);
    for (size_t level = 0; level < groups.size(); ++level) {
      values.push_back(static_cast<double>(level));
    }
    return most_alike(table, unknown, groups, values, typical);
  }
  sort_unless_stopped(
      known.begin(), known.end(),
      [&](RowIndex a, RowIndex b) { return column.value(a) < column.value(b); }, control);
  groups = tenths(table, column, known);
  for (const std::vector<RowIndex>& group : groups) {
    values.push_back(median(table, column, group, control));
  }
  return most_alike(table, unknown, groups, values, typical);
}

}  // namespace

std::vector<double> informative_values(const Table& table, std::span<const RowIndex> rows,
                                       const Control& control) {
  std::vector<double> values = typical_values(table, rows, control);
  for (size_t f = 0; f < values.size(); ++f) {
    control.throw_if_interrupted();
    if (table.input(f).missing == 0) continue;
    values[f] = informative_value(table, f, rows, values[f], control);
  }
  return values;
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
