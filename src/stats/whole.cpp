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
  reserve(number.size());
  for (const double y : number) push_back(whole(y - centre));
}

void WholeNumbers::reserve(size_t count) {
  high_.reserve(count);
  low_.reserve(count);
}

void WholeNumbers::push_back(Whole number) {
  high_.push_back(static_cast<int64_t>(number >> 64));
  low_.push_back(static_cast<uint64_t>(number));
}

WholeNumbers WholeNumbers::at(std::span<const uint32_t> places) const {
  WholeNumbers some;
  some.unit_ = unit_;
  if (empty()) return some;
  some.reserve(places.size());
  for (const uint32_t place : places) some.push_back((*this)[place]);
  return some;
}

}  // namespace softwood::stats
