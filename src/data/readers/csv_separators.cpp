#include "data/readers/csv_separators.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/vectors.h"

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
#include <immintrin.h>
#endif

namespace softwood {
namespace {

constexpr size_t block = 64;

// What is to be scanned, and where the beginnings of cells go.
struct Scan {
  const char* next;
  const char* end;
  char delimiter;
  const char** out;
};

SOFTWOOD_BODY uint64_t separator_mask(const char* p, char separator) {
  uint64_t mask = 0;
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  const __m128i delimiter = _mm_set1_epi8(separator);
  const __m128i newline = _mm_set1_epi8('\n');
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    const __m128i hits =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), _mm_cmpeq_epi8(bytes, newline));
    mask |= static_cast<uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(hits))) << (16 * i);
  }
#else
  for (unsigned i = 0; i < block; ++i) {
    mask |= static_cast<uint64_t>(p[i] == separator || p[i] == '\n') << i;
  }
#endif
  return mask;
}

// Goes on until `out_end` is reached. Room for one block more is needed after it.
template <class MaskOf>
SOFTWOOD_BODY void scan_body(Scan& scan, const char** out_end, const MaskOf& mask_of) {
  while (scan.next < scan.end && scan.out < out_end) {
    uint64_t mask = mask_of(scan.next);
    const auto left = static_cast<size_t>(scan.end - scan.next);
    if (left < block) mask &= (uint64_t{1} << left) - 1;
    const auto count = static_cast<size_t>(std::popcount(mask));
    // As many as most blocks have at once, some of them in vain: a loop that ends with the last
    // separator of a block would end at a place that the processor can't predict.
    constexpr size_t usual = 12;
    const char* const after = scan.next + 1;
    for (size_t i = 0; i < usual; ++i, mask &= mask - 1) {
      scan.out[i] = after + std::countr_zero(mask);
    }
    for (size_t i = usual; i < count; ++i, mask &= mask - 1) {
      scan.out[i] = after + std::countr_zero(mask);
    }
    scan.out += count;
    scan.next += std::min(left, block);
  }
}

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 void scan_avx2(Scan& scan, const char** out_end) {
  scan_body(scan, out_end,
            [&](const char* p) SOFTWOOD_AVX2 { return separator_mask(p, scan.delimiter); });
}

SOFTWOOD_AVX512_BYTES void scan_avx512(Scan& scan, const char** out_end) {
  const __m512i delimiter = _mm512_set1_epi8(scan.delimiter);
  const __m512i newline = _mm512_set1_epi8('\n');
  scan_body(scan, out_end, [&](const char* p) SOFTWOOD_AVX512_BYTES {
    const __m512i bytes = _mm512_loadu_si512(p);
    return _mm512_cmpeq_epi8_mask(bytes, delimiter) | _mm512_cmpeq_epi8_mask(bytes, newline);
  });
}
#endif

void scan_blocks(Scan& scan, const char** out_end) {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx512_bytes()) return scan_avx512(scan, out_end);
  if (use_avx2()) return scan_avx2(scan, out_end);
#endif
  scan_body(scan, out_end, [&](const char* p) { return separator_mask(p, scan.delimiter); });
}

}  // namespace

void CellScanner::scan(size_t count) {
  std::copy(starts_.begin() + static_cast<ptrdiff_t>(taken_),
            starts_.begin() + static_cast<ptrdiff_t>(found_ + 1), starts_.begin());
  found_ -= taken_;
  taken_ = 0;
  starts_.resize(std::max(starts_.size(), 1 + count + block + 1));
  Scan scan{next_, end_, delimiter_, starts_.data() + found_ + 1};
  scan_blocks(scan, starts_.data() + 1 + count);
  next_ = scan.next;
  if (next_ >= end_ && end_[-1] != '\n') *scan.out++ = end_ + 1;
  found_ = static_cast<size_t>(scan.out - starts_.data()) - 1;
}

}  // namespace softwood
