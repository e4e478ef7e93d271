#include "stages/grow/multivariate/discriminant.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "stages/grow/multivariate/projection.h"

namespace softwood::grow {

Scatter scatter_of(const NodeMatrix& matrix) {
  return {matrix.x(), matrix.weight(), matrix.total_weight()};
}

Eigen::VectorXd direction_of(const Scatter& scatter, const Eigen::VectorXd& moments, double squares,
                             Fit fit) {
  if (moments.size() == 0) return moments;
  if (fit == Fit::ridge) return scatter.ridge(moments, squares, missing_number).coefficients;
  Eigen::VectorXd components = scatter.eigenvectors().transpose() * moments;
  const Eigen::VectorXd& eigenvalues = scatter.eigenvalues();
  constexpr double singular = 0.01, kept_variance = 0.95;
  const Eigen::Index count = eigenvalues.size();
  Eigen::Index first = 0;
  if (eigenvalues[0] <= singular * eigenvalues[count - 1]) {
    double kept = 0;
    for (first = count; first > 0 && kept < kept_variance * eigenvalues.sum(); --first) {
      kept += eigenvalues[first - 1];
    }
  }
  components.head(first).setZero();
  components.tail(count - first).array() /= eigenvalues.tail(count - first).array();
  return scatter.eigenvectors() * components;
}

// The log-densities -(x-m)^2 / 2v + log w are equal at x = (m0+m1)/2 + v log(w0/w1) / (m1-m0).
double gaussian_cut(double left_mean, double right_mean, double variance, double left_weight,
                    double right_weight) {
  return 0.5 * (left_mean + right_mean) +
         variance * math::log(left_weight / right_weight) / (right_mean - left_mean);
}

double gaussian_cut(const NodeSample& node, std::span<const double> scores,
                    std::span<const uint8_t> group) {
  double weight[2] = {}, mean[2] = {}, squares = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    weight[group[i]] += node.weight(i);
    mean[group[i]] += node.weight(i) * scores[i];
  }
  for (const int g : {0, 1}) mean[g] /= weight[g];
  for (size_t i = 0; i < scores.size(); ++i) {
    const double deviation = scores[i] - mean[group[i]];
    squares += node.weight(i) * deviation * deviation;
  }
  return gaussian_cut(mean[0], mean[1], squares / (weight[0] + weight[1]), weight[0], weight[1]);
}

namespace {

// Sums of the weighted columns over the rows of each class.
Eigen::MatrixXd class_moments(const NodeSample& node, const NodeMatrix& matrix) {
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(matrix.columns()),
                                                  static_cast<Eigen::Index>(node.cell.size()));
  for (Eigen::Index j = 0; j < moments.rows(); ++j) {
    for (size_t i = 0; i < node.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      moments(j, static_cast<Eigen::Index>(node.class_of(i))) +=
          matrix.weight()[row] * matrix.x()(row, j);
    }
  }
  return moments;
}

// A division of the classes: the side of each.
using Sides = std::vector<uint8_t>;

class Exchange {
 public:
  Exchange(const NodeSample& node, const NodeMatrix& matrix, const Scatter& scatter, Fit fit)
      : node_(node),
        matrix_(matrix),
        scatter_(scatter),
        fit_(fit),
        class_moments_(class_moments(node, matrix)) {
    for (size_t k = 0; k < node.cell.size(); ++k) {
      if (node.cell[k] > 0) present_.push_back(k);
    }
  }

  Response run() {
    Sides sides = furthest_apart();
    if (present_.size() > 2) exchange(sides);
    return response(sides);
  }

 private:
  Sides furthest_apart() const {
    Eigen::MatrixXd means(class_moments_.rows(), static_cast<Eigen::Index>(present_.size()));
    for (size_t i = 0; i < present_.size(); ++i) {
      means.col(static_cast<Eigen::Index>(i)) =
          class_moments_.col(static_cast<Eigen::Index>(present_[i])) / node_.cell[present_[i]];
    }
    Eigen::Index a = 0, b = means.cols() > 1 ? 1 : 0;
    double furthest = -1;
    for (Eigen::Index i = 0; i < means.cols(); ++i) {
      for (Eigen::Index j = i + 1; j < means.cols(); ++j) {
        const double distance = (means.col(i) - means.col(j)).squaredNorm();
        if (distance > furthest) {
          furthest = distance;
          a = i;
          b = j;
        }
      }
    }
    Sides sides(node_.cell.size(), 0);
    for (Eigen::Index i = 0; i < means.cols(); ++i) {
      const double to_a = (means.col(i) - means.col(a)).squaredNorm();
      const double to_b = (means.col(i) - means.col(b)).squaredNorm();
      sides[present_[static_cast<size_t>(i)]] = i != a && (i == b || to_b < to_a) ? 1 : 0;
    }
    return sides;
  }

  // The heaviest classes are tried, so that the cost stays in bounds for hundreds of them.
  void exchange(Sides& sides) {
    constexpr size_t most_tried = 30, most_changes = 10;
    std::vector<size_t> tried = present_;
    std::stable_sort(tried.begin(), tried.end(),
                     [&](size_t a, size_t b) { return node_.cell[a] > node_.cell[b]; });
    tried.resize(std::min(most_tried, tried.size()));
    double best = worth(sides);
    for (size_t change = 0; change < most_changes; ++change) {
      const size_t* changed = nullptr;
      for (const size_t& k : tried) {
        sides[k] ^= 1;
        const double now = worth(sides);
        sides[k] ^= 1;
        if (!clearly_better(now, best)) continue;
        best = now;
        changed = &k;
      }
      if (changed == nullptr) return;
      sides[*changed] ^= 1;
    }
  }

  // What the split by the discriminant of these groups is worth.
  double worth(const Sides& sides) {
    size_t right = 0;
    for (const size_t k : present_) right += sides[k];
    if (right == 0 || right == present_.size()) return 0;
    const Response tried = response(sides);
    scores_ = matrix_.x() * direction_of(scatter_, tried.moments, tried.squares, fit_);
    const std::span<const double> scores(scores_.data(), static_cast<size_t>(scores_.size()));
    return given_cut(node_, scores, gaussian_cut(node_, scores, tried.group), scratch_).score;
  }

  Response response(const Sides& sides) const {
    Response made;
    made.moments = Eigen::VectorXd::Zero(class_moments_.rows());
    double weight[2] = {};
    for (const size_t k : present_) {
      weight[sides[k]] += node_.cell[k];
      if (sides[k] == 1) made.moments += class_moments_.col(static_cast<Eigen::Index>(k));
    }
    made.squares = weight[0] * weight[1] / (weight[0] + weight[1]);
    made.group.resize(node_.size());
    for (size_t i = 0; i < node_.size(); ++i) made.group[i] = sides[node_.class_of(i)];
    return made;
  }

  const NodeSample& node_;
  const NodeMatrix& matrix_;
  const Scatter& scatter_;
  const Fit fit_;
  const Eigen::MatrixXd class_moments_;
  std::vector<size_t> present_;
  Eigen::VectorXd scores_;
  SortScratch scratch_;
};

// The number of each row, measured from the mean of the node.
Eigen::VectorXd centred_numbers(const NodeSample& node, const NodeMatrix& matrix) {
  Eigen::VectorXd y(static_cast<Eigen::Index>(node.size()));
  for (size_t i = 0; i < node.size(); ++i) y[static_cast<Eigen::Index>(i)] = node.number(i);
  y.array() -= y.dot(matrix.weight()) / matrix.total_weight();
  return y;
}

}  // namespace

Response grouped_classes(const NodeSample& node, const NodeMatrix& matrix, const Scatter& scatter,
                         Fit fit) {
  return Exchange(node, matrix, scatter, fit).run();
}

Response halves_of_target(const NodeSample& node, const NodeMatrix& matrix) {
  const Eigen::VectorXd y = centred_numbers(node, matrix);
  Response made;
  made.group.resize(node.size());
  double weight[2] = {};
  Eigen::VectorXd right = Eigen::VectorXd::Zero(y.size());
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const uint8_t side = y[i] > 0 ? 1 : 0;
    made.group[static_cast<size_t>(i)] = side;
    weight[side] += matrix.weight()[i];
    if (side == 1) right[i] = matrix.weight()[i];
  }
  made.moments = matrix.x().transpose() * right;
  made.squares = weight[0] * weight[1] / (weight[0] + weight[1]);
  return made;
}

Response number_of_target(const NodeSample& node, const NodeMatrix& matrix) {
  const Eigen::VectorXd y = centred_numbers(node, matrix);
  const Eigen::VectorXd weighted = y.cwiseProduct(matrix.weight());
  return {{}, matrix.x().transpose() * weighted, y.dot(weighted)};
}

}  // namespace softwood::grow
