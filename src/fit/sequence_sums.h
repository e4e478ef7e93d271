// Losses over the trees of a cost-complexity sequence.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fit/complexity.h"

namespace softwood::fit {

// The first alpha (they descend) at which each node's split stays; one past the last: none.
std::vector<size_t> first_stays(const Tree& tree, std::span<const double> alphas);

// Sums over the sequence, kept as differences between neighbouring alphas.
class SequenceSums {
 public:
  explicit SequenceSums(size_t alphas) : sum_(alphas + 1, 0.0), squares_(alphas + 1, 0.0) {}

  // What rows add at the alphas [from, until): weighted losses and weighted squares of losses.
  void add(size_t from, size_t until, double sum, double squares) {
    sum_[from] += sum;
    sum_[until] -= sum;
    squares_[from] += squares;
    squares_[until] -= squares;
  }
  SequenceErrors errors() &&;

 private:
  std::vector<double> sum_, squares_;
};

}  // namespace softwood::fit
