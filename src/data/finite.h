// A quick look whether all numbers are finite, before anybody counts.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace softwood {

// False where a number is infinite or NaN. Several sums side by side, so that the processor adds
// them at once.
template <class T>
bool are_finite(std::span<const T> numbers) {
  constexpr size_t lanes = 64 / sizeof(T);
  std::array<T, lanes> sums = {};
  const size_t whole = numbers.size() - numbers.size() % lanes;
  for (size_t i = 0; i < whole; i += lanes) {
    for (size_t k = 0; k < lanes; ++k) sums[k] += numbers[i + k] * T{0};  // 0, or NaN
  }
  T sum = 0;
  for (size_t i = whole; i < numbers.size(); ++i) sum += numbers[i] * T{0};
  for (const T lane : sums) sum += lane;
  return sum == 0;
}
inline bool all_finite(std::span<const double> numbers) { return are_finite(numbers); }
inline bool all_finite(std::span<const float> numbers) { return are_finite(numbers); }

}  // namespace softwood
