// exp, log and asinh from plain double operations: the same bits with every compiler, C library and
// processor that rounds as IEEE 754 says, alone or in a vectorised loop (there is no branch and no
// table). Whatever answers for a model uses these, and exports write down the same steps.
//
// exp and log are within 1 unit in the last place, asinh within 2 (tests/unit/base/math_test.cpp).
// Needs -ffp-contract=off, which cmake/Compiler.cmake sets.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace softwood::math {

namespace detail {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Added to a double below 2^51 in magnitude it rounds to a whole number, which is then in the low
// bits: 1.5 * 2^52.
constexpr double round_magic = 6755399441055744.0;
// ln 2 in two parts: the first has 32 bits, so that its product with an exponent is exact.
constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

// 2^n for the whole number n in the low bits of n + round_magic; -1022 <= n <= 1023.
inline double power_of_two(double n_and_magic) {
  return std::bit_cast<double>((std::bit_cast<uint64_t>(n_and_magic) + 1023) << 52U);
}

// log(u + error) + more * log(2) for a positive u and a small error of it.
//
// u = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and with s = f / (2 + f)
//   log(1 + f) = 2 atanh(s) = 2 s + s R,  R = 2 (s^2 / 3 + s^4 / 5 + ...)
//              = f - (f^2 / 2 - s (f^2 / 2 + R)),
// where only small numbers are rounded. The first term left out, 2 s^23 / 23, is below 2^-60 s.
inline double log_of(double u, double error, double more) {
  constexpr uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  const bool subnormal = u < std::numeric_limits<double>::min();
  const uint64_t shifted = std::bit_cast<uint64_t>(subnormal ? u * 0x1p54 : u) + (one - root_half);
  // A small whole number in the low bits of the magic number is that number added to it.
  const double biased =
      std::bit_cast<double>(std::bit_cast<uint64_t>(round_magic) + (shifted >> 52U)) - round_magic;
  const double k = biased - 1023 - (subnormal ? 54 : 0);
  const double f = std::bit_cast<double>((shifted & 0x000fffffffffffff) + root_half) - 1;
  const double s = f / (2 + f);
  const double s2 = s * s;
  double series = 2.0 / 21;
  series = series * s2 + 2.0 / 19;
  series = series * s2 + 2.0 / 17;
  series = series * s2 + 2.0 / 15;
  series = series * s2 + 2.0 / 13;
  series = series * s2 + 2.0 / 11;
  series = series * s2 + 2.0 / 9;
  series = series * s2 + 2.0 / 7;
  series = series * s2 + 2.0 / 5;
  series = series * s2 + 2.0 / 3;
  const double half_square = 0.5 * f * f;
  const double n = k + more;
  const double low = n * ln2_low + error / u;
  return n * ln2_high - ((half_square - (s * (half_square + s2 * series) + low)) - f);
}

}  // namespace detail

// x = n ln 2 + r with |r| <= ln(2) / 2; exp(x) = 2^n exp(r), and exp(r) is its Taylor sum to r^13,
// whose next term is below 2^-57.
inline double exp(double x) {
  using namespace detail;
  // Beyond these the result is 0 or infinite; NaN stays.
  const double held = x < -746 ? -746 : x > 710 ? 710 : x;
  const double n_and_magic = held * 0x1.71547652b82fep0 + round_magic;
  const double n = n_and_magic - round_magic;
  const double high = held - n * ln2_high, low = n * ln2_low;
  const double r = high - low;
  const double lost = (high - r) - low;  // by the rounding of r
  double series = 1.0 / 6227020800;
  series = series * r + 1.0 / 479001600;
  series = series * r + 1.0 / 39916800;
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 0.5;
  const double sum = 1 + r;
  const double rest = ((1 - sum) + r) + (lost + r * r * series);
  // In two factors, because 2^n itself may be too large or too small.
  const double half_and_magic = 0.5 * n + round_magic;
  const double half = half_and_magic - round_magic;
  return (sum + rest) * power_of_two(half_and_magic) * power_of_two((n - half) + round_magic);
}

// -infinity of 0, NaN of negative numbers.
inline double log(double x) {
  using namespace detail;
  const double value = log_of(x, 0, 0);
  const double special = x == 0 ? -infinity : x == infinity ? x : NAN;
  return x > 0 && x < infinity ? value : special;
}

// asinh(x) = log(1 + y) with y = |x| + x^2 / (1 + sqrt(1 + x^2)), and log(2 |x|) where the
// difference is below the last digit.
inline double asinh(double x) {
  using namespace detail;
  const double size = std::fabs(x);
  const bool large = size >= 0x1p28;
  const double held = large ? 1 : size;
  const double square = held * held;
  const double y = held + square / (1 + std::sqrt(1 + square));
  const double u = 1 + y;
  const double value = log_of(large ? size : u,
                              large    ? 0
                              : u >= 2 ? 1 - (u - y)
                                       : y - (u - 1),
                              large ? 1 : 0);
  return size < infinity ? std::copysign(value, x) : x;
}

// Each value replaced; the same bits as one by one, several at once.
void exp(std::span<double> values);
void asinh(std::span<double> values);

// exp of each value divided by their sum. There is at least one value.
void softmax(std::span<double> values);

}  // namespace softwood::math
