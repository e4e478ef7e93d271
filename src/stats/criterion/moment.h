// The side of a scan for criteria that need only a weight and one sum: the squared error, and the
// Gini index of two classes (where the sum counts the second class).
//
// With weights w and sums s of the left part (l) and the whole node (no index), the improvement
//   s_l^2/w_l + s_r^2/w_r - s^2/w = (s_l w - w_l s)^2 / (w w_l w_r).
// For counts the numerator is a whole number and the value is the same for a split and its mirror
// image, so that ties between columns are exact.
#pragma once

#include <cstddef>

namespace softwood::stats {

class MomentSide {
 public:
  MomentSide(double weight, double sum) : weight_(weight), sum_(sum) {}

  void move(double weight, double amount) {
    left_weight_ += weight;
    left_sum_ += amount;
  }
  double left_weight() const { return left_weight_; }
  double right_weight() const { return weight_ - left_weight_; }
  double product() const { return left_weight_ * (weight_ - left_weight_); }
  double distance() const { return left_sum_ * weight_ - left_weight_ * sum_; }
  double score() const {
    const double d = distance();
    return d * d / product();
  }

 private:
  double weight_, sum_;
  double left_weight_ = 0, left_sum_ = 0;
};

}  // namespace softwood::stats
