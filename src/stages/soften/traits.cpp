// What recipes know of softening before it runs.
#include "stages/soften/soften.h"

namespace softwood::soften {

StageTraits traits(const Options& options) {
  StageTraits traits;
  if (options.text("by") == "gradient") {
    traits.label = "soften by=gradient";
    traits.breaks_monotone = true;
    traits.parts = parts_of_shares;
  }
  return traits;
}

}  // namespace softwood::soften
