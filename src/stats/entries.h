// Entries of the sorted lists of a growing tree: the slot of a training row in the low bits, above
// it the row's class where there is room, so that a scan need not look it up (which is a cache miss
// in a large table), and the mark of a new value on top.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "data/sorted.h"

namespace softwood::stats {

class EntryFormat {
 public:
  // `classes` is 0 when there are none.
  EntryFormat(size_t slots, size_t classes) {
    const auto bits = [](size_t count) {
      return static_cast<unsigned>(std::bit_width(count > 0 ? count - 1 : 0));
    };
    has_class_ = classes > 0 && bits(slots) + bits(classes) <= available_bits;
    slot_bits_ = has_class_ ? bits(slots) : available_bits;
    slot_mask_ = (1U << slot_bits_) - 1;
  }

  bool has_class() const { return has_class_; }
  unsigned slot_bits() const { return slot_bits_; }
  uint32_t slot(uint32_t entry) const { return entry & slot_mask_; }
  uint32_t class_of(uint32_t entry) const { return (entry & ~new_value_mark) >> slot_bits_; }
  uint32_t class_part(uint32_t class_index) const { return class_index << slot_bits_; }

 private:
  static constexpr unsigned available_bits = 31;
  bool has_class_;
  unsigned slot_bits_;
  uint32_t slot_mask_;
};

inline bool is_new_value(uint32_t entry) { return (entry & new_value_mark) != 0; }

// Slots of a sorted list lie all over the arrays that are looked up by slot. Asking for those of
// entries to come hides the wait for memory once the arrays are larger than the cache.
template <class T>
inline void prefetch_slot(const T* by_slot, const EntryFormat& format, const uint32_t* entries,
                          size_t i, size_t count) {
  constexpr size_t ahead = 24;
  if (i + ahead < count) __builtin_prefetch(by_slot + format.slot(entries[i + ahead]));
}

}  // namespace softwood::stats
