#include "render/export/c/code.h"

namespace softwood::render {
namespace {

constexpr std::string_view bits_c = R"(
/* The bits of a number and the number of bits. */
FUNCTION uint64_t $bits(double x)
{
  union { double number; uint64_t bits; } both;
  both.number = x;
  return both.bits;
}

FUNCTION double $of_bits(uint64_t bits)
{
  union { double number; uint64_t bits; } both;
  both.bits = bits;
  return both.number;
}
)";

constexpr std::string_view bits_cpp = R"(
// The bits of a number and the number of bits.
inline uint64_t $bits(double x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

inline double $of_bits(uint64_t bits) {
  double x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
)";

constexpr std::string_view exp_text = R"(
/* exp(x) = 2^n exp(r) with |r| <= ln(2) / 2; exp(r) by its Taylor sum. Within 1 unit in the last
   place. Adding 1.5 * 2^52 rounds to a whole number, which is then in the low bits. */
FUNCTION double $exp(double x)
{
  EXACT
@STEPS@  return @RESULT@;
}
)";
// The same steps for a block of rows: compilers take several rows at once.
constexpr std::string_view exp_rows_text = R"(
/* The same of @ROWS@ numbers. */
FUNCTION void $exp_rows(double *numbers)
{
  EXACT
  int32_t k;
  for (k = 0; k < @ROWS@; ++k) {
  const double x = numbers[k];
@STEPS@  numbers[k] = @RESULT@;
  }
}
)";
constexpr std::string_view exp_steps = R"(  const double magic = 6755399441055744.0;
  const double held = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;
  const double n_and_magic = held * 1.4426950408889634 + magic;
  const double n = n_and_magic - magic;
  const double high = held - n * 0.6931471803691238, low = n * 1.9082149292705877e-10;
  const double r = high - low;
  const double lost = (high - r) - low;
  const double half_and_magic = 0.5 * n + magic;
  const double other_and_magic = (n - (half_and_magic - magic)) + magic;
  const double sum = 1.0 + r;
  double series = 1.0 / 6227020800.0;
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
)";
constexpr std::string_view exp_result =
    R"((sum + (((1.0 - sum) + r) + (lost + r * r * series)))
         * $of_bits(($bits(half_and_magic) + 1023u) << 52)
         * $of_bits(($bits(other_and_magic) + 1023u) << 52))";

// The root by digits is that of fdlibm's e_sqrt.c (Sun Microsystems 1993): q is the root so far,
// s twice that, and m the remainder.
constexpr std::string_view asinh_text = R"(
/* The square root of a number from 1 on, correctly rounded: one binary digit after the other. */
FUNCTION double $sqrt(double x)
{
  const uint64_t code = $bits(x), exponent = (code >> 52) - 1023u;
  uint64_t m = (code & 0x000fffffffffffffu) | 0x0010000000000000u, q = 0, s = 0, digit;
  m <<= 1 + (exponent & 1u);
  for (digit = 0x0020000000000000u; digit != 0; digit >>= 1) {
    if (s + digit <= m) {
      m -= s + digit;
      s += 2 * digit;
      q += digit;
    }
    m <<= 1;
  }
  if (m != 0) q += q & 1u;
  return $of_bits((q >> 1) + ((exponent / 2 + 1022u) << 52));
}

/* asinh(x) = log(1 + y) with y = |x| + x^2 / (1 + sqrt(1 + x^2)), and log(2 |x|) of large x. With
   u = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), and s = f / (2 + f), log(1 + f) = 2 atanh(s).
   Within 2 units in the last place. */
FUNCTION double $asinh(double x)
{
  EXACT
  const double size = x < 0.0 ? -x : x;
  const int large = size >= 268435456.0;
  const double held = large ? 1.0 : size, square = held * held;
  const double y = held + square / (1.0 + $sqrt(1.0 + square));
  const double sum = 1.0 + y, u = large ? size : sum;
  const double error = large ? 0.0 : sum >= 2.0 ? 1.0 - (sum - y) : y - (sum - 1.0);
  const uint64_t shifted = $bits(u) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  const double magic = 6755399441055744.0;
  const double k = ($of_bits($bits(magic) + (shifted >> 52)) - magic) - 1023.0;
  const double f = $of_bits((shifted & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  const double s = f / (2.0 + f), s2 = s * s, half_square = 0.5 * f * f;
  const double n = k + (large ? 1.0 : 0.0), low = n * 1.9082149292705877e-10 + error / u;
  double series = 2.0 / 21.0;
  series = series * s2 + 2.0 / 19.0;
  series = series * s2 + 2.0 / 17.0;
  series = series * s2 + 2.0 / 15.0;
  series = series * s2 + 2.0 / 13.0;
  series = series * s2 + 2.0 / 11.0;
  series = series * s2 + 2.0 / 9.0;
  series = series * s2 + 2.0 / 7.0;
  series = series * s2 + 2.0 / 5.0;
  series = series * s2 + 2.0 / 3.0;
  series = n * 0.6931471803691238
           - ((half_square - (s * (half_square + s2 * series) + low)) - f);
  return !(size <= DBL_MAX) ? x : x < 0.0 ? -series : series;
}
)";

}  // namespace

void write_math(CodeWriter& out, bool exp, bool asinh, size_t exp_rows) {
  if (!exp && !asinh) return;
  out.code(out.is_cpp() ? bits_cpp : bits_c);
  const CodeWriter::Words words = {{"STEPS", std::string(exp_steps)},
                                   {"RESULT", std::string(exp_result)},
                                   {"ROWS", std::to_string(exp_rows)}};
  if (exp) out.code(exp_text, words);
  if (exp && exp_rows > 0) out.code(exp_rows_text, words);
  if (asinh) out.code(asinh_text);
}

}  // namespace softwood::render
