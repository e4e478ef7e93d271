#include "stages/refine/refine.h"

#include "softwood/error.h"
#include "stages/refine/alternating.h"
#include "tree/compiled.h"

namespace softwood::refine {

Tree run(Context& context, Tree tree) {
  if (!Compiled(tree).single_path()) {
    throw Error(
        ErrorKind::usage, "refine is for trees that send every row along one path", {},
        "grow with another treatment of missing values than shares, and without soft gates");
  }
  return alternate(context, std::move(tree));
}

std::vector<OptionSpec> options() {
  return {
      {"by",
       OptionType::choice,
       "alternating",
       "alternating: every node in turn gets the gate that suits the subtrees below it best",
       0,
       0,
       {"alternating"}},
      {"gates",
       OptionType::choice,
       "keep",
       "keep: gates over one input stay such; hyperplanes: any node may get one",
       0,
       0,
       {"keep", "hyperplanes"}},
      {"l1", OptionType::real, "0",
       "hyperplanes: price of the absolute coefficients, per row and in standard deviations; makes "
       "many of them 0",
       0, 1e6},
      {"passes", OptionType::integer, "30", "most times that all nodes are gone through", 1, 1e6},
  };
}

}  // namespace softwood::refine
