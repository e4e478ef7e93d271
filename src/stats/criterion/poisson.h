// Half the Poisson deviance (McCullagh & Nelder 1989): sum of y log(y / m) - (y - m),
// m the mean. For counts and other targets that are not negative.
#pragma once

#include <cmath>

namespace softwood::stats {

// Cells hold {weight, sum of targets}, measured from 0.
struct Poisson {
  static constexpr bool counts_classes = false;

  // What is left of the node's deviance when the rows of the cell get their own mean m_c instead of
  // the node's m: w_c (m_c log(m_c / m) - (m_c - m)). The terms of first order, which cancel over
  // the parts of a node, are in it so that each part is positive and small differences stay exact.
  // A part whose mean is 0 is none: no leaf may hold a later count for impossible.
  static double part(double weight, double sum, const double* node) {
    if (!(sum > rounding * node[1])) return -HUGE_VAL;
    const double mean = node[1] / node[0];
    const double apart = (sum / weight - mean) / mean;
    return sum * std::log1p(apart) - weight * mean * apart;
  }
  static double part_purity(const double* cell, const double* node) {
    return cell[0] > 0 ? part(cell[0], cell[1], node) : 0;
  }

  class Side {
   public:
    Side(const double* node, size_t, double*) : node_(node) {}
    void move_row(double target, double weight) {
      left_weight_ += weight;
      left_sum_ += weight * target;
    }
    void move_cell(const double* cell) {
      left_weight_ += cell[0];
      left_sum_ += cell[1];
    }
    double left_weight() const { return left_weight_; }
    double right_weight() const { return node_[0] - left_weight_; }
    double score() const {
      return part(left_weight_, left_sum_, node_) +
             part(right_weight(), node_[1] - left_sum_, node_);
    }

   private:
    const double* node_;
    double left_weight_ = 0, left_sum_ = 0;
  };
  static double improvement(double score, const double*, size_t) { return score; }

 private:
  // Differences of sums this small may be nothing but rounding.
  static constexpr double rounding = 1e-12;
};

}  // namespace softwood::stats
