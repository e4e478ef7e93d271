// Misclassification impurity: 1 - max_k p_k (UPV chapter, "other definitions of I(t)"; Breiman et
// al. 1984). It is concave but not strictly so: a split after which both sides answer
// alike improves nothing, however much purer one of them is.
#pragma once

#include <algorithm>

#include "stats/criterion/class_side.h"

namespace softwood::stats {

struct Misclassification {
  static constexpr bool counts_classes = true;
  // w - w * impurity = the largest n_k.
  static double purity(const double* cell, size_t classes) {
    return *std::max_element(cell, cell + classes);
  }

  class Side : public ClassSide {
   public:
    Side(const double* node, size_t classes, double* scratch)
        : ClassSide(node, classes, scratch), node_purity_(purity(node, classes)) {}
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
    double node_purity_;
  };
  static double improvement(double score, const double*, size_t) { return score; }
};

}  // namespace softwood::stats
