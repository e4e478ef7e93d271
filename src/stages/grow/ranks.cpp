#include "stages/grow/ranks.h"

#include <bit>

#include "base/vectors.h"

namespace softwood::grow {
namespace {

SOFTWOOD_BODY void renumber_body(const uint32_t* memory, std::span<uint32_t> entries,
                                 const EntryFormat& from, const EntryFormat& to) {
  const bool with_class = from.has_class() && to.has_class();
  for (uint32_t& entry : entries) {
    const uint32_t slot = from.slot(entry);
    const uint32_t* const word = memory + 2 * size_t{slot / 32};
    const uint32_t below = word[0] & ((1U << (slot % 32)) - 1);
    const uint32_t rank = word[1] + static_cast<uint32_t>(std::popcount(below));
    const uint32_t class_part = with_class ? to.class_part(from.class_of(entry)) : 0;
    entry = (entry & new_value_mark) | class_part | rank;
  }
}

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 void renumber_avx2(const uint32_t* memory, std::span<uint32_t> entries,
                                 const EntryFormat& from, const EntryFormat& to) {
  renumber_body(memory, entries, from, to);
}
#endif

}  // namespace

Ranks::Ranks(std::span<const uint32_t> slots, uint32_t* memory) : memory_(memory) {
  uint32_t bits = 0;
  size_t last = ~size_t{0};
  for (uint32_t i = 0; i < slots.size(); ++i) {
    const size_t at = slots[i] / 32;
    if (at != last) {
      bits = 0;
      memory[2 * at + 1] = i;
      last = at;
    }
    bits |= 1U << (slots[i] % 32);
    memory[2 * at] = bits;
  }
}

void Ranks::renumber(std::span<uint32_t> entries, const EntryFormat& from,
                     const EntryFormat& to) const {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx2()) return renumber_avx2(memory_, entries, from, to);
#endif
  renumber_body(memory_, entries, from, to);
}

}  // namespace softwood::grow
