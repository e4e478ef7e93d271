#include "fit/softmax.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/math.h"

namespace softwood::fit {

namespace {

constexpr int most_steps = 300;
constexpr size_t memory = 8;     // pairs that the curvature is known from
constexpr double close = 1e-7;   // gradient, as a share of the weight, that is 0
constexpr double armijo = 1e-4;  // share of the promised decrease that a step must keep
constexpr double least_step = 1e-12;

// The function of (1 + terms) x outputs numbers, the constants in the first row.
class SoftmaxObjective {
 public:
  SoftmaxObjective(const Design& design, std::span<const uint32_t> classes, size_t outputs,
                   double penalty)
      : design_(design), classes_(classes), penalty_(penalty) {
    scores_.resize(design.cells.rows(), static_cast<Eigen::Index>(outputs));
  }

  // The loss without the penalty is left in loss().
  double value_and_gradient(const Eigen::MatrixXd& x, Eigen::MatrixXd& gradient) {
    const Eigen::Index terms = design_.cells.cols();
    scores_.noalias() = design_.cells * x.bottomRows(terms);
    scores_.rowwise() += x.row(0);
    loss_ = 0;
    for (Eigen::Index i = 0; i < scores_.rows(); ++i) {
      auto row = scores_.row(i);
      const auto own = static_cast<Eigen::Index>(classes_[static_cast<size_t>(i)]);
      const double weight = design_.weight[i];
      const double top = row.maxCoeff();
      const double own_score = row[own] - top;
      for (double& score : row) score = math::exp(score - top);
      const double sum = row.sum();
      loss_ += weight * (math::log(sum) - own_score);
      row *= weight / sum;
      row[own] -= weight;
    }
    gradient.resize(1 + terms, scores_.cols());
    gradient.row(0) = scores_.colwise().sum();
    gradient.bottomRows(terms).noalias() = design_.cells.transpose() * scores_;
    gradient.bottomRows(terms) += penalty_ * x.bottomRows(terms);
    return loss_ + 0.5 * penalty_ * x.bottomRows(terms).squaredNorm();
  }
  double loss() const { return loss_; }

 private:
  const Design& design_;
  std::span<const uint32_t> classes_;
  double penalty_;
  Eigen::MatrixXd scores_;
  double loss_ = 0;
};

double dot(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a.cwiseProduct(b).sum(); }

// Steps and changes of the gradient, newest last.
struct Pair {
  Eigen::MatrixXd step, change;
  double product;
};

// The two loops of L-BFGS: the inverse curvature times the gradient (Nocedal & Wright 2006).
Eigen::MatrixXd direction(const std::deque<Pair>& pairs, const Eigen::MatrixXd& gradient) {
  Eigen::MatrixXd d = gradient;
  std::vector<double> factors(pairs.size());
  for (size_t k = pairs.size(); k-- > 0;) {
    factors[k] = dot(pairs[k].step, d) / pairs[k].product;
    d -= factors[k] * pairs[k].change;
  }
  if (!pairs.empty()) d *= pairs.back().product / pairs.back().change.squaredNorm();
  for (size_t k = 0; k < pairs.size(); ++k) {
    d += (factors[k] - dot(pairs[k].change, d) / pairs[k].product) * pairs[k].step;
  }
  return -d;
}

}  // namespace

Softmax softmax_regression(const Design& design, std::span<const uint32_t> classes, size_t outputs,
                           double penalty) {
  SoftmaxObjective objective(design, classes, outputs, penalty);
  const double weight = design.total_weight;
  Eigen::MatrixXd x =
      Eigen::MatrixXd::Zero(1 + design.cells.cols(), static_cast<Eigen::Index>(outputs));
  Eigen::MatrixXd gradient, next_gradient;
  double value = objective.value_and_gradient(x, gradient);
  double loss = objective.loss();
  std::deque<Pair> pairs;
  for (int step = 0; step < most_steps && gradient.cwiseAbs().maxCoeff() > close * weight; ++step) {
    const Eigen::MatrixXd d = direction(pairs, gradient);
    const double slope = dot(d, gradient);
    // Standardised columns: the curvature is about a quarter of the weight.
    constexpr double longest = 1e300;  // weights may be near 0
    double length = pairs.empty() ? std::min(4 / weight, longest) : 1;
    Eigen::MatrixXd next = x + length * d;
    double next_value = objective.value_and_gradient(next, next_gradient);
    while (!(next_value <= value + armijo * length * slope) && length > least_step) {
      length /= 2;
      next = x + length * d;
      next_value = objective.value_and_gradient(next, next_gradient);
    }
    if (!(next_value < value)) break;
    Pair pair{next - x, next_gradient - gradient, 0};
    pair.product = dot(pair.step, pair.change);
    if (pair.product > 0) {
      pairs.push_back(std::move(pair));
      if (pairs.size() > memory) pairs.pop_front();
    }
    x.swap(next);
    gradient.swap(next_gradient);
    value = next_value;
    loss = objective.loss();
  }
  return {x.row(0).transpose(), x.bottomRows(design.cells.cols()), loss};
}

namespace {

constexpr int most_proximal_steps = 500;
constexpr double still = 1e-6;  // change of a coefficient, in standard deviations, that is none

// A bound of the curvature of the loss: half of the largest eigenvalue of the design's scatter, the
// constant included (Bohning 1992), found by power iteration and a little more to be safe.
double curvature_bound(const Design& design) {
  Eigen::VectorXd v = Eigen::VectorXd::Ones(design.cells.cols()).normalized();
  double largest = 0;
  for (int step = 0; step < 30; ++step) {
    v = design.cells.transpose() * design.weight.cwiseProduct(design.cells * v);
    largest = v.norm();
    if (!(largest > 0)) break;
    v /= largest;
  }
  return 0.5 * 1.1 * std::max(largest, design.total_weight);
}

}  // namespace

Softmax sparse_softmax_regression(const Design& design, std::span<const uint32_t> classes,
                                  size_t outputs, double l1) {
  SoftmaxObjective objective(design, classes, outputs, 0);
  const Eigen::Index terms = design.cells.cols();
  const double step = 1 / curvature_bound(design), shrink = l1 * design.total_weight * step;
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(1 + terms, static_cast<Eigen::Index>(outputs));
  Eigen::MatrixXd ahead = x, gradient;
  double momentum = 1;
  for (int k = 0; k < most_proximal_steps; ++k) {
    objective.value_and_gradient(ahead, gradient);
    Eigen::MatrixXd next = ahead - step * gradient;
    next.bottomRows(terms) = next.bottomRows(terms).unaryExpr([=](double value) {
      return value > shrink ? value - shrink : value < -shrink ? value + shrink : 0.0;
    });
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    const Eigen::MatrixXd change = next - x;
    ahead = next + (momentum - 1) / grown * change;
    momentum = grown;
    x.swap(next);
    if (change.cwiseAbs().maxCoeff() < still) break;
  }
  objective.value_and_gradient(x, gradient);
  return {x.row(0).transpose(), x.bottomRows(terms), objective.loss()};
}

}  // namespace softwood::fit
