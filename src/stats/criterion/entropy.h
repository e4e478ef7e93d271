// Entropy and information gain (Vanschoren et al., section 3.1; UPV chapter, equations 1 and 2), in
// bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace softwood::stats {

// Of whole numbers, which most weights are, those that are small are known.
class WholeLogs {
 public:
  static constexpr uint32_t count = 1024;
  WholeLogs() {
    for (uint32_t n = 1; n < count; ++n) values_[n] = n * std::log2(static_cast<double>(n));
  }
  double operator[](uint32_t n) const { return values_[n]; }

 private:
  std::array<double, count> values_ = {};
};
inline const WholeLogs whole_logs;

inline double x_log_x(double x) {
  if (!(x > 0)) return 0;
  if (x < WholeLogs::count) {
    const auto n = static_cast<uint32_t>(x);
    if (n == x) return whole_logs[n];
  }
  return x * std::log2(x);
}

struct Entropy {
  static constexpr bool counts_classes = true;
  // -w * entropy = sum n_k log n_k - w log w.
  static double purity(const double* cell, size_t classes) {
    double weight = 0, sum = 0;
    for (size_t k = 0; k < classes; ++k) {
      weight += cell[k];
      sum += x_log_x(cell[k]);
    }
    return sum - x_log_x(weight);
  }

  // Keeps l_k log l_k + r_k log r_k of every class up to date. They are summed afresh for each
  // score: a running sum would drift by rounding and blur ties.
  class Side {
   public:
    Side(const double* node, size_t classes, double* scratch)
        : node_(node),
          classes_(classes),
          left_(scratch),
          terms_(scratch + classes),
          weight_(std::accumulate(node, node + classes, 0.0)),
          node_purity_(purity(node, classes)) {
      std::fill(left_, left_ + classes, 0.0);
      for (size_t k = 0; k < classes; ++k) terms_[k] = x_log_x(node[k]);
    }
    void move_row(size_t k, double weight) {
      left_[k] += weight;
      left_weight_ += weight;
      terms_[k] = x_log_x(left_[k]) + x_log_x(node_[k] - left_[k]);
    }
    void move_cell(const double* cell) {
      for (size_t k = 0; k < classes_; ++k) {
        if (cell[k] > 0) move_row(k, cell[k]);
      }
    }
    double left_weight() const { return left_weight_; }
    double right_weight() const { return weight_ - left_weight_; }
    double score() const {
      const double sum = std::accumulate(terms_, terms_ + classes_, 0.0);
      return sum - x_log_x(left_weight_) - x_log_x(right_weight()) - node_purity_;
    }

   private:
    const double* node_;
    size_t classes_;
    double *left_, *terms_;
    double weight_, node_purity_;
    double left_weight_ = 0;
  };
  static double improvement(double score, const double*, size_t) { return score; }
};

}  // namespace softwood::stats
