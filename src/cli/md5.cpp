#include "cli/md5.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace softwood {
namespace {

constexpr size_t block_bytes = 64;
using State = std::array<uint32_t, 4>;

// T[i] of the RFC: the integer part of 2^32 times |sin(i + 1)|.
const std::array<uint32_t, 64>& sines() {
  static const auto table = [] {
    std::array<uint32_t, 64> values{};
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint32_t>(
          std::floor(0x1p32 * std::fabs(std::sin(static_cast<double>(i + 1)))));
    }
    return values;
  }();
  return table;
}

uint32_t word_at(const unsigned char* bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8U |
         static_cast<uint32_t>(bytes[2]) << 16U | static_cast<uint32_t>(bytes[3]) << 24U;
}

void add_block(const unsigned char* block, State& state) {
  constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  auto [a, b, c, d] = state;
  for (uint32_t i = 0; i < block_bytes; ++i) {
    const uint32_t round = i / 16;
    uint32_t mixed = 0, word = 0;
    switch (round) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = (5 * i + 1) % 16;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = (3 * i + 5) % 16;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * i % 16;
    }
    const uint32_t sum = a + mixed + sines()[i] + word_at(block + 4 * word);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, shifts[round][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::string md5_text(std::string_view bytes) {
  State state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U};
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  const size_t whole = bytes.size() / block_bytes * block_bytes, rest = bytes.size() - whole;
  for (size_t at = 0; at < whole; at += block_bytes) add_block(data + at, state);
  // What is left, the bit 1, zeros, and the number of bits.
  constexpr size_t length_bytes = 8;
  std::array<unsigned char, 2 * block_bytes> tail{};
  if (rest > 0) std::memcpy(tail.data(), data + whole, rest);
  tail[rest] = 0x80;
  const size_t size = rest + 1 + length_bytes <= block_bytes ? block_bytes : 2 * block_bytes;
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (size_t i = 0; i < length_bytes; ++i) {
    tail[size - length_bytes + i] = static_cast<unsigned char>(bits >> (8 * i));
  }
  for (size_t at = 0; at < size; at += block_bytes) add_block(tail.data() + at, state);
  std::string text;
  for (const uint32_t word : state) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      text += fmt::format("{:02x}", word >> shift & 0xffU);
  }
  return text;
}

}  // namespace softwood
