#include "stages/evolve/bits.h"

#include "base/vectors.h"

namespace softwood::evolve {
namespace {

SOFTWOOD_BODY size_t ones(Word word) { return static_cast<size_t>(std::popcount(word)); }

SOFTWOOD_BODY size_t intersect_body(const Word* a, const Word* b, Word* out, size_t words) {
  size_t sum = 0;
  for (size_t w = 0; w < words; ++w) {
    const Word both = a[w] & b[w];
    out[w] = both;
    sum += ones(both);
  }
  return sum;
}
SOFTWOOD_BODY size_t subtract_body(const Word* a, const Word* b, Word* out, size_t words) {
  size_t sum = 0;
  for (size_t w = 0; w < words; ++w) {
    const Word rest = a[w] & ~b[w];
    out[w] = rest;
    sum += ones(rest);
  }
  return sum;
}
SOFTWOOD_BODY size_t count_body(const Word* a, size_t words) {
  size_t sum = 0;
  for (size_t w = 0; w < words; ++w) sum += ones(a[w]);
  return sum;
}
SOFTWOOD_BODY size_t common_body(const Word* a, const Word* b, size_t words) {
  size_t sum = 0;
  for (size_t w = 0; w < words; ++w) sum += ones(a[w] & b[w]);
  return sum;
}
SOFTWOOD_BODY size_t common_body(const Word* a, const Word* b, const Word* c, size_t words) {
  size_t sum = 0;
  for (size_t w = 0; w < words; ++w) sum += ones(a[w] & b[w] & c[w]);
  return sum;
}

SOFTWOOD_BODY size_t nth_body(const Word* bits, size_t n) {
  size_t w = 0;
  for (size_t here = ones(bits[0]); here <= n; here = ones(bits[++w])) n -= here;
  Word rest = bits[w];
  for (; n > 0; --n) rest &= rest - 1;
  return w * word_bits + static_cast<size_t>(std::countr_zero(rest));
}

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 size_t nth_fast(const Word* bits, size_t n) { return nth_body(bits, n); }
SOFTWOOD_AVX2 size_t intersect_fast(const Word* a, const Word* b, Word* out, size_t words) {
  return intersect_body(a, b, out, words);
}
SOFTWOOD_AVX2 size_t subtract_fast(const Word* a, const Word* b, Word* out, size_t words) {
  return subtract_body(a, b, out, words);
}
SOFTWOOD_AVX2 size_t count_fast(const Word* a, size_t words) { return count_body(a, words); }
SOFTWOOD_AVX2 size_t common_fast(const Word* a, const Word* b, size_t words) {
  return common_body(a, b, words);
}
SOFTWOOD_AVX2 size_t common_fast(const Word* a, const Word* b, const Word* c, size_t words) {
  return common_body(a, b, c, words);
}
#else
constexpr auto& intersect_fast = intersect_body;
constexpr auto& subtract_fast = subtract_body;
constexpr auto& count_fast = count_body;
constexpr auto& nth_fast = nth_body;
size_t common_fast(const Word* a, const Word* b, size_t words) { return common_body(a, b, words); }
size_t common_fast(const Word* a, const Word* b, const Word* c, size_t words) {
  return common_body(a, b, c, words);
}
#endif

}  // namespace

void unite(const Word* a, const Word* b, Word* out, size_t words) {
  for (size_t w = 0; w < words; ++w) out[w] = a[w] | b[w];
}
size_t intersect(const Word* a, const Word* b, Word* out, size_t words) {
  return use_avx2() ? intersect_fast(a, b, out, words) : intersect_body(a, b, out, words);
}
size_t subtract(const Word* a, const Word* b, Word* out, size_t words) {
  return use_avx2() ? subtract_fast(a, b, out, words) : subtract_body(a, b, out, words);
}
size_t count(const Word* a, size_t words) {
  return use_avx2() ? count_fast(a, words) : count_body(a, words);
}
size_t count_common(const Word* a, const Word* b, size_t words) {
  return use_avx2() ? common_fast(a, b, words) : common_body(a, b, words);
}
size_t count_common(const Word* a, const Word* b, const Word* c, size_t words) {
  return use_avx2() ? common_fast(a, b, c, words) : common_body(a, b, c, words);
}

size_t nth_bit(const Word* bits, size_t n) {
  return use_avx2() ? nth_fast(bits, n) : nth_body(bits, n);
}

}  // namespace softwood::evolve
