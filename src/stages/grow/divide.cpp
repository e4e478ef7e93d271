#include "stages/grow/divide.h"

#include "base/vectors.h"

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
#include <immintrin.h>
#endif

namespace softwood::grow {
namespace {

// Whether a mark was passed since the last entry of each side; the mark's bit or 0.
struct Pending {
  uint32_t left = new_value_mark, right = new_value_mark;
};

template <bool in_bits>
SOFTWOOD_BODY uint32_t side_of(const Sides& sides, uint32_t slot) {
  return in_bits ? sides.bits[slot / 32] >> (slot % 32) & 1 : sides.bytes[slot];
}

// Both writes are always made and one is kept: no branch to mispredict.
template <bool in_bits>
SOFTWOOD_BODY Halves divide_from(const uint32_t* entries, size_t begin, size_t count,
                                 const EntryFormat& format, const Sides& sides, Pending pending,
                                 Halves out) {
  for (size_t i = begin; i < count; ++i) {
    if (!in_bits) prefetch_slot(sides.bytes, format, entries, i, count);
    const uint32_t mark = entries[i] & new_value_mark;
    const uint32_t entry = entries[i] & ~new_value_mark;
    const uint32_t right = side_of<in_bits>(sides, format.slot(entry));
    const uint32_t right_mask = 0U - right;
    pending.left |= mark;
    pending.right |= mark;
    *out.left = entry | pending.left;
    *out.right = entry | pending.right;
    out.left += 1 - right;
    out.right += right;
    pending.left &= right_mask;
    pending.right &= ~right_mask;
  }
  return out;
}

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)

// The marks of one side among some lanes: those of `mine` that come after a mark, with none of
// `mine` between. Marks on their way up run through the lanes of others as carries of a sum do.
struct Marks {
  unsigned lanes;    // other than mine, too
  unsigned pending;  // 1 when one is left at the end
};
template <unsigned lanes>
inline Marks marks_of(unsigned others, unsigned marks, unsigned pending) {
  const unsigned carries = (marks & others) + others + pending;
  return {carries | marks, carries >> lanes};
}

// Row m lists the lanes whose bit is set in m, and then anything.
struct CompressTable {
  alignas(64) uint64_t rows[256];
};
constexpr CompressTable make_compress_table() {
  CompressTable table{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    unsigned kept = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) != 0) table.rows[mask] |= uint64_t{lane} << (8 * kept++);
    }
  }
  return table;
}
constexpr CompressTable compress_table = make_compress_table();

// The entries of one side among eight, next to each other.
SOFTWOOD_AVX2 inline void write_side(__m256i entries, unsigned mine, unsigned marks,
                                     uint32_t* out) {
  const __m256i to_top = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
  const __m256i mark =
      _mm256_and_si256(_mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(marks)), to_top),
                       _mm256_set1_epi32(static_cast<int>(new_value_mark)));
  const __m256i order =
      _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<int64_t>(compress_table.rows[mine])));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_permutevar8x32_epi32(_mm256_or_si256(entries, mark), order));
}

template <bool in_bits>
SOFTWOOD_AVX2 Halves divide_by_eights(const uint32_t* entries, size_t count,
                                      const EntryFormat& format, const Sides& sides, Halves out) {
  constexpr unsigned lanes = 8;
  const __m256i mark_bit = _mm256_set1_epi32(static_cast<int>(new_value_mark));
  const __m256i slot_mask = _mm256_set1_epi32(static_cast<int>(format.slot(~0U)));
  unsigned pending_left = 1, pending_right = 1;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries + i));
    const __m256i slots = _mm256_and_si256(all, slot_mask);
    __m256i side;
    if constexpr (in_bits) {
      const __m256i words = _mm256_i32gather_epi32(reinterpret_cast<const int*>(sides.bits),
                                                   _mm256_srli_epi32(slots, 5), 4);
      side = _mm256_srlv_epi32(words, _mm256_and_si256(slots, _mm256_set1_epi32(31)));
    } else {
      side = _mm256_i32gather_epi32(reinterpret_cast<const int*>(sides.bytes), slots, 1);
    }
    const auto right =
        static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(side, 31))));
    const unsigned left = right ^ 0xFF;
    const auto marks = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(all)));
    const Marks of_left = marks_of<lanes>(right, marks, pending_left);
    const Marks of_right = marks_of<lanes>(left, marks, pending_right);
    const __m256i plain = _mm256_andnot_si256(mark_bit, all);
    write_side(plain, left, of_left.lanes, out.left);
    write_side(plain, right, of_right.lanes, out.right);
    const auto gone_right = static_cast<unsigned>(__builtin_popcount(right));
    out.left += lanes - gone_right;
    out.right += gone_right;
    pending_left = of_left.pending;
    pending_right = of_right.pending;
  }
  return divide_from<in_bits>(entries, i, count, format, sides,
                              {pending_left << 31, pending_right << 31}, out);
}

template <bool in_bits>
SOFTWOOD_AVX512 Halves divide_by_sixteens(const uint32_t* entries, size_t count,
                                          const EntryFormat& format, const Sides& sides,
                                          Halves out) {
  constexpr unsigned lanes = 16;
  const __m512i mark_bit = _mm512_set1_epi32(static_cast<int>(new_value_mark));
  const __m512i slot_mask = _mm512_set1_epi32(static_cast<int>(format.slot(~0U)));
  unsigned pending_left = 1, pending_right = 1;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const __m512i all = _mm512_loadu_si512(entries + i);
    const __m512i slots = _mm512_and_si512(all, slot_mask);
    __m512i side;
    if constexpr (in_bits) {
      const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(slots, 5), sides.bits, 4);
      side = _mm512_srlv_epi32(words, _mm512_and_si512(slots, _mm512_set1_epi32(31)));
    } else {
      side = _mm512_i32gather_epi32(slots, sides.bytes, 1);
    }
    const unsigned right = _mm512_test_epi32_mask(side, _mm512_set1_epi32(1));
    const unsigned left = right ^ 0xFFFF;
    const unsigned marks = _mm512_movepi32_mask(all);
    const Marks of_left = marks_of<lanes>(right, marks, pending_left);
    const Marks of_right = marks_of<lanes>(left, marks, pending_right);
    const __m512i plain = _mm512_andnot_si512(mark_bit, all);
    const auto write = [&](unsigned mine, unsigned marked, uint32_t* to) SOFTWOOD_AVX512 {
      const __m512i with_marks =
          _mm512_mask_or_epi32(plain, static_cast<__mmask16>(marked), plain, mark_bit);
      _mm512_storeu_si512(to,
                          _mm512_maskz_compress_epi32(static_cast<__mmask16>(mine), with_marks));
    };
    write(left, of_left.lanes, out.left);
    write(right, of_right.lanes, out.right);
    const auto gone_right = static_cast<unsigned>(__builtin_popcount(right));
    out.left += lanes - gone_right;
    out.right += gone_right;
    pending_left = of_left.pending;
    pending_right = of_right.pending;
  }
  return divide_from<in_bits>(entries, i, count, format, sides,
                              {pending_left << 31, pending_right << 31}, out);
}

#endif

}  // namespace

Halves divide_one_by_one(const uint32_t* entries, size_t count, const EntryFormat& format,
                         const Sides& sides, Halves out) {
  return sides.bits != nullptr ? divide_from<true>(entries, 0, count, format, sides, {}, out)
                               : divide_from<false>(entries, 0, count, format, sides, {}, out);
}

Halves divide_in_two(const uint32_t* entries, size_t count, const EntryFormat& format,
                     const Sides& sides, Halves out) {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  const bool in_bits = sides.bits != nullptr;
  if (use_avx512()) {
    return in_bits ? divide_by_sixteens<true>(entries, count, format, sides, out)
                   : divide_by_sixteens<false>(entries, count, format, sides, out);
  }
  if (use_avx2()) {
    return in_bits ? divide_by_eights<true>(entries, count, format, sides, out)
                   : divide_by_eights<false>(entries, count, format, sides, out);
  }
#endif
  return divide_one_by_one(entries, count, format, sides, out);
}

}  // namespace softwood::grow
