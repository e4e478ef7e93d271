// Sets of rows as bits, 64 in a word: dividing a node by a test is one pass of "and" over its
// words, whatever the test, and counting a class is one pass that counts bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softwood::evolve {

using Word = uint64_t;
using Bits = std::vector<Word>;

constexpr size_t word_bits = 64;
constexpr size_t words_for(size_t rows) { return (rows + word_bits - 1) / word_bits; }

inline void set_bit(Word* bits, size_t row) {
  bits[row / word_bits] |= Word{1} << (row % word_bits);
}
inline void clear_bit(Word* bits, size_t row) {
  bits[row / word_bits] &= ~(Word{1} << (row % word_bits));
}
inline bool has_bit(const Word* bits, size_t row) {
  return ((bits[row / word_bits] >> (row % word_bits)) & 1U) != 0;
}

// `out` may be one of the others.
void unite(const Word* a, const Word* b, Word* out, size_t words);
// Each returns the number of bits of the result.
size_t intersect(const Word* a, const Word* b, Word* out, size_t words);
size_t subtract(const Word* a, const Word* b, Word* out, size_t words);  // a without b
size_t count(const Word* a, size_t words);
size_t count_common(const Word* a, const Word* b, size_t words);
size_t count_common(const Word* a, const Word* b, const Word* c, size_t words);

// Calls body(row) for every row of the set, ascending.
template <class Body>
void each_bit(const Word* bits, size_t words, const Body& body) {
  for (size_t w = 0; w < words; ++w) {
    for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
      body(w * word_bits + static_cast<size_t>(std::countr_zero(rest)));
    }
  }
}

// The n-th row of the set, counted from 0; there must be as many.
size_t nth_bit(const Word* bits, size_t n);

}  // namespace softwood::evolve
