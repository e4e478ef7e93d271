// Twoing (Breiman et al. 1984): a split is worth
//   p_L p_R / 4 * (sum over classes of |p(k|L) - p(k|R)|)^2,
// which is how well it separates the classes into two superclasses, at the best choice of these
// (as shown there). It is a value of two sides: nodes have no impurity that it were the decrease
// of.
#pragma once

#include <cmath>
#include <numeric>

#include "stats/criterion/class_side.h"

namespace softwood::stats {

struct Twoing {
  static constexpr bool counts_classes = true;
  static constexpr bool of_two_sides = true;

  // Times the node's weight. With weights w of the sides, sum |p(k|L) - p(k|R)| =
  // sum |l_k w_R - r_k w_L| / (w_L w_R).
  static double of_sides(const double* left, const double* right, size_t classes) {
    const double left_weight = std::accumulate(left, left + classes, 0.0);
    const double right_weight = std::accumulate(right, right + classes, 0.0);
    double apart = 0;
    for (size_t k = 0; k < classes; ++k) {
      apart += std::abs(left[k] * right_weight - right[k] * left_weight);
    }
    return value(apart, left_weight, right_weight);
  }

  class Side : public ClassSide {
   public:
    using ClassSide::ClassSide;
    double score() const {
      // l_k w_R - r_k w_L = l_k w - n_k w_L.
      double apart = 0;
      for (size_t k = 0; k < classes_; ++k) {
        apart += std::abs(left_[k] * weight_ - node_[k] * left_weight_);
      }
      return value(apart, left_weight_, right_weight());
    }
  };
  static double improvement(double score, const double*, size_t) { return score; }

 private:
  static double value(double apart, double left_weight, double right_weight) {
    return apart * apart / (4 * left_weight * right_weight * (left_weight + right_weight));
  }
};

}  // namespace softwood::stats
