// Finds the delimiters and newlines of a text without quotes, 64 bytes at a time. Knowing them in
// advance lets the processor work on several cells at once: no cell has to wait until the end of
// the one before it is known.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace softwood {

class SeparatorScanner {
 public:
  // `end` counts as a newline when there is none before it. 63 bytes behind it must be readable.
  SeparatorScanner(const char* begin, const char* end, char delimiter)
      : next_(begin), end_(end), delimiter_(delimiter) {}

  // At least `count` separators that were not taken yet, as far as the text has so many. Pointers
  // are valid until the next call.
  size_t available(size_t count) {
    if (found_ - taken_ < count && next_ < end_) scan(count);
    return found_ - taken_;
  }
  const char* const* separators() const { return separators_.data() + taken_; }
  void take(size_t count) { taken_ += count; }

 private:
  static constexpr size_t block = 64;

  void scan(size_t count) {
    std::copy(separators_.begin() + static_cast<ptrdiff_t>(taken_),
              separators_.begin() + static_cast<ptrdiff_t>(found_), separators_.begin());
    found_ -= taken_;
    taken_ = 0;
    constexpr size_t batch = 1024;  // small enough to stay in the nearest cache
    while (next_ < end_ && found_ < count + batch) {
      if (separators_.size() < found_ + block + 1) {
        separators_.resize(2 * separators_.size() + 2 * batch);
      }
      scan_block();
    }
    if (next_ >= end_ && end_[-1] != '\n') separators_[found_++] = end_;
  }

  void scan_block() {
    uint64_t mask = separator_mask(next_);
    const auto left = static_cast<size_t>(end_ - next_);
    if (left < block) mask &= (uint64_t{1} << left) - 1;
    const char** out = separators_.data() + found_;
    for (; mask != 0; mask &= mask - 1) *out++ = next_ + std::countr_zero(mask);
    found_ = static_cast<size_t>(out - separators_.data());
    next_ += left < block ? left : block;
  }

  uint64_t separator_mask(const char* p) const {
    uint64_t mask = 0;
#if defined(__SSE2__)
    const __m128i delimiter = _mm_set1_epi8(delimiter_);
    const __m128i newline = _mm_set1_epi8('\n');
    for (unsigned i = 0; i < 4; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
      const __m128i hits =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), _mm_cmpeq_epi8(bytes, newline));
      mask |= static_cast<uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(hits))) << (16 * i);
    }
#else
    for (unsigned i = 0; i < block; ++i) {
      mask |= static_cast<uint64_t>(p[i] == delimiter_ || p[i] == '\n') << i;
    }
#endif
    return mask;
  }

  const char* next_;  // what is before it has been scanned
  const char* end_;
  char delimiter_;
  std::vector<const char*> separators_;
  size_t taken_ = 0, found_ = 0;
};

}  // namespace softwood
