// Directions that divide two groups of rows, or follow a number, by least squares.
//
// With X the standardised columns of a node, T = X'WX their total scatter and m = X'Wr their
// moments with a response r, the direction is T^-1 m. For the response "belongs to the right
// group" that is Fisher's discriminant: T = S_W + c dd' with d the difference of the means, so
// T^-1 d is along S_W^-1 d (Fisher 1936; Yildiz & Alpaydin 2005). T depends on no
// grouping, so that it is decomposed once per node whatever number of groupings is tried.
#pragma once

#include <Eigen/Core>

#include <vector>

#include "fit/least_squares.h"
#include "stages/grow/multivariate/matrix.h"

namespace softwood::grow {

using fit::Scatter;

enum class Fit {
  // All components; when T is near to singular, the principal components with most of the variance
  // (Yildiz & Alpaydin 2005). How near and how much was chosen on validation rows:
  // docs/reference/methods/ldt.md.
  principal,
  // T + lambda I with the lambda of least generalised cross-validation (Golub, Heath & Wahba 1979).
  ridge,
};

Scatter scatter_of(const NodeMatrix& matrix);
// `squares`: the sum of the response's squared deviations.
Eigen::VectorXd direction_of(const Scatter& scatter, const Eigen::VectorXd& moments, double squares,
                             Fit fit);

// Where two Gaussians of equal variance with these means, times their weights, meet.
double gaussian_cut(double left_mean, double right_mean, double variance, double left_weight,
                    double right_weight);

// The cut between the rows of group 0 and those of group 1 along a score.
double gaussian_cut(const NodeSample& node, std::span<const double> scores,
                    std::span<const uint8_t> group);

// The response that a direction is to follow: a division of the rows into two groups, or the
// number.
struct Response {
  std::vector<uint8_t> group;  // of each row; empty: the number itself
  Eigen::VectorXd moments;
  double squares = 0;
};

// Classes are divided into two groups by exchange (Guo & Gelfand 1992; Yildiz & Alpaydin 2005):
// the two classes whose means are furthest apart take the others by nearness; then
// the class whose change of side improves the split most changes, until none does or ten have.
Response grouped_classes(const NodeSample& node, const NodeMatrix& matrix, const Scatter& scatter,
                         Fit fit);
// Rows below and above the mean of the target.
Response halves_of_target(const NodeSample& node, const NodeMatrix& matrix);
// The target itself.
Response number_of_target(const NodeSample& node, const NodeMatrix& matrix);

}  // namespace softwood::grow
