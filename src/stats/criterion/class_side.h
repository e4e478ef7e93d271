// The rows of a node that a scan has moved to the left, by class: what the criteria of class counts
// have in common.
#pragma once

#include <algorithm>
#include <numeric>

namespace softwood::stats {

class ClassSide {
 public:
  // `node` has the weight of each class and must outlive the scan; `left` has room for as many.
  ClassSide(const double* node, size_t classes, double* left)
      : node_(node),
        classes_(classes),
        left_(left),
        weight_(std::accumulate(node, node + classes, 0.0)) {
    std::fill(left_, left_ + classes, 0.0);
  }
  void move_row(size_t k, double weight) {
    left_[k] += weight;
    left_weight_ += weight;
  }
  void move_cell(const double* cell) {
    for (size_t k = 0; k < classes_; ++k) move_row(k, cell[k]);
  }
  double left_weight() const { return left_weight_; }
  double right_weight() const { return weight_ - left_weight_; }

 protected:
  const double* node_;
  size_t classes_;
  double* left_;
  double weight_;
  double left_weight_ = 0;
};

}  // namespace softwood::stats
