// Squared error (Vanschoren et al., section 3.2): the split that leaves the smallest sum of squared
// deviations from the means of the two sides.
#pragma once

#include <algorithm>

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
        : mean_(static_cast<Whole>(node[1] / node[0] / unit)),
          to_distance_(unit * node[0]),
          weight_(node[0]) {}

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
      return (static_cast<double>(high_of(left_sum_)) * high_unit +
              static_cast<double>(low / 2) * 2) *
             to_distance_;
    }
    double score() const {
      const double d = distance();
      return d * d / product();
    }

   protected:
    static constexpr double high_unit = 18446744073709551616.0;  // 2^64
    static int64_t high_of(Whole number) { return static_cast<int64_t>(number >> 64); }

    Whole mean_, left_sum_ = 0;
    double to_distance_;
    int64_t left_weight_ = 0;

   private:
    double weight_;
  };

  // The same for many rows, summed exactly only where it matters. Rows move with the upper halves
  // of their targets, which bound the distance; settle() makes up for that.
  class RoughSide : public WholeSide {
   public:
    RoughSide(const double* node, double unit)
        : WholeSide(node, unit), mean_high_(high_of(mean_)) {}

    void move_row(int64_t target_high, int64_t copies) {
      left_weight_ += copies;
      rough_sum_ += (target_high - mean_high_) * copies;
    }
    // Until the lower halves of every row that has moved are added, distance() and score() are out
    // of date. `settled` are the rows of the scan whose halves are.
    void add_low(uint64_t target_low, int64_t copies) {
      low_sum_ += static_cast<Whole>(target_low) * copies;
    }
    void settle(size_t rows) {
      const auto mean_low = static_cast<Whole>(static_cast<uint64_t>(mean_));
      left_sum_ = (static_cast<Whole>(rough_sum_) << 64) + low_sum_ - mean_low * left_weight_;
      settled = rows;
    }
    size_t settled = 0;

    int64_t rough_sum() const { return rough_sum_; }
    // The largest distance where the rough sum is as far from 0: the lower halves of target and
    // mean differ by less than 1 per row.
    double distance_within(int64_t low, int64_t high) const {
      return static_cast<double>(std::max(-low, high) + left_weight_) * high_unit * to_distance_;
    }
    double most_distance() const { return distance_within(rough_sum_, rough_sum_); }

   private:
    int64_t mean_high_, rough_sum_ = 0;
    Whole low_sum_ = 0;
  };
  static double improvement(double score, const double* node, size_t) { return score / node[0]; }
};

}  // namespace softwood::stats
