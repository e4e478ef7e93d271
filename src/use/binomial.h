// Exact limits for the probability of a success (Clopper & Pearson 1934), and the sign test.
#pragma once

#include <cstddef>

namespace softwood {

// The one-sided lower limit at this confidence, and the two-sided interval.
double binomial_lower_limit(size_t successes, size_t trials, double confidence);
struct BinomialInterval {
  double low, high;
};
BinomialInterval binomial_interval(size_t successes, size_t trials, double confidence);

// The two-sided p-value of so many wins and losses when both are equally likely.
double sign_test(size_t wins, size_t losses);

}  // namespace softwood
