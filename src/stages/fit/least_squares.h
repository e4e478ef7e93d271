// Weighted least squares on a design, plain or with a ridge.
#pragma once

#include "stages/fit/design.h"

namespace softwood::fit {

struct LeastSquares {
  double constant = 0;           // the weighted mean of the numbers
  Eigen::VectorXd coefficients;  // of the standardised terms
  double generalised_error = 0;  // of the fit: see below
  double constant_error = 0;     // the same of the constant alone
};

// Minimises sum w (y - constant - z b)^2 + penalty |b|^2 (Hoerl & Kennard 1970). A penalty of NaN:
// of a list of penalties the one with the least generalised cross-validation
//   V = (RSS / n) / (1 - df / n)^2,   df = 1 + sum d_j / (d_j + penalty),
// d_j the eigenvalues of Z'WZ (Golub, Heath & Wahba 1979), n the weight. Directions
// in which the rows do not differ (d_j below 1e-9 n) get no part. A fit that has less than two rows
// for each degree of freedom has an infinite V.
LeastSquares least_squares(const Design& design, const Eigen::VectorXd& numbers, double penalty);

}  // namespace softwood::fit
