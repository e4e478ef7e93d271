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

  bool empty() const { return high_.empty(); }
  Whole operator[](size_t i) const { return (static_cast<Whole>(high_[i]) << 64) | low_[i]; }
  // The upper halves, rounded down: most comparisons of sums need no more.
  const int64_t* high() const { return high_.data(); }
  const uint64_t* low() const { return low_.data(); }
  double unit() const { return unit_; }
  // The whole number of a number that is measured from the centre; never falls with it.
  Whole whole(double number) const { return static_cast<Whole>(number / unit_); }
  // Of a whole number, or a sum.
  double value(Whole whole) const { return static_cast<double>(whole) * unit_; }
  WholeNumbers at(std::span<const uint32_t> places) const;

 private:
  void reserve(size_t count);
  void push_back(Whole number);

  std::vector<int64_t> high_;
  std::vector<uint64_t> low_;
  double unit_ = 1;  // a power of two
};

}  // namespace softwood::stats
