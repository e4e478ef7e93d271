#include "use/binomial.h"

#include <boost/math/distributions/binomial.hpp>

#include <algorithm>

namespace softwood {
namespace {

using Binomial = boost::math::binomial_distribution<>;

double lower(size_t successes, size_t trials, double alpha) {
  if (successes == 0) return 0;
  return Binomial::find_lower_bound_on_p(static_cast<double>(trials),
                                         static_cast<double>(successes), alpha);
}

double upper(size_t successes, size_t trials, double alpha) {
  if (successes == trials) return 1;
  return Binomial::find_upper_bound_on_p(static_cast<double>(trials),
                                         static_cast<double>(successes), alpha);
}

}  // namespace

double binomial_lower_limit(size_t successes, size_t trials, double confidence) {
  return lower(successes, trials, 1 - confidence);
}

BinomialInterval binomial_interval(size_t successes, size_t trials, double confidence) {
  const double alpha = (1 - confidence) / 2;
  return {lower(successes, trials, alpha), upper(successes, trials, alpha)};
}

double sign_test(size_t wins, size_t losses) {
  const size_t trials = wins + losses;
  if (trials == 0) return 1;
  const Binomial even(static_cast<double>(trials), 0.5);
  return std::min(1.0, 2 * boost::math::cdf(even, static_cast<double>(std::min(wins, losses))));
}

}  // namespace softwood
