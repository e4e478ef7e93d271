#include "fit/least_squares.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace softwood::fit {

namespace {

constexpr double least_eigenvalue = 1e-9;  // as a share of the weight
// Penalties that are tried, as shares of the weight, two a decade: the error changes little from
// one to the next.
constexpr double first_penalty = 1e-5, last_penalty = 1e3, penalty_step = 3.1622776601683795;

// The problem in the directions of the eigenvectors.
struct Rotated {
  const Eigen::VectorXd& eigenvalues;
  Eigen::VectorXd moments;  // of the directions with the numbers
  double squares, weight;

  double share(Eigen::Index j, double penalty) const {
    return eigenvalues[j] > least_eigenvalue * weight ? eigenvalues[j] / (eigenvalues[j] + penalty)
                                                      : 0;
  }
  double generalised_error(double penalty) const {
    double left = squares, freedom = 1;
    for (Eigen::Index j = 0; j < eigenvalues.size(); ++j) {
      const double s = share(j, penalty);
      if (s == 0) continue;
      left -= s * (2 - s) * moments[j] * moments[j] / eigenvalues[j];
      freedom += s;
    }
    if (2 * freedom > weight) return std::numeric_limits<double>::infinity();
    const double free = 1 - freedom / weight;
    return std::max(0.0, left) / weight / (free * free);
  }
};

double best_penalty(const Rotated& rotated) {
  double best = last_penalty * rotated.weight;
  double least = rotated.generalised_error(best);
  // From the strongest down: a weaker one must be better by more than rounding.
  double share = last_penalty;
  while (share >= first_penalty) {
    const double error = rotated.generalised_error(share * rotated.weight);
    if (error < least * (1 - 1e-9)) {
      least = error;
      best = share * rotated.weight;
    }
    share /= penalty_step;
  }
  return best;
}

}  // namespace

Scatter::Scatter(const Eigen::MatrixXd& cells, const Eigen::VectorXd& weight, double total_weight)
    : weight_(total_weight), total_(Eigen::MatrixXd::Zero(cells.cols(), cells.cols())) {
  const Eigen::MatrixXd scaled = weight.cwiseSqrt().asDiagonal() * cells;
  total_.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  total_ = total_.selfadjointView<Eigen::Lower>();
  if (cells.cols() == 0) return;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(total_);
  eigenvalues_ = solver.eigenvalues().cwiseMax(0.0);
  eigenvectors_ = solver.eigenvectors();
}

Scatter::Fitted Scatter::ridge(const Eigen::VectorXd& moments, double squares,
                               double penalty) const {
  if (moments.size() == 0) return {moments, squares};
  const Rotated rotated{eigenvalues_, eigenvectors_.transpose() * moments, squares, weight_};
  if (std::isnan(penalty)) penalty = best_penalty(rotated);
  Eigen::VectorXd along(rotated.moments.size());
  for (Eigen::Index j = 0; j < along.size(); ++j) {
    const double share = rotated.share(j, penalty);
    along[j] = share == 0 ? 0 : share * rotated.moments[j] / eigenvalues_[j];
  }
  return {eigenvectors_ * along, rotated.generalised_error(penalty)};
}

LeastSquares least_squares(const Design& design, const Eigen::VectorXd& numbers, double penalty) {
  LeastSquares fit;
  fit.constant = design.weight.dot(numbers) / design.total_weight;
  const Eigen::VectorXd centred = numbers.array() - fit.constant;
  const Eigen::VectorXd weighted = design.weight.cwiseProduct(centred);
  const double squares = weighted.dot(centred);
  Scatter::Fitted fitted = Scatter(design.cells, design.weight, design.total_weight)
                               .ridge(design.cells.transpose() * weighted, squares, penalty);
  fit.coefficients = std::move(fitted.coefficients);
  fit.generalised_error = fitted.generalised_error;
  const double free = 1 - 1 / design.total_weight;
  fit.constant_error = squares / design.total_weight / (free * free);
  return fit;
}

}  // namespace softwood::fit
