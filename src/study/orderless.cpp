#include "study/orderless.h"

#include <algorithm>
#include <cmath>

#include "data/canonical.h"
#include "data/class_weights.h"

namespace softwood {
namespace {

size_t parts_of(const Recipe& recipe) {
  size_t parts = 1;
  for (const Step& step : recipe.steps()) {
    if (!step.traits().divides_rows) continue;
    const bool has_folds = find_option("folds", step.stage->options) != nullptr;
    parts = std::max(parts, has_folds ? step.options.count("folds") : parts_of_shares);
  }
  return parts;
}

bool sums_are_exact(const Recipe& recipe, const Table& table, std::span<const RowIndex> rows) {
  if (std::all_of(recipe.steps().begin(), recipe.steps().end(),
                  [](const Step& step) { return step.traits().whole_sums; })) {
    return true;
  }
  const bool numbers = table.schema().task() == Task::regression;
  const auto exact = [&](const Step& step) {
    return numbers ? step.traits().sums_exactly : step.traits().counts_only;
  };
  if (!std::all_of(recipe.steps().begin(), recipe.steps().end(), exact)) return false;
  for (size_t f = 0; f < table.features(); ++f) {
    if (table.input(f).missing > 0) return false;  // rows may be divided
  }
  if (!table.weighted()) return true;
  double total = 0;
  for (const RowIndex row : rows) {
    const double weight = table.weight(row);
    if (weight < 1 || weight != std::floor(weight)) return false;
    total += weight;
  }
  constexpr double most = 4294967296.0;  // 2^32: binned sums keep digits enough of numbers
  return total <= most;
}

}  // namespace

bool order_may_show(const Recipe& recipe, const Table& table, std::span<const RowIndex> rows,
                    bool reweighted, const Parallel& parallel, const Control& control) {
  if (table.canonical()) return false;
  if (reweighted || !sums_are_exact(recipe, table, rows)) return true;
  const size_t parts = parts_of(recipe);
  return parts > 1 &&
         (table.weighted() || !divides_as_canonical(table, rows, parts, parallel, control));
}

OrderlessRows::OrderlessRows(const Table& table, std::span<const RowIndex> rows, bool canonical,
                             const Recipe& recipe, const Parallel& parallel, const Control& control)
    : given_(table), rows_(rows) {
  if (!canonical || table.canonical()) return;
  own_.emplace(canonical_table(table, rows, parts_of(recipe), parallel, control));
  own_rows_ = all_rows(*own_);
  rows_ = own_rows_;
}

void OrderlessRows::reweigh(std::span<const double> factors) {
  if (!factors.empty()) weighted_ = reweighted(plain(), factors);
}

}  // namespace softwood
