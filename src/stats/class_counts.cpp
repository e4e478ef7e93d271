#include "stats/class_counts.h"

#include "base/vectors.h"

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
#include <immintrin.h>
#endif

namespace softwood::stats {
namespace {

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 void count_by_vectors(const uint32_t* entries, const EntryFormat& format,
                                    std::span<uint8_t> counts) {
  // The class is one bit: moved to the top, where a mask is made of it.
  const __m128i shift = _mm_cvtsi32_si128(31 - static_cast<int>(format.slot_bits()));
  for (size_t i = 0; i < counts.size(); ++i) {
    const __m256i eight =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries + i * counted_together));
    const int mask = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sll_epi32(eight, shift)));
    counts[i] = static_cast<uint8_t>(__builtin_popcount(static_cast<unsigned>(mask)));
  }
}
#endif

}  // namespace

void count_second_class(std::span<const uint32_t> entries, const EntryFormat& format,
                        std::vector<uint8_t>& counts) {
  const size_t groups = entries.size() / counted_together;
  if (counts.size() < groups) counts.resize(groups);
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx2()) {
    count_by_vectors(entries.data(), format, {counts.data(), groups});
    return;
  }
#endif
  for (size_t i = 0; i < groups; ++i) {
    uint32_t count = 0;
    for (size_t j = 0; j < counted_together; ++j) {
      count += format.class_of(entries[i * counted_together + j]);
    }
    counts[i] = static_cast<uint8_t>(count);
  }
}

}  // namespace softwood::stats
