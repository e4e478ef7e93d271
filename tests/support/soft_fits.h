// What soft trees of a table are made with, for tests that look at the parts of their training.
#pragma once

#include "stages/recipe.h"
#include "stages/soft/candidate_fits.h"

namespace softwood::test {

// In two parts.
struct FitsOf {
  explicit FitsOf(const Table& table)
      : derived(table),
        rows(all_rows(table)),
        context{derived,
                false,
                rows,
                {std::nullopt, used},
                recipe.steps()[0].options,
                1,
                parallel,
                control,
                report,
                {},
                {}},
        parts(context, 2),
        run{parts, 1, parallel, control},
        data(run),
        fits(run, data) {}

  Derived derived;
  std::vector<RowIndex> rows;
  Recipe recipe = Recipe::parse("grow-soft shape=full");
  Parallel parallel;
  Control control;
  StageReport report;
  bool used = false;
  Context context;
  soft::Parts parts;
  soft::FitRun run;
  soft::FitData data;
  soft::CandidateFits fits;
};

}  // namespace softwood::test
