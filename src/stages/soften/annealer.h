// Simulated annealing as method SANN of R's optim does it (R Development Core Team, help page of
// optim; Belisle 1992): candidates are Gaussian steps from the current point, worse ones are taken
// with the Metropolis probability, and the best point that was seen is the result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "base/math.h"
#include "base/random.h"

namespace softwood::soften {

struct Annealing {
  double temp = 10;          // temperature at the start
  size_t evaluations = 101;  // of the function, the starting point included (maxit)
  size_t same = 10;          // evaluations at each temperature (tmax)
  // Largest coordinate, unless the start is larger. Widths are in units of the hyperrectangles:
  // beyond this one the ramp changes the weight by less than 0.5 / 100 within its own, and the
  // function often falls for ever towards an infinite width, by less and less.
  double widest = 100;

  // At evaluation t = 1, 2, ... after the starting point.
  double temperature(size_t t) const {
    const size_t before = (t - 1) / same * same;  // evaluations at higher temperatures
    return temp / math::log(static_cast<double>(before) + std::numbers::e);
  }
};

// Lowers value(point) from `start`, its value at `best`, and leaves the best point in `best` and
// its value as the result. A point with a negative coordinate is never taken, nor one beyond the
// widest: R gets a penalty there that is larger than any difference of values.
template <class Value>
double anneal(const Annealing& how, std::vector<double>& best, double start, const Value& value,
              Random& random) {
  std::vector<double> current = best, tried(best.size()), most(best.size());
  for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(how.widest, best[i]);
  double current_value = start, best_value = start;
  for (size_t t = 1; t < how.evaluations; ++t) {
    const double temperature = how.temperature(t);
    const double step = temperature / how.temp;
    bool allowed = true;
    for (size_t i = 0; i < tried.size(); ++i) {
      tried[i] = current[i] + step * random.normal();
      allowed = allowed && tried[i] >= 0 && tried[i] <= most[i];
    }
    if (!allowed) continue;
    const double tried_value = value(tried);
    const double worse = tried_value - current_value;
    if (worse > 0 && !(random.uniform() < math::exp(-worse / temperature))) continue;
    current.swap(tried);
    current_value = tried_value;
    if (current_value <= best_value) {
      best_value = current_value;
      best = current;
    }
  }
  return best_value;
}

}  // namespace softwood::soften
