// Weighted softmax (multinomial logistic) regression on a design.
#pragma once

#include "fit/design.h"

namespace softwood::fit {

struct Softmax {
  Eigen::VectorXd constants;     // one an output
  Eigen::MatrixXd coefficients;  // standardised terms x outputs
  double loss = 0;               // sum w * (-log probability of the row's own class)
};

// Minimises loss + penalty / 2 * sum of squared coefficients; constants are free. `classes[i]` is
// the output of row i, below `outputs`. By L-BFGS (Liu & Nocedal 1989) until the gradient is below
// 1e-7 of the weight.
Softmax softmax_regression(const Design& design, std::span<const uint32_t> classes, size_t outputs,
                           double penalty);

// The same with the penalty l1 * weight * sum of absolute coefficients, which makes many of them 0
// (Tibshirani 1996), by accelerated proximal steps (Beck & Teboulle 2009, FISTA with constant
// step).
Softmax sparse_softmax_regression(const Design& design, std::span<const uint32_t> classes,
                                  size_t outputs, double l1);

}  // namespace softwood::fit
