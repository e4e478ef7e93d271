// Misclassification impurity: 1 - max_k p_k (UPV chapter, "other definitions of I(t)"; Breiman et
// al. 1984). It is concave but not strictly so: a split after which both sides answer
// alike improves nothing, however much purer one of them is.
#pragma once

#include <algorithm>
#include <numeric>

namespace softwood::stats {

struct Misclassification {
  static constexpr bool counts_classes = true;
  // w - w * impurity = the largest n_k.
  static double purity(const double* cell, size_t classes) {
    return *std::max_element(cell, cell + classes);
  }

  class Side {
   public:
    Side(const double* node, size_t classes, double* scratch)
        : node_(node),
          classes_(classes),
          left_(scratch),
          weight_(std::accumulate(node, node + classes, 0.0)),
          node_purity_(purity(node, classes)) {
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
    // max l_k + max r_k - max n_k.
    double score() const {
      double most_left = 0, most_right = 0;
      for (size_t k = 0; k < classes_; ++k) {
        most_left = std::max(most_left, left_[k]);
        most_right = std::max(most_right, node_[k] - left_[k]);
      }
      return most_left + most_right - node_purity_;
    }

   private:
    const double* node_;
    size_t classes_;
    double* left_;
    double weight_, node_purity_;
    double left_weight_ = 0;
  };
  static double improvement(double score, const double*, size_t) { return score; }
};

}  // namespace softwood::stats
