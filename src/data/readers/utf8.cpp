#include "data/readers/utf8.h"

#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace softwood {
namespace {

// Small enough that 8 bits count the newlines of a block: the loop becomes vector code.
constexpr size_t block_size = 128;

struct BlockSummary {
  uint8_t newlines = 0, quotes = 0, zeros = 0, high_bits = 0;
};

// Plain local variables and no branches, so that compilers turn the loop into vector code.
BlockSummary summarise_block(const unsigned char* bytes) {
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
  bool plain = true;
  size_t i = 0;
  for (; i + block_size <= text.size(); i += block_size) {
    const BlockSummary block =
        summarise_block(reinterpret_cast<const unsigned char*>(text.data() + i));
    summary.newlines += block.newlines;
    summary.has_quote |= block.quotes != 0;
    plain &= block.zeros == 0 && block.high_bits < 0x80;
  }
  for (; i < text.size(); ++i) {
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
