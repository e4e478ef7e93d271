#include "stages/grow/inference/chi_square.h"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "base/math.h"

namespace softwood::grow {
namespace {

// log of the regularised upper incomplete gamma function Q(a, x) for x >= a + 1, by its continued
// fraction (Abramowitz & Stegun 6.5.31 in its even part, evaluated by Lentz's method):
//   Q(a, x) = e^-x x^a / Gamma(a) * 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))).
double log_upper_gamma(double a, double x) {
  constexpr double tiny = 1e-300;
  constexpr int most_steps = 100000;
  double b = x + 1 - a;
  double c = 1 / tiny;
  double d = 1 / b;
  double fraction = d;
  for (int i = 1; i < most_steps; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + numerator / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double factor = c * d;
    fraction *= factor;
    if (std::abs(factor - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return a * math::log(x) - x - boost::math::lgamma(a) + math::log(fraction);
}

}  // namespace

LogTails chi_square_log_tails(double x, double degrees) {
  const double a = degrees / 2, half = x / 2;
  if (half < a + 1) {
    const double lower = boost::math::gamma_p(a, half);
    return {math::log(lower), std::log1p(-lower)};
  }
  const double upper = log_upper_gamma(a, half);
  return {std::log1p(-math::exp(upper)), upper};
}

double adjusted_log_p(const LogTails& tails, size_t tests) {
  const double m = static_cast<double>(tests);
  // Here 1 - (1 - p)^m = m p to the last digit, while p itself may be too small for a double.
  constexpr double small = -100;
  if (tails.upper < small) return tails.upper + math::log(m);
  return math::log(-std::expm1(m * tails.lower));
}

}  // namespace softwood::grow
