#include "data/readers/utf8.h"

#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "base/vectors.h"

namespace softwood {
namespace {

// Small enough that 8 bits count the newlines of a block: the loop becomes vector code.
constexpr size_t block_size = 128;

struct BlockSummary {
  uint8_t newlines = 0, quotes = 0, zeros = 0, high_bits = 0;
};

// Plain local variables and no branches, so that compilers turn the loop into vector code.
SOFTWOOD_BODY BlockSummary summarise_block(const unsigned char* bytes) {
  uint8_t newlines = 0;
  uint8_t quotes = 0;
  uint8_t zeros = 0;
  uint8_t high_bits = 0;
  for (size_t i = 0; i < block_size; ++i) {
    const uint8_t byte = bytes[i];
    newlines = static_cast<uint8_t>(newlines + static_cast<uint8_t>(byte == '\n'));
    quotes = static_cast<uint8_t>(quotes | static_cast<uint8_t>(byte == '"'));
    zeros = static_cast<uint8_t>(zeros | static_cast<uint8_t>(byte == 0));
    high_bits = static_cast<uint8_t>(high_bits | byte);
  }
  return {newlines, quotes, zeros, high_bits};
}

// What whole blocks at the beginning of `text` have. A fault is any byte that needs a closer look.
struct BlocksSummary {
  size_t newlines = 0;
  bool has_quote = false, plain = true;
};

SOFTWOOD_BODY BlocksSummary summarise_blocks_body(const unsigned char* bytes, size_t blocks) {
  BlocksSummary summary;
  for (size_t i = 0; i < blocks; ++i) {
    const BlockSummary block = summarise_block(bytes + i * block_size);
    summary.newlines += block.newlines;
    summary.has_quote |= block.quotes != 0;
    summary.plain &= block.zeros == 0 && block.high_bits < 0x80;
  }
  return summary;
}

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 BlocksSummary summarise_avx2(const unsigned char* bytes, size_t blocks) {
  return summarise_blocks_body(bytes, blocks);
}
#endif

BlocksSummary summarise_blocks(const unsigned char* bytes, size_t blocks) {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx2()) return summarise_avx2(bytes, blocks);
#endif
  return summarise_blocks_body(bytes, blocks);
}

// The first byte of `text` that is zero or no valid UTF-8; null when all is well.
const char* first_fault(std::string_view text) {
  while (!text.empty()) {
    constexpr uint64_t high_bits = 0x8080808080808080ULL;
    constexpr uint64_t ones = 0x0101010101010101ULL;
    uint64_t word = 0;
    while (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & high_bits) != 0 || ((word - ones) & ~word & high_bits) != 0) break;
      text.remove_prefix(sizeof word);
    }
    if (text.empty()) break;
    const size_t length = utf8_length(text);
    if (length == 0 || text[0] == '\0') return text.data();
    text.remove_prefix(length);
  }
  return nullptr;
}

}  // namespace

TextSummary summarise_text(std::string_view text) {
  TextSummary summary;
  const BlocksSummary blocks = summarise_blocks(reinterpret_cast<const unsigned char*>(text.data()),
                                                text.size() / block_size);
  summary.newlines = blocks.newlines;
  summary.has_quote = blocks.has_quote;
  bool plain = blocks.plain;
  for (size_t i = text.size() / block_size * block_size; i < text.size(); ++i) {
    summary.newlines += text[i] == '\n' ? 1 : 0;
    summary.has_quote |= text[i] == '"';
    plain &= text[i] != '\0' && static_cast<unsigned char>(text[i]) < 0x80;
  }
  if (!plain) summary.fault = first_fault(text);
  return summary;
}

size_t count_newlines(std::string_view text) {
  size_t count = 0;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end && (p = static_cast<const char*>(
                         std::memchr(p, '\n', static_cast<size_t>(end - p)))) != nullptr) {
    ++count;
    ++p;
  }
  return count;
}

}  // namespace softwood
