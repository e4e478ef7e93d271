#include "data/readers/csv_numbers.h"

#include <bit>

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

// Four cells at a time, one in each quarter of a vector; otherwise as read_by_vectors. Masks of
// bytes have 16 bits per cell, the highest for the last byte.
SOFTWOOD_AVX512_BYTES size_t read_by_fours(const char* const* starts, size_t stride, size_t count,
                                           double* values, uint32_t* others) {
  constexpr size_t together = 4;
  // Numbers of 32 bits, one per cell, as masks side by side, and back.
  const auto joined = [](__m128i masks) SOFTWOOD_AVX512_BYTES {
    return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_cvtepi32_epi16(masks)));
  };
  const auto apart = [](uint64_t masks) SOFTWOOD_AVX512_BYTES {
    return _mm_cvtepu16_epi32(_mm_cvtsi64_si128(static_cast<int64_t>(masks)));
  };
  size_t left = 0, i = 0;
  for (; i + together <= count; i += together) {
    const char* const* const cells = starts + i * stride;
    const auto end = [&](size_t k) { return cells[k * stride + 1] - 1; };
    const auto text = [&](size_t k) SOFTWOOD_AVX512_BYTES {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(end(k) - width));
    };
    const auto length_of = [&](size_t k) {
      const auto length = static_cast<size_t>(end(k) - cells[k * stride]);
      return static_cast<int>(length < 2 * width ? length : 2 * width);
    };
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(text(0)), text(1), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(text(2)), text(3), 1);
    const __m512i bytes = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    const __m128i length = _mm_setr_epi32(length_of(0), length_of(1), length_of(2), length_of(3));
    // Anything of cells that are longer than that: they have too many digits.
    const __m128i inside = _mm_and_si128(
        _mm_sllv_epi32(_mm_set1_epi32(0xFFFF), _mm_sub_epi32(_mm_set1_epi32(width), length)),
        _mm_set1_epi32(0xFFFF));
    const __m128i first = _mm_andnot_si128(_mm_slli_epi32(inside, 1), inside);
    const uint64_t in_cell = joined(inside);
    const uint64_t minus = _mm512_mask_cmpeq_epi8_mask(joined(first), bytes, _mm512_set1_epi8('-'));
    const uint64_t points = _mm512_mask_cmpeq_epi8_mask(in_cell, bytes, _mm512_set1_epi8('.'));
    const __m512i spread = _mm512_maskz_sub_epi8(in_cell & ~minus, bytes, _mm512_set1_epi8('0'));
    // What is before the point moves over it.
    const __m128i point = apart(points);
    const __m128i below_point = _mm_subs_epu16(point, _mm_set1_epi32(1));
    const __m512i digits = _mm512_mask_mov_epi8(spread, joined(_mm_or_si128(point, below_point)),
                                                _mm512_bslli_epi128(spread, 1));
    // By pairs, then fours, then eights, then all.
    __m512i parts =
        _mm512_madd_epi16(_mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A)),  // 10, 1
                          _mm512_set1_epi32(0x00010064));                           // 100, 1
    parts = _mm512_madd_epi16(_mm512_packus_epi32(parts, parts),
                              _mm512_set1_epi32(0x00012710));  // 10000, 1
    const __m512i whole = _mm512_add_epi64(_mm512_mul_epu32(parts, _mm512_set1_epi64(100000000)),
                                           _mm512_srli_epi64(parts, 32));
    const __m256i whole_of_cell = _mm512_castsi512_si256(
        _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6), whole));
    // 16 where there is no point.
    const __m128i after_point =
        _mm_sub_epi32(_mm_lzcnt_epi32(point), _mm_set1_epi32(static_cast<int>(width)));
    const __mmask8 negative = _mm_test_epi32_mask(apart(minus), _mm_set1_epi32(-1));
    const __m128i divisor = _mm_mask_add_epi32(after_point, negative, after_point,
                                               _mm_set1_epi32(static_cast<int>(width + 1)));
    _mm256_storeu_pd(values + i, _mm256_div_pd(_mm256_cvtepi64_pd(whole_of_cell),
                                               _mm256_i32gather_pd(divisors[0], divisor, 8)));
    // From 1 to 15 digits, at most one point, and nothing else.
    const __mmask8 with_point = _mm_test_epi32_mask(point, point);
    const __m128i minus_one = _mm_set1_epi32(-1);
    __m128i digit_count = _mm_mask_add_epi32(length, negative, length, minus_one);
    digit_count = _mm_mask_add_epi32(digit_count, with_point, digit_count, minus_one);
    const __mmask8 too_many = _mm_cmpge_epu32_mask(_mm_add_epi32(digit_count, minus_one),
                                                   _mm_set1_epi32(static_cast<int>(width - 1)));
    const uint64_t strange = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
    const __m128i wrong = _mm_or_si128(apart(strange), _mm_and_si128(point, below_point));
    unsigned rest = too_many | _mm_test_epi32_mask(wrong, wrong);
    for (; rest != 0; rest &= rest - 1) {
      others[left++] = static_cast<uint32_t>(i) + static_cast<uint32_t>(std::countr_zero(rest));
    }
  }
  const size_t last = left;
  left += read_by_vectors(starts + i * stride, stride, count - i, values + i, others + last);
  for (size_t k = last; k < left; ++k) others[k] += static_cast<uint32_t>(i);
  return left;
}

}  // namespace

size_t read_plain_numbers(const char* const* starts, size_t stride, size_t count, double* values,
                          uint32_t* others) {
  if (use_avx512_bytes()) return read_by_fours(starts, stride, count, values, others);
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
