// What recipes know of refining before it runs.
#include "stages/refine/refine.h"

namespace softwood::refine {

std::vector<TraitRule> traits() {
  const Refusal on_soft = {
      "is for trees that send every row along one path, and '{}' makes soft ones",
      "use 'refine by=gradient', or put 'harden' before it"};
  return {
      {"", {.breaks_monotone = true}},
      {"by=gradient", {.divides_rows = true}},
      {"by=alternating", {.label = "refine by=alternating", .on_soft = on_soft}},
  };
}

}  // namespace softwood::refine
