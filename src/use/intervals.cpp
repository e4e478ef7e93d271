#include "use/intervals.h"

#include <algorithm>
#include <cmath>

namespace softwood {
namespace {

constexpr double z = 1.959963984540054;  // the quantile 0.975 of the normal distribution

}  // namespace

Interval wilson_interval(double successes, double trials) {
  if (!(trials > 0)) return {};
  const double share = successes / trials, z2 = z * z / trials;
  const double centre = (share + z2 / 2) / (1 + z2);
  const double half =
      z / (1 + z2) * std::sqrt(std::max(0.0, share * (1 - share) / trials + z2 / (4 * trials)));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

Interval normal_interval(double estimate, double variance) {
  if (!(variance >= 0)) return {};
  const double half = z * std::sqrt(variance);
  return {std::max(0.0, estimate - half), std::min(1.0, estimate + half)};
}

}  // namespace softwood
