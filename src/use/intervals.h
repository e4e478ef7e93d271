// Confidence intervals of 95 %.
#pragma once

#include "softwood/measures.h"

namespace softwood {

constexpr double interval_level = 0.95;

// The score interval of a share (Wilson 1927; recommended by Agresti & Coull 1998). NaN without
// trials. Both may be sums of weights.
Interval wilson_interval(double successes, double trials);

// estimate -/+ z * standard deviation, within [0, 1].
Interval normal_interval(double estimate, double variance);

}  // namespace softwood
