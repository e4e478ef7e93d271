// A table with inputs of all kinds, missing values and, if wanted, weights.
#pragma once

#include "base/random.h"
#include "support/tables.h"

namespace softwood::test {

inline Table mixed_table(size_t classes, uint64_t seed, bool weights) {
  Table table = random_table({.rows = 300,
                              .classes = classes,
                              .numeric = 3,
                              .nominal = 2,
                              .ordinal = 1,
                              .distinct = 40,
                              .missing = 0.1,
                              .noise = 0.4},
                             seed);
  if (!weights) return table;
  Random random(seed, "weights");
  std::vector<double> w;
  for (size_t i = 0; i < table.rows(); ++i)
    w.push_back(0.25 * static_cast<double>(1 + random.below(9)));
  return with_weights(table, w);
}

}  // namespace softwood::test
