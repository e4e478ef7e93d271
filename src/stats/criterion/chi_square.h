// Pearson's chi-square of classes and sides: with l_k of the n_k rows of class k among the w_l of w
// rows on the left,
//   X^2 = w / (w_l w_r) (sum_k l_k^2 w / n_k - w_l^2).
// Times (w - 1) / w it is the quadratic statistic of a cut in conditional inference (Hothorn,
// Hornik & Zeileis 2006, with the indicator of the left side; see
// association.h), so that both are largest at the same cut. Per row it is the mean square
// contingency.
#pragma once

#include <numeric>

#include "stats/criterion/class_side.h"
#include "stats/criterion/gini.h"

namespace softwood::stats {

struct ChiSquare {
  static constexpr bool counts_classes = true;

  // With the sides' weights w, l_k - w_L n_k / w = (l_k w_R - r_k w_L) / w.
  static double of_sides(const double* left, const double* right, size_t classes) {
    const double left_weight = std::accumulate(left, left + classes, 0.0);
    const double right_weight = std::accumulate(right, right + classes, 0.0);
    double sum = 0;
    for (size_t k = 0; k < classes; ++k) {
      const double deviation = left[k] * right_weight - right[k] * left_weight;
      if (left[k] + right[k] > 0) sum += deviation * deviation / (left[k] + right[k]);
    }
    return sum / (left_weight * right_weight);
  }

  class Side : public ClassSide {
   public:
    Side(const double* node, size_t classes, double* scratch)
        : ClassSide(node, classes, scratch), share_(scratch + classes) {
      for (size_t k = 0; k < classes; ++k) share_[k] = node[k] / weight_;
    }
    // Summed afresh from the deviations l_k - w_l n_k / w: nothing cancels or drifts.
    double score() const {
      double sum = 0;
      for (size_t k = 0; k < classes_; ++k) {
        const double deviation = left_[k] - left_weight_ * share_[k];
        if (share_[k] > 0) sum += deviation * deviation / share_[k];
      }
      return weight_ * sum / (left_weight_ * right_weight());
    }

   private:
    double* share_;
  };
  static double improvement(double score, const double*, size_t) { return score; }
};

// Two classes: the Gini index has its best cut at the same place and needs one sum.
struct BinaryChiSquare : ChiSquare {
  using Side = BinaryGini::Side;
  static double improvement(double score, const double* node, size_t) {
    const double both = node[0] * node[1];
    return both > 0 ? score * (node[0] + node[1]) / both : 0;
  }
};

}  // namespace softwood::stats
