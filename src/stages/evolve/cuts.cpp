// Which thresholds a tree may use.
#include <algorithm>

#include "stages/evolve/coded.h"

namespace softwood::evolve {
namespace {

// Rows of one value: their class, or that they have several.
constexpr int64_t several = -2;

// With `all`, every value counts as one of several classes.
std::vector<double> boundaries(const Table& table, uint32_t feature, const SortedColumn& sorted,
                               const std::vector<bool>& taken, bool all) {
  const Column& column = table.input(feature);
  const auto class_of = [&](RowIndex row) -> int64_t {
    return all ? several : table.target().codes[row];
  };
  std::vector<double> cuts;
  bool any = false;
  double value = 0;
  int64_t here = several, before = several;
  bool has_before = false;
  double value_before = 0;
  const auto close_group = [&] {
    if (has_before && (here == several || before == several || here != before)) {
      cuts.push_back(middle(value_before, value));
    }
    has_before = true;
    value_before = value;
    before = here;
  };
  for (size_t i = 0; i < sorted.known; ++i) {
    const RowIndex row = sorted.order[i] & ~new_value_mark;
    if (!taken[row]) continue;
    const double next = column.value(row);
    if (any && next == value) {
      if (here != class_of(row)) here = several;
      continue;
    }
    if (any) close_group();
    any = true;
    value = next;
    here = class_of(row);
  }
  if (any) close_group();
  return cuts;
}

std::vector<double> evenly(std::span<const double> all, size_t most) {
  if (all.size() <= most) return {all.begin(), all.end()};
  std::vector<double> some;
  for (size_t i = 0; i < most; ++i) some.push_back(all[(2 * i + 1) * all.size() / (2 * most)]);
  return some;
}

Cuts cuts_of(Derived& derived, std::span<const RowIndex> rows, const Parallel& parallel,
             const Control& control, bool all) {
  const Table& table = derived.table();
  const std::vector<SortedColumn>& sorted = derived.sorted(parallel, control);
  std::vector<bool> taken(table.rows(), false);
  for (const RowIndex row : rows) taken[row] = true;
  Cuts cuts(table.features());
  parallel.each(table.features(), [&](size_t f) {
    if (table.input(f).kind == Kind::nominal) return;
    control.throw_if_interrupted();
    cuts[f] = boundaries(table, static_cast<uint32_t>(f), sorted[f], taken, all);
  });
  return cuts;
}

}  // namespace

Cuts boundary_cuts(Derived& derived, std::span<const RowIndex> rows, const Parallel& parallel,
                   const Control& control) {
  return cuts_of(derived, rows, parallel, control,
                 derived.table().schema().task() == Task::regression);
}

Cuts all_cuts(Derived& derived, std::span<const RowIndex> rows, const Parallel& parallel,
              const Control& control) {
  return cuts_of(derived, rows, parallel, control, true);
}

Cuts quantiles(const Cuts& cuts, size_t most) {
  Cuts some;
  for (const std::vector<double>& all : cuts) some.push_back(evenly(all, most));
  return some;
}

Cuts finer_cuts(const Cuts& all, const Cuts& coarse, const Cuts& used, size_t most) {
  Cuts finer(all.size());
  for (size_t f = 0; f < all.size(); ++f) {
    std::vector<double> near;
    for (const double cut : used[f]) {
      const auto lower = std::lower_bound(coarse[f].begin(), coarse[f].end(), cut);
      const auto upper = std::upper_bound(coarse[f].begin(), coarse[f].end(), cut);
      const auto first = lower == coarse[f].begin()
                             ? all[f].begin()
                             : std::lower_bound(all[f].begin(), all[f].end(), *(lower - 1));
      const auto last = upper == coarse[f].end()
                            ? all[f].end()
                            : std::upper_bound(all[f].begin(), all[f].end(), *upper);
      near.insert(near.end(), first, last);
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    finer[f] = evenly(near, most);
    finer[f].insert(finer[f].end(), used[f].begin(), used[f].end());
    std::sort(finer[f].begin(), finer[f].end());
    finer[f].erase(std::unique(finer[f].begin(), finer[f].end()), finer[f].end());
  }
  return finer;
}

}  // namespace softwood::evolve
