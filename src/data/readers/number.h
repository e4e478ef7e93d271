// Texts into numbers, exactly as std::from_chars does it, but faster for the usual ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace softwood {

enum class NumberText { none, finite, infinite };

// The whole of `text` as a number: decimal digits with an optional sign, point and exponent, or an
// infinity. What is too large for a double is infinite; what is too small is zero.
NumberText read_number(std::string_view text, double& value);

// Empty, ?, NA, NaN, null (in any case; NaN also with a sign, as C prints it).
bool is_missing_text(std::string_view text);

namespace number_detail {

inline constexpr std::array<double, 23> powers_of_ten = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::array<uint64_t, 9> whole_powers_of_ten = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Reads the digits at `p`, at most 8, at once: fewer branches that depend on the data than one
// digit after the other. Needs 8 readable bytes. Returns how many there were.
inline unsigned read_digits(const char* p, uint64_t& value) {
  if constexpr (std::endian::native == std::endian::little) {
    uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    word ^= 0x3030303030303030ULL;  // digits become 0 … 9
    const uint64_t others =
        (((word & 0x7F7F7F7F7F7F7F7FULL) + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL;
    const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;  // 8 when none
    if (count == 0) {
      value = 0;
      return 0;
    }
    word <<= 64 - 8 * count;  // leading zeros in front of the digits
    // Pairs, then fours, then all eight.
    word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFULL;
    word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFULL;
    value = (word * 10000 + (word >> 32)) & 0xFFFFFFFFULL;
    return count;
  } else {
    unsigned count = 0;
    for (value = 0; count < 8 && p[count] >= '0' && p[count] <= '9'; ++count) {
      value = value * 10 + static_cast<uint64_t>(p[count] - '0');
    }
    return count;
  }
}

// More than 8 digits in a row: goes on where read_digits stopped. False: more than fit.
inline bool read_more_digits(const char*& p, uint64_t& value, unsigned& digits) {
  for (; *p >= '0' && *p <= '9'; ++p) {
    if (++digits > 19) return false;
    value = value * 10 + static_cast<uint64_t>(*p - '0');
  }
  return true;
}

}  // namespace number_detail

// A plain number at `p`: its end, or null when it is not one or needs more care. The result is
// exact: a whole number up to 2^53 times or divided by a power of ten up to 10^22, all of which are
// doubles, is rounded once (Clinger 1990). Needs 8 readable bytes after any text.
inline const char* read_plain_number(const char* p, double& value) {
  using namespace number_detail;
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  uint64_t mantissa = 0;
  unsigned digits = read_digits(p, mantissa);
  p += digits;
  if (digits == 8 && !read_more_digits(p, mantissa, digits)) return nullptr;
  int exponent = 0;
  if (*p == '.') {
    ++p;
    uint64_t fraction = 0;
    const unsigned count = read_digits(p, fraction);
    if (digits + count > 19) return nullptr;
    mantissa = mantissa * whole_powers_of_ten[count] + fraction;
    p += count;
    digits += count;
    exponent = -static_cast<int>(count);
    if (count == 8) {
      const char* const more = p;
      if (!read_more_digits(p, mantissa, digits)) return nullptr;
      exponent -= static_cast<int>(p - more);
    }
  }
  if (digits == 0) return nullptr;
  if (*p == 'e' || *p == 'E') {
    const bool minus = p[1] == '-';
    p += minus || p[1] == '+' ? 2 : 1;
    uint64_t size = 0;
    const unsigned count = read_digits(p, size);
    if (count == 0 || count > 4) return nullptr;
    p += count;
    exponent += minus ? -static_cast<int>(size) : static_cast<int>(size);
  }
  if (mantissa > (uint64_t{1} << 53) || exponent < -22 || exponent > 22) return nullptr;
  const auto whole = static_cast<double>(mantissa);
  const double size = exponent < 0 ? whole / powers_of_ten[static_cast<size_t>(-exponent)]
                                   : whole * powers_of_ten[static_cast<size_t>(exponent)];
  // The sign without a branch: in most data it can't be predicted.
  value = std::bit_cast<double>(std::bit_cast<uint64_t>(size) | (uint64_t{negative} << 63));
  return p;
}

}  // namespace softwood
