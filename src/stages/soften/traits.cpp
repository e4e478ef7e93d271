// What recipes know of softening before it runs.
#include "stages/soften/soften.h"

namespace softwood::soften {

std::vector<TraitRule> traits() {
  return {{"by=gradient",
           {.label = "soften by=gradient", .breaks_monotone = true, .divides_rows = true}}};
}

}  // namespace softwood::soften
