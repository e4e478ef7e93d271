#include "stages/soft/greedy_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "stages/recipe.h"

namespace softwood::soft {

Tree greedy_tree(Derived& derived, std::span<const Sample> samples, size_t leaves,
                 const Parallel& parallel, const Control& control) {
  constexpr size_t least_rows = 5;
  std::vector<RowIndex> rows;
  for (const Sample& sample : samples) {
    if (sample.table == &derived.table()) {
      rows.insert(rows.end(), sample.rows.begin(), sample.rows.end());
    }
  }
  std::sort(rows.begin(), rows.end());
  const Recipe recipe =
      Recipe::parse(fmt::format("grow max-leaves={} min-leaf={}", leaves, least_rows));
  Tree tree = run_recipe(recipe, {derived, rows, std::nullopt}, parallel, control).tree;
  tree.canonicalise();
  return tree;
}

}  // namespace softwood::soft
