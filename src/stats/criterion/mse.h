// Squared error (Vanschoren et al., section 3.2): the split that leaves the smallest sum of squared
// deviations from the means of the two sides.
#pragma once

#include "stats/criterion/moment.h"
#include "stats/whole.h"

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

  // The same of targets that are whole numbers of a unit, and so are weights: what moves is summed
  // exactly.
  class WholeSide {
   public:
    WholeSide(const double* node, double unit)
        : weight_(node[0]),
          to_distance_(unit * node[0]),
          mean_(static_cast<Whole>(node[1] / node[0] / unit)) {}

    void move_row(Whole target, double weight) {
      const auto copies = static_cast<int64_t>(weight);
      left_weight_ += copies;
      left_sum_ += (target - mean_) * copies;
    }
    double left_weight() const { return static_cast<double>(left_weight_); }
    double right_weight() const { return weight_ - left_weight(); }
    double product() const { return left_weight() * right_weight(); }
    double distance() const {
      const auto low = static_cast<uint64_t>(left_sum_);
      return (static_cast<double>(high()) * high_unit + static_cast<double>(low / 2) * 2) *
             to_distance_;
    }
    double score() const {
      const double d = distance();
      return d * d / product();
    }
    // How far the sum is from 0, roughly, and the distance up to which that may be.
    int64_t reach() const { return high() < 0 ? ~high() : high(); }
    double distance_within(int64_t reach) const {
      return (static_cast<double>(reach) + 1) * high_unit * to_distance_;
    }

   private:
    static constexpr double high_unit = 18446744073709551616.0;  // 2^64
    int64_t high() const { return static_cast<int64_t>(left_sum_ >> 64); }

    double weight_, to_distance_;
    int64_t left_weight_ = 0;
    Whole mean_, left_sum_ = 0;
  };
  static double improvement(double score, const double* node, size_t) { return score / node[0]; }
};

}  // namespace softwood::stats
