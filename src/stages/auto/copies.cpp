#include "stages/auto/copies.h"

#include <algorithm>
#include <numeric>

#include "data/content.h"
#include "data/sorted.h"
#include "stages/auto/constants.h"
#include "stages/auto/losses.h"

namespace softwood::choice {
namespace {

bool mostly_differs(const Column& column, std::span<const RowIndex> rows) {
  if (column.kind != Kind::numeric) return false;
  std::vector<double> values;
  for (const RowIndex row : rows) {
    if (!column.is_missing(row)) values.push_back(column.numbers[row]);
  }
  std::sort(values.begin(), values.end());
  const auto end = std::unique(values.begin(), values.end());
  return 2 * static_cast<size_t>(end - values.begin()) > rows.size();
}

// The largest number that divides how often each row stands; 1 where weights count no rows.
uint64_t common_divisor(const Table& table, std::span<const RowIndex> rows, const Copies& copies) {
  if (!count_copies(weights_of({&table, rows}))) return 1;
  std::vector<double> times(rows.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i) times[copies.first[i]] += table.weight(rows[i]);
  uint64_t divisor = 0;
  for (const double count : times) divisor = std::gcd(divisor, static_cast<uint64_t>(count));
  return divisor;
}

}  // namespace

Copies copies_of(const Table& table, std::span<const RowIndex> rows, const Control& control) {
  Copies copies;
  copies.first.resize(rows.size());
  std::vector<RowIndex> different;
  uint32_t first = 0;
  for (const uint32_t item : content_order(table, rows, Parallel(1), control)) {
    const uint32_t at = item & ~new_value_mark;
    if ((item & new_value_mark) != 0) {
      first = at;
      different.push_back(rows[at]);
    }
    copies.first[at] = first;
  }
  copies.different = different.size();
  if (!copies.any()) return copies;
  bool continuous = table.has_target() && mostly_differs(table.target(), different);
  for (size_t f = 0; f < table.features() && !continuous; ++f) {
    continuous = mostly_differs(table.input(f), different);
  }
  copies.copied = continuous || common_divisor(table, rows, copies) > 1;
  return copies;
}

}  // namespace softwood::choice
