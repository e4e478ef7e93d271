// A table as the evolutionary search sees it, with the usual fitness.
#pragma once

#include <limits>

#include "stages/evolve/coded.h"
#include "stages/evolve/fitness.h"
#include "support/tables.h"

namespace softwood::test {

struct Problem {
  Problem(Table data, bool merge, size_t most_cuts,
          size_t set_words = evolve::CodedRows::usual_set_words)
      : table(std::move(data)),
        derived(table),
        sample(all_rows(table)),
        cuts(evolve::quantiles(evolve::boundary_cuts(derived, sample, Parallel(1)), most_cuts)),
        rows(table, sample, cuts, merge, Parallel(1), {}, set_words) {
    fitness.classes = rows.classes();
    fitness.alpha = 0.0025;
    fitness.weight = rows.weight();
    fitness.feature_costs.assign(table.features(), 1.0);
    judge_root();
  }
  // Again when the fitness was changed.
  void judge_root() {
    std::vector<double> sums(rows.sums_width());
    rows.sums(rows.all(), rows.rows(), sums.data());
    evolve::Gene root;
    fitness.judge(sums.data(), root);
    fitness.root_loss = root.loss;
  }
  Table table;
  Derived derived;
  std::vector<RowIndex> sample;
  evolve::Cuts cuts;
  evolve::CodedRows rows;
  evolve::Fitness fitness;
};

}  // namespace softwood::test
