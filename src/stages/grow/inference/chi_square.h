// Tails of the chi-square distribution as logarithms: p-values far below the smallest double keep
// all their digits.
#pragma once

#include <cstddef>

namespace softwood::grow {

struct LogTails {
  double lower = 0;  // log P(X <= x)
  double upper = 0;  // log P(X > x): the log of the p-value
};

// `x` >= 0, `degrees` > 0.
LogTails chi_square_log_tails(double x, double degrees);

// log(1 - (1 - p)^tests): the p-value of the smallest of so many (Hothorn, Hornik & Zeileis 2006,
// adjustment for multiple testing).
double adjusted_log_p(const LogTails& tails, size_t tests);

}  // namespace softwood::grow
