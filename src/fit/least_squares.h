// Weighted least squares on a design, plain or with a ridge.
#pragma once

#include "fit/design.h"

namespace softwood::fit {

// Z'WZ of standardised columns Z, decomposed once for any number of responses. The responses are
// measured from their mean; they enter by their moments Z'Wy and the sum of their squares y'Wy.
class Scatter {
 public:
  Scatter(const Eigen::MatrixXd& cells, const Eigen::VectorXd& weight, double total_weight);

  struct Fitted {
    Eigen::VectorXd coefficients;
    double generalised_error = 0;
  };
  // Minimises sum w (y - z b)^2 + penalty |b|^2 (Hoerl & Kennard 1970). A penalty of NaN: of a list
  // of penalties the one with the least generalised cross-validation
  //   V = (RSS / n) / (1 - df / n)^2,   df = 1 + sum d_j / (d_j + penalty),
  // d_j the eigenvalues (Golub, Heath & Wahba 1979), n the weight. Directions in which the rows do
  // not differ (d_j below 1e-9 n) get no part. A fit that has less than two rows for each degree of
  // freedom has an infinite V.
  Fitted ridge(const Eigen::VectorXd& moments, double squares, double penalty) const;

  const Eigen::MatrixXd& total() const { return total_; }
  const Eigen::VectorXd& eigenvalues() const { return eigenvalues_; }  // ascending, not negative
  const Eigen::MatrixXd& eigenvectors() const { return eigenvectors_; }

 private:
  double weight_;
  Eigen::MatrixXd total_;
  Eigen::VectorXd eigenvalues_;
  Eigen::MatrixXd eigenvectors_;
};

struct LeastSquares {
  double constant = 0;           // the weighted mean of the numbers
  Eigen::VectorXd coefficients;  // of the standardised terms
  double generalised_error = 0;  // of the fit: see Scatter::ridge
  double constant_error = 0;     // the same of the constant alone
};

LeastSquares least_squares(const Design& design, const Eigen::VectorXd& numbers, double penalty);

}  // namespace softwood::fit
