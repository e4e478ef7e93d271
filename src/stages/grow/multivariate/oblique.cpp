// Hard linear splits found by search: OC1 (Murthy, Kasif & Salzberg 1994) with an L1 weight.
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "stages/grow/multivariate/discriminant.h"
#include "stages/grow/multivariate/split.h"

namespace softwood::grow {
namespace {

// A hyperplane in standardised columns, and what it is worth.
struct Plane {
  Eigen::VectorXd weights;
  double cut = 0;
  double score = 0;  // of the criterion
  double worth = 0;  // the score less the price of its weights
};

class ObliqueSearch {
 public:
  ObliqueSearch(const NodeSample& node, const NodeMatrix& matrix, const ObliqueSettings& settings)
      : node_(node), matrix_(matrix), settings_(settings) {}

  Plane best_of(std::vector<Eigen::VectorXd> directions) {
    Plane best;
    for (Eigen::VectorXd& direction : directions) {
      Plane plane = with_best_cut(std::move(direction));
      if (plane.score > 0) best = better(std::move(best), std::move(plane));
    }
    return best;
  }

  // The best plane that is reached from the best of the directions, and from further starts: the
  // best column and random planes, as there.
  Plane climbed(std::vector<Eigen::VectorXd> directions) {
    Plane best = improve(best_of(std::move(directions)));
    // Where classes are symmetric no direction of least squares leads anywhere.
    constexpr size_t without_any = 2;
    const size_t restarts =
        best.worth > 0 ? settings_.restarts : std::max(settings_.restarts, without_any);
    for (size_t start = 0; start < restarts; ++start) {
      best = better(std::move(best), improve(start == 0 ? best_column() : random_plane(start)));
    }
    return best;
  }

 private:
  // Improved coordinate by coordinate and by random jumps.
  Plane improve(Plane best) {
    if (!(best.worth > 0)) return best;
    best = swept(std::move(best));
    Random random(settings_.seed, "oblique");
    for (size_t jump = 0; jump < settings_.jumps; ++jump) {
      if (jumped(best, random)) best = swept(std::move(best));
    }
    return dropped(std::move(best));
  }

  Plane best_column() {
    const Eigen::Index columns = matrix_.x().cols();
    Plane best;
    for (Eigen::Index j = 0; j < columns; ++j) {
      best = better(std::move(best), with_best_cut(Eigen::VectorXd::Unit(columns, j)));
    }
    return best;
  }

  Plane random_plane(size_t start) {
    Random random(settings_.seed, "oblique start", start);
    Eigen::VectorXd weights(matrix_.x().cols());
    for (double& weight : weights) weight = random.normal();
    return with_best_cut(std::move(weights));
  }

  // The price is the L1 norm where the largest weight is 1, less that one: nothing for a split
  // along one column.
  double worth(double score, const Eigen::VectorXd& weights) const {
    const double largest = weights.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return 0;
    const auto used = static_cast<size_t>((weights.array() != 0).count());
    return split_worth(node_, score, used) *
           std::max(0.0, 1 - settings_.l1 * (weights.cwiseAbs().sum() / largest - 1));
  }

  static Plane better(Plane a, Plane b) {
    return clearly_better(b.worth, a.worth) ? std::move(b) : std::move(a);
  }

  Plane with_best_cut(Eigen::VectorXd weights) {
    Plane plane;
    scores_ = matrix_.x() * weights;
    const ScoreCut cut = quick_cut(node_, scores(), scratch_);
    plane.worth = cut.score > 0 ? worth(cut.score, weights) : 0;
    plane.weights = std::move(weights);
    plane.cut = cut.cut;
    plane.score = cut.score;
    return plane;
  }

  std::span<const double> scores() const {
    return {scores_.data(), static_cast<size_t>(scores_.size())};
  }

  // Sweeps over the columns until a sweep gains nothing.
  Plane swept(Plane plane) {
    constexpr int most_sweeps = 5;
    constexpr double least_gain = 0.001;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const double before = plane.worth;
      scores_ = matrix_.x() * plane.weights;
      for (Eigen::Index j = 0; j < plane.weights.size(); ++j) {
        if (sweep > 0 && plane.weights[j] == 0) continue;
        change_ = Eigen::VectorXd::Unit(plane.weights.size(), j);
        perturb(plane, matrix_.x().col(j), sweep % 2 == 1);
      }
      plane = better(plane, with_best_cut(plane.weights));
      if (!(plane.worth > before * (1 + least_gain))) break;
    }
    return plane;
  }

  // Murthy, Kasif & Salzberg 1994: with d times change_ added to the weights, which
  // adds d u_i to the scores, and the cut moved by d times a pivot, row i is on the right when
  // s_i + d (u_i - pivot) > cut. With the pivot below all u that is d > (cut - s_i) / (u_i -
  // pivot): the best d is the best cut of these quotients. (A pivot above all u turns the sides
  // around, which changes no score.)
  bool perturb(Plane& plane, const Eigen::Ref<const Eigen::VectorXd>& u, bool pivot_above) {
    const double low = u.minCoeff(), high = u.maxCoeff();
    constexpr double pivot_margin = 0.1;
    const double margin = pivot_margin * (high - low);
    if (!(margin > 0)) return false;
    const double pivot = pivot_above ? high + margin : low - margin;
    quotients_ = (plane.cut - scores_.array()) / (u.array() - pivot);
    const ScoreCut found =
        quick_cut(node_, {quotients_.data(), static_cast<size_t>(quotients_.size())}, scratch_);
    if (!(found.score > 0)) return false;
    const Eigen::VectorXd weights = plane.weights + found.cut * change_;
    const double now = worth(found.score, weights);
    if (!clearly_better(now, plane.worth)) return false;
    plane.weights = weights;
    scores_ += found.cut * u;
    plane.cut += found.cut * pivot;
    plane.score = found.score;
    plane.worth = now;
    return true;
  }

  // Leaves out the columns without which the split is worth no less, the smallest weight first.
  Plane dropped(Plane plane) {
    std::vector<Eigen::Index> order;
    for (Eigen::Index j = 0; j < plane.weights.size(); ++j) {
      if (plane.weights[j] != 0) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
      return std::abs(plane.weights[a]) < std::abs(plane.weights[b]);
    });
    for (const Eigen::Index j : order) {
      if (order.size() < 2) break;
      Eigen::VectorXd weights = plane.weights;
      weights[j] = 0;
      if (weights.isZero(0)) break;
      Plane without = with_best_cut(std::move(weights));
      if (without.score > 0 && without.worth >= plane.worth) plane = std::move(without);
    }
    return plane;
  }

  // The best step in a random direction among the columns in use, as there.
  bool jumped(Plane& plane, Random& random) {
    change_ = Eigen::VectorXd::Zero(plane.weights.size());
    for (Eigen::Index j = 0; j < change_.size(); ++j) {
      const double step = random.normal();
      if (plane.weights[j] != 0) change_[j] = step;
    }
    scores_ = matrix_.x() * plane.weights;
    return perturb(plane, matrix_.x() * change_, false);
  }

  const NodeSample& node_;
  const NodeMatrix& matrix_;
  const ObliqueSettings& settings_;
  Eigen::VectorXd scores_, quotients_, change_;
  SortScratch scratch_;
};

// The lasso (Tibshirani 1996) of a response on the columns at falling penalties, by coordinate
// descent on the scatter (Friedman, Hastie & Tibshirani 2010): sparse directions, each the start of
// the next. After each look at all columns, those with a weight are gone through alone until they
// settle.
class Lasso {
 public:
  Lasso(const Eigen::MatrixXd& total, const Eigen::VectorXd& moments)
      : total_(total), w_(Eigen::VectorXd::Zero(moments.size())), gradient_(moments) {}

  std::vector<Eigen::VectorXd> path() {
    std::vector<Eigen::VectorXd> path;
    if (w_.size() == 0) return path;
    penalty_ = gradient_.cwiseAbs().maxCoeff();
    constexpr int steps = 8;
    constexpr double factor = 0.45;
    for (int step = 0; step < steps; ++step) {
      penalty_ *= factor;
      settle();
      if (!w_.isZero(0)) path.push_back(w_);
    }
    return path;
  }

 private:
  void settle() {
    constexpr int most_looks = 3, most_sweeps = 10;
    constexpr double small_move = 1e-3;
    for (int look = 0; look < most_looks; ++look) {
      if (sweep(false) <= small_move * w_.cwiseAbs().maxCoeff()) return;
      for (int i = 0; i < most_sweeps; ++i) {
        if (sweep(true) <= small_move * w_.cwiseAbs().maxCoeff()) break;
      }
    }
  }

  // The largest change.
  double sweep(bool with_weight_only) {
    double moved = 0;
    for (Eigen::Index j = 0; j < w_.size(); ++j) {
      if (with_weight_only && w_[j] == 0) continue;
      const double z = gradient_[j] + total_(j, j) * w_[j];
      const double shrunk = std::max(std::abs(z) - penalty_, 0.0) / total_(j, j);
      const double change = std::copysign(shrunk, z) - w_[j];
      if (change == 0) continue;
      w_[j] += change;
      gradient_ -= change * total_.col(j);
      moved = std::max(moved, std::abs(change));
    }
    return moved;
  }

  const Eigen::MatrixXd& total_;
  Eigen::VectorXd w_, gradient_;  // gradient: moments - total * w
  double penalty_ = 0;
};

// The directions of least squares, from sparse to dense.
std::vector<Eigen::VectorXd> least_squares_directions(const NodeSample& node,
                                                      const NodeMatrix& matrix) {
  const Scatter scatter = scatter_of(matrix);
  const Response response = node.target.task == Task::classification
                                ? grouped_classes(node, matrix, scatter, Fit::ridge)
                                : number_of_target(node, matrix);
  std::vector<Eigen::VectorXd> directions = Lasso(scatter.total(), response.moments).path();
  directions.push_back(direction_of(scatter, response.moments, response.squares, Fit::ridge));
  return directions;
}

ScoreSplit split_of(const NodeSample& node, const NodeMatrix& matrix, const Plane& plane,
                    CutSearch find = best_cut) {
  if (!(plane.worth > 0)) return {};
  ScoreSplit split = with_cut(node, matrix.gate(plane.weights), find);
  split.worth = split.score > 0 ? plane.worth : 0;
  return split;
}

}  // namespace

double split_worth(const NodeSample& node, double score, size_t columns) {
  if (!(node.impurity > 0)) return 0;
  double weight = 0;
  for (const double part : node.cell) weight += part;
  if (node.target.task == Task::regression) weight = node.cell[0];
  const double share = node.search.improvement(score, node.cell) / node.impurity;
  const double left = weight - 1 - static_cast<double>(columns);
  if (!(left > 0)) return 0;
  return std::max(0.0, 1 - (1 - share) * (weight - 1) / left);
}

size_t most_columns(const NodeSample& node) {
  double weight = 0;
  for (size_t i = 0; i < node.size(); ++i) weight += node.weight(i);
  return static_cast<size_t>(std::min(static_cast<double>(most_terms), weight / rows_a_column));
}

ScoreSplit with_cut(const NodeSample& node, ScoreGate gate, CutSearch find) {
  ScoreSplit split{std::move(gate), 0, 0};
  if (split.gate.terms.empty()) return split;
  std::vector<double> scores(node.size());
  SortScratch scratch;
  gate_scores(split.gate, node.table, node.rows, scores);
  const ScoreCut cut = find(node, scores, scratch);
  split.gate.cut = cut.cut;
  split.score = cut.score;
  return split;
}

ScoreSplit oblique_split(const NodeSample& node, const ObliqueSettings& settings) {
  const size_t most = most_columns(node);
  if (most < 2) return {};
  const NodeMatrix matrix(node, most);
  if (matrix.columns() == 0) return {};
  ObliqueSearch search(node, matrix, settings);
  return split_of(node, matrix, search.climbed(least_squares_directions(node, matrix)));
}

ScoreSplit regularised_split(const NodeSample& node, Terms terms, CutSearch find) {
  const size_t most = most_columns(node);
  if (most < 2) return {};
  NodeMatrix matrix(node, terms == Terms::linear ? most : most / 2);
  if (terms == Terms::quadratic) matrix.add_products(node, most);
  if (matrix.columns() == 0) return {};
  const ObliqueSettings settings;
  ObliqueSearch search(node, matrix, settings);
  return split_of(node, matrix, search.best_of(least_squares_directions(node, matrix)), find);
}

}  // namespace softwood::grow
