#include "data/readers/csv_numbers.h"

#include "base/vectors.h"
#include "data/readers/number.h"

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
#include <immintrin.h>
#endif

namespace softwood {

size_t read_plain_numbers_one_by_one(const char* const* starts, size_t stride, size_t count,
                                     double* values, uint32_t* others) {
  size_t left = 0;
  for (size_t i = 0; i < count; ++i) {
    const char* const* const cell = starts + i * stride;
    others[left] = static_cast<uint32_t>(i);
    left += read_plain_number(cell[0], values[i]) == cell[1] - 1 ? 0 : 1;
  }
  return left;
}

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
namespace {

constexpr size_t width = 16;  // bytes of a vector: longer cells are left to others

// Row i keeps the last i bytes of a vector.
struct KeepTable {
  alignas(16) uint8_t rows[width + 1][width];
};
constexpr KeepTable make_keep_table() {
  KeepTable table{};
  for (size_t kept = 0; kept <= width; ++kept) {
    for (size_t i = 0; i < width; ++i) table.rows[kept][i] = i + kept >= width ? 0xFF : 0;
  }
  return table;
}
constexpr KeepTable keep_table = make_keep_table();

// Row i takes the byte out that has i bytes after it: what is before it moves up by one. The last
// row takes none out. 0x80 gives zero.
constexpr KeepTable make_point_table() {
  KeepTable table{};
  for (size_t after = 0; after <= width; ++after) {
    for (size_t i = 0; i < width; ++i) {
      const bool moves = after < width && i + after < width;
      table.rows[after][i] = static_cast<uint8_t>(!moves ? i : i == 0 ? 0x80 : i - 1);
    }
  }
  return table;
}
constexpr KeepTable point_table = make_point_table();

// By the number of bytes after the point; the last one is for a cell without a point. The second
// row is for negative numbers.
constexpr double divisors[2][width + 1] = {
    {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e0},
    {-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14,
     -1e15, -1e0}};

SOFTWOOD_AVX2 inline __m128i row_of(const KeepTable& table, size_t row) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(table.rows[row]));
}

// The number that 16 digits 0 … 9 make, by pairs, then fours, then eights.
SOFTWOOD_AVX2 inline int64_t whole_number(__m128i digits) {
  const __m128i tens = _mm_set1_epi16(0x010A);               // 10, 1 as bytes
  const __m128i hundreds = _mm_set1_epi32(0x00010064);       // 100, 1
  const __m128i ten_thousands = _mm_set1_epi32(0x00012710);  // 10000, 1
  __m128i parts = _mm_madd_epi16(_mm_maddubs_epi16(digits, tens), hundreds);
  parts = _mm_madd_epi16(_mm_packus_epi32(parts, parts), ten_thousands);
  const int64_t eights = _mm_cvtsi128_si64(parts);
  return (eights & 0xFFFFFFFF) * 100000000 + (eights >> 32);
}

// Cells of at most 16 bytes, [-]digits[.digits] with at most 15 digits, without a branch that
// depends on them. As in read_plain_number the result is exact: whole numbers below 10^15 and
// powers of ten up to 10^15 are doubles, their quotient is rounded once (Clinger 1990).
SOFTWOOD_AVX2 size_t read_by_vectors(const char* const* starts, size_t stride, size_t count,
                                     double* values, uint32_t* others) {
  size_t left = 0;
  for (size_t i = 0; i < count; ++i) {
    const char* const begin = starts[i * stride];
    const char* const end = starts[i * stride + 1] - 1;
    const size_t negative = *begin == '-' ? 1 : 0;
    const size_t length = static_cast<size_t>(end - begin) - negative;
    // The cell at the end of the vector, digits as 0 … 9, zeros before them.
    __m128i digits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - width));
    digits = _mm_and_si128(_mm_sub_epi8(digits, _mm_set1_epi8('0')),
                           row_of(keep_table, length < width ? length : width));
    const __m128i is_point = _mm_cmpeq_epi8(digits, _mm_set1_epi8('.' - '0'));
    const auto points = static_cast<unsigned>(_mm_movemask_epi8(is_point));
    // 16 without a point; the added bit spares a special case for that.
    const auto after_point = width + 1 - static_cast<size_t>(std::bit_width(2 * points + 1));
    digits = _mm_shuffle_epi8(digits, row_of(point_table, after_point));
    const __m128i excess = _mm_subs_epu8(digits, _mm_set1_epi8(9));
    const size_t digit_count = length - (points != 0 ? 1 : 0);
    const bool is_plain = (_mm_testz_si128(excess, excess) != 0) & (digit_count - 1 < width - 1);
    values[i] = static_cast<double>(whole_number(digits)) / divisors[negative][after_point];
    others[left] = static_cast<uint32_t>(i);
    left += is_plain ? 0 : 1;
  }
  return left;
}

}  // namespace

size_t read_plain_numbers(const char* const* starts, size_t stride, size_t count, double* values,
                          uint32_t* others) {
  return use_avx2() ? read_by_vectors(starts, stride, count, values, others)
                    : read_plain_numbers_one_by_one(starts, stride, count, values, others);
}
#else
size_t read_plain_numbers(const char* const* starts, size_t stride, size_t count, double* values,
                          uint32_t* others) {
  return read_plain_numbers_one_by_one(starts, stride, count, values, others);
}
#endif

}  // namespace softwood
