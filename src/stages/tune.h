// What stages tune by gradients with: the parts of their context that tuning needs.
#pragma once

#include "gradient/tune.h"
#include "stages/stage.h"

namespace softwood {

inline Tree tune_by_gradient(Context& context, const Tree& tree,
                             const gradient::TuneSettings& settings) {
  gradient::Tuned tuned = gradient::tune({{&context.table(), context.rows},
                                          context.validation.take(),
                                          context.seed,
                                          context.parallel,
                                          context.control,
                                          context.rerun},
                                         tree, settings);
  if (tuned.stopped != Stopped::converged) context.report.stopped = tuned.stopped;
  return std::move(tuned.tree);
}

}  // namespace softwood
