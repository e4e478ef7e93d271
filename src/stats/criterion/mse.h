// Squared error (Vanschoren et al., section 3.2): the split that leaves the smallest sum of squared
// deviations from the means of the two sides.
#pragma once

#include "stats/criterion/moment.h"

namespace softwood::stats {

// Cells hold {weight, sum of targets}. A scan measures targets from the node's mean, so that the
// node's own sum is 0 and nothing cancels.
struct Mse {
  static constexpr bool counts_classes = false;
  // What of the node's squared deviations goes away when the rows of the cell get their own mean:
  // s^2 / w with s measured from the node's mean, so that nothing cancels.
  static double part_purity(const double* cell, const double* node) {
    if (!(cell[0] > 0)) return 0;
    const double sum = cell[1] - cell[0] * node[1] / node[0];
    return sum * sum / cell[0];
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

}  // namespace softwood::stats
