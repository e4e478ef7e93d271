// Growth with the exact search over all thresholds.
#pragma once

#include "stages/stage.h"

namespace softwood::grow {

Tree grow_exact(Context& context);

}  // namespace softwood::grow
