// Growing in one line, for tests.
#pragma once

#include "stages/recipe.h"

namespace softwood::test {

inline Tree run(const Table& table, const std::string& recipe,
                const Parallel& parallel = Parallel(1), uint64_t seed = 1) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  return run_recipe(Recipe::parse(recipe), {derived, rows, {}, seed}, parallel, {}).tree;
}

}  // namespace softwood::test
