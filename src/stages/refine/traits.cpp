// What recipes know of refining before it runs.
#include "stages/refine/refine.h"

namespace softwood::refine {

StageTraits traits(const Options& options) {
  StageTraits traits;
  traits.breaks_monotone = true;
  if (options.text("by") == "gradient") traits.parts = parts_of_shares;
  if (options.text("by") == "alternating") {
    traits.label = "refine by=alternating";
    traits.on_soft = {"is for trees that send every row along one path, and '{}' makes soft ones",
                      "use 'refine by=gradient', or put 'harden' before it"};
  }
  return traits;
}

}  // namespace softwood::refine
