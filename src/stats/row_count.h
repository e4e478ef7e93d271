// Rows of classes that the search counts more or less than the tree does (see Target::factor):
// `min-leaf` asks for rows as the tree counts them, as rpart does.
#pragma once

#include <numeric>
#include <span>

namespace softwood::stats {

// The weight of a cell as the tree counts it. `factor` is by class; empty: 1 each.
inline double rows_in(const double* cell, size_t classes, std::span<const double> factor) {
  if (factor.empty()) return std::accumulate(cell, cell + classes, 0.0);
  double rows = 0;
  for (size_t k = 0; k < classes; ++k) rows += cell[k] / factor[k];
  return rows;
}

// A side whose weights are rows as the tree counts them, while it scores as before.
template <class Side>
class RowCountSide : public Side {
 public:
  RowCountSide(Side side, const double* node, std::span<const double> factor)
      : Side(std::move(side)), factor_(factor), rows_(rows_in(node, factor.size(), factor)) {}

  void move_row(size_t k, double weight) {
    Side::move_row(k, weight);
    left_rows_ += weight / factor_[k];
  }
  void move_cell(const double* cell) {
    Side::move_cell(cell);
    left_rows_ += rows_in(cell, factor_.size(), factor_);
  }
  double left_weight() const { return left_rows_; }
  double right_weight() const { return rows_ - left_rows_; }

 private:
  std::span<const double> factor_;
  double rows_, left_rows_ = 0;
};

}  // namespace softwood::stats
