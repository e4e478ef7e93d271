// Gini index (Vanschoren et al., section 3.1): sum over classes of p_k (1 - p_k).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "stats/criterion/class_side.h"
#include "stats/criterion/moment.h"

namespace softwood::stats {

struct Gini {
  static constexpr bool counts_classes = true;
  // w - w * gini = sum of n_k^2 / w.
  static double purity(const double* cell, size_t classes) {
    const double weight = std::accumulate(cell, cell + classes, 0.0);
    return weight > 0 ? std::inner_product(cell, cell + classes, cell, 0.0) / weight : 0;
  }

  // Keeps the sums of squares of both sides up to date: moving weight v of class k changes
  // sum l_k^2 by v (2 l_k + v); sum r_k^2 follows from sum n_k l_k.
  class Side : public ClassSide {
   public:
    Side(const double* node, size_t classes, double* scratch)
        : ClassSide(node, classes, scratch),
          squares_(std::inner_product(node, node + classes, node, 0.0)) {}
    void move_row(size_t k, double weight) {
      left_squares_ += weight * (2 * left_[k] + weight);
      mixed_ += weight * node_[k];
      ClassSide::move_row(k, weight);
    }
    void move_cell(const double* cell) {
      for (size_t k = 0; k < classes_; ++k) move_row(k, cell[k]);
    }
    // Improvement: sum l_k^2 / w_l + sum r_k^2 / w_r - sum n_k^2 / w.
    double score() const {
      const double right_squares = squares_ - 2 * mixed_ + left_squares_;
      return left_squares_ / left_weight_ + right_squares / right_weight() - squares_ / weight_;
    }

   private:
    double squares_;
    double left_squares_ = 0, mixed_ = 0;
  };
  static double improvement(double score, const double*, size_t) { return score; }
};

// The same criterion for two classes, with one sum.
struct BinaryGini {
  static constexpr bool counts_classes = true;
  static double purity(const double* cell, size_t classes) { return Gini::purity(cell, classes); }

  class Side : public MomentSide {
   public:
    Side(const double* node, size_t, double*) : MomentSide(node[0] + node[1], node[1]) {}
    void move_row(size_t k, double weight) { move(weight, weight * static_cast<double>(k)); }
    void move_cell(const double* cell) { move(cell[0] + cell[1], cell[1]); }
  };
  // The same for rows that count 1 each. The distance is a whole number, kept up to date.
  class CountSide {
   public:
    explicit CountSide(const double* node)
        : weight_(static_cast<int64_t>(node[0] + node[1])),
          sum_(static_cast<int64_t>(node[1])),
          right_weight_(node[0] + node[1]) {}
    void move_row(size_t k, double) { move(1, static_cast<int64_t>(k)); }
    void move(int64_t rows, int64_t of_second_class) {
      distance_ += of_second_class * weight_ - rows * sum_;
      left_weight_ += static_cast<double>(rows);
      right_weight_ -= static_cast<double>(rows);
    }
    double left_weight() const { return left_weight_; }
    double right_weight() const { return right_weight_; }
    double product() const { return left_weight_ * right_weight_; }
    int64_t distance() const { return distance_; }
    // The most by which one row changes the distance.
    int64_t step() const { return std::max(sum_, weight_ - sum_); }
    double score() const {
      const auto d = static_cast<double>(distance_);
      return d * d / product();
    }

   private:
    int64_t weight_, sum_;
    int64_t distance_ = 0;
    double left_weight_ = 0, right_weight_;
  };
  static double improvement(double score, const double* node, size_t) {
    return 2 * score / (node[0] + node[1]);
  }
};

}  // namespace softwood::stats
