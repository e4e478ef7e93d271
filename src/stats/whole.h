// Numbers as whole numbers of a small unit, so that sums of them are exact, whatever the order of
// the terms. A double has 53 digits; there is room for 125, less those of the weight of all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softwood::stats {

__extension__ using Whole = __int128;

class WholeNumbers {
 public:
  WholeNumbers() = default;
  // `number` minus `centre`. Sums of numbers, each as often as its row weighs, have room where
  // these weights come to `weight`, and no number is farther than `largest` from the centre.
  WholeNumbers(std::span<const double> number, double centre, double largest, double weight);

  bool empty() const { return numbers_.empty(); }
  const Whole* data() const { return numbers_.data(); }
  Whole operator[](size_t i) const { return numbers_[i]; }
  double unit() const { return unit_; }
  // Of a number, or a sum.
  double value(Whole whole) const { return static_cast<double>(whole) * unit_; }
  WholeNumbers at(std::span<const uint32_t> places) const;

 private:
  std::vector<Whole> numbers_;
  double unit_ = 1;  // a power of two
};

}  // namespace softwood::stats
