// A table as the evolutionary search sees it, with the usual objective.
#pragma once

#include <limits>

#include "stages/evolve/coded.h"
#include "stages/evolve/objective.h"
#include "support/tables.h"

namespace softwood::test {

struct Problem {
  Problem(Table data, bool merge, size_t most_cuts,
          size_t set_words = evolve::CodedRows::usual_set_words)
      : table(std::move(data)),
        derived(table),
        sample(all_rows(table)),
        cuts(evolve::quantiles(evolve::boundary_cuts(derived, sample, Parallel(1)), most_cuts)),
        rows(table, sample, cuts, merge, Parallel(1), set_words) {
    objective.classes = rows.classes();
    objective.alpha = 0.0025;
    objective.weight = rows.weight();
    objective.feature_costs.assign(table.features(), 1.0);
    judge_root();
  }
  // Again when the objective was changed.
  void judge_root() {
    std::vector<double> sums(rows.sums_width());
    rows.sums(rows.all(), rows.rows(), sums.data());
    evolve::Gene root;
    objective.judge(sums.data(), root);
    objective.root_loss = root.loss;
  }
  Table table;
  Derived derived;
  std::vector<RowIndex> sample;
  evolve::Cuts cuts;
  evolve::CodedRows rows;
  evolve::Objective objective;
};

}  // namespace softwood::test
