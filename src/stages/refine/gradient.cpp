#include "stages/refine/gradient.h"

#include "fit/leaf_learners.h"
#include "stages/refine/refine.h"
#include "stages/tune.h"
#include "tree/leaf.h"

namespace softwood::refine {

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that every kind has
Tree by_gradient(Context& context, Tree tree) {
  const Options& options = context.options;
  gradient::TuneSettings settings;
  settings.name = "refine by=gradient";
  settings.compile.all_inputs = options.choice("gates", hyperplane_choices);
  // Models of leaves are trained with all else, over all inputs, from what the leaves answer in
  // the mean.
  settings.compile.linear_leaves = fit::fits_functions(tree.leaf_plan(), tree.task());
  settings.regrow = true;
  settings.clear_gain = 2;
  settings.starts = options.count("starts");
  settings.hold_out = options.real("hold-out");
  settings.schedule.set_steps(
      options.has_number("steps")
          ? options.count("steps")
          : gradient::tuning_steps(context.rows.size(), settings.schedule.batch));
  if (options.has_number("decay")) {
    settings.decays = {options.real("decay")};
  } else {
    settings.decays = {0, 0.03, 0.3};
  }
  if (options.has_number("sharpen")) settings.sharpen = options.real("sharpen");
  return tune_by_gradient(context, tree, settings);
}

}  // namespace softwood::refine
