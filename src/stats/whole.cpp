#include "stats/whole.h"

#include <algorithm>
#include <cmath>

namespace softwood::stats {

WholeNumbers::WholeNumbers(std::span<const double> number, double centre, double largest,
                           double weight) {
  constexpr int digits = 125, least = -1074;  // the smallest power of two that is a double
  int exponent = 0;
  std::frexp(largest * weight, &exponent);
  unit_ = std::ldexp(1.0, std::max(exponent - digits, least));
  numbers_.reserve(number.size());
  for (const double y : number) numbers_.push_back(static_cast<Whole>((y - centre) / unit_));
}

WholeNumbers WholeNumbers::at(std::span<const uint32_t> places) const {
  WholeNumbers some;
  some.unit_ = unit_;
  if (empty()) return some;
  some.numbers_.reserve(places.size());
  for (const uint32_t place : places) some.numbers_.push_back(numbers_[place]);
  return some;
}

}  // namespace softwood::stats
