// Squared error (Vanschoren et al., section 3.2): the split that leaves the smallest sum of squared
// deviations from the means of the two sides.
#pragma once

#include "stages/grow/criterion/moment.h"

namespace softwood::grow {

// Cells hold {weight, sum of targets}. A scan measures targets from the node's mean, so that the
// node's own sum is 0 and nothing cancels.
struct Mse {
  static constexpr bool counts_classes = false;
  // Part of -(sum of squared deviations) that depends on the split: s^2 / w.
  static double purity(const double* cell, size_t) {
    return cell[0] > 0 ? cell[1] * cell[1] / cell[0] : 0;
  }

  class Side : public MomentSide {
   public:
    Side(const double* node, size_t, double*) : MomentSide(node[0], 0), mean_(node[1] / node[0]) {}
    void move_row(double target, double weight) { move(weight, weight * (target - mean_)); }
    void move_cell(const double* cell) { move(cell[0], cell[1] - cell[0] * mean_); }

   private:
    double mean_;
  };
  static double improvement(double score, const double* node, size_t) { return score / node[0]; }
};

}  // namespace softwood::grow
