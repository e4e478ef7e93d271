// Soft thresholds from what each node's errors say of its own threshold alone: Quinlan 1993, "C4.5:
// Programs for Machine Learning", and the rule of C5.0's option -p.
#pragma once

#include <span>

#include "stages/stage.h"

namespace softwood::soften {

// Rows with the same value at a node: their weight, and how much of it the first and the second
// branch get wrong.
struct ValueErrors {
  double value = 0;
  double weight = 0;
  double first = 0, second = 0;
};

struct Bounds {
  double low = 0, high = 0;  // low <= cut <= high
};

// C4.5. With E errors of the N rows at the node's own cut, the limit is E + sqrt((E + 1/2) (N - E +
// 1/2) / (N + 1)). A bound is where the errors, with the cut put there, pass the limit: linear
// between neighbouring values, the outermost such place; the end of the values where there is none.
// `values` ascend.
Bounds c45_bounds(std::span<const ValueErrors> values, double cut);

// C5.0. Outward from the cut, value by value: on the rows passed the other branch may make at most
// twice the errors of their own branch plus one, and at most sqrt(E (N - E) / N) more.
Bounds c50_bounds(std::span<const ValueErrors> values, double cut);

// `rule=`
constexpr Named<Bounds (*)(std::span<const ValueErrors>, double)> interval_rules[] = {
    {"c45", c45_bounds}, {"c50", c50_bounds}};

Tree by_intervals(Context& context, Tree tree);

}  // namespace softwood::soften
