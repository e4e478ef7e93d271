// A quick look whether all numbers are finite, before anybody counts.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace softwood {

// False where a number is infinite or NaN. Several sums side by side, so that the processor adds
// them at once.
inline bool all_finite(std::span<const double> numbers) {
  constexpr size_t lanes = 8;
  std::array<double, lanes> sums = {};
  const size_t whole = numbers.size() - numbers.size() % lanes;
  for (size_t i = 0; i < whole; i += lanes) {
    for (size_t k = 0; k < lanes; ++k) sums[k] += numbers[i + k] * 0.0;  // 0, or NaN
  }
  double sum = 0;
  for (size_t i = whole; i < numbers.size(); ++i) sum += numbers[i] * 0.0;
  for (const double lane : sums) sum += lane;
  return sum == 0;
}

}  // namespace softwood
