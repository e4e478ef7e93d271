#include "stages/refine/refine.h"

#include "softwood/error.h"
#include "stages/refine/alternating.h"
#include "stages/refine/gradient.h"
#include "tree/compiled.h"

namespace softwood::refine {

Tree run(Context& context, Tree tree) {
  if (context.options.text("by") == "gradient") return refine_by_gradient(context, tree);
  if (!Compiled(tree).single_path()) {
    throw Error(ErrorKind::usage, "refine is for trees that send every row along one path", {},
                "use by=gradient, or grow with another treatment of missing values than shares");
  }
  return alternate(context, std::move(tree));
}

std::vector<OptionSpec> options() {
  return {
      {"by",
       OptionType::choice,
       "alternating",
       "alternating: every node in turn gets the gate that suits the subtrees below it best; "
       "gradient: all gates, made soft, and all leaves move together",
       0,
       0,
       {"alternating", "gradient"}},
      {"gates",
       OptionType::choice,
       "keep",
       "keep: gates keep to their inputs; hyperplanes: any node may use all",
       0,
       0,
       {"keep", "hyperplanes"}},
      {"l1", OptionType::real, "0",
       "hyperplanes: price of the absolute coefficients, per row and in standard deviations; makes "
       "many of them 0",
       0, 1e6},
      {"steps", OptionType::integer, "auto", "by=gradient: steps of the training, one a batch", 1,
       1e7},
      {"decay", OptionType::real, "auto",
       "by=gradient: how strongly weights are drawn to 0; auto: chosen on the held-out rows", 0,
       100},
      {"hold-out", OptionType::real, "0.2",
       "by=gradient: share of the training rows that end the training, when there are no "
       "validation "
       "rows",
       0, 0.9},
      {"passes", OptionType::integer, "30", "most times that all nodes are gone through", 1, 1e6},
  };
}

}  // namespace softwood::refine
