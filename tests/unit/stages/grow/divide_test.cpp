#include "stages/grow/divide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "stages/grow/ranks.h"
#include "stats/class_counts.h"

namespace softwood::grow {
namespace {

std::vector<uint32_t> random_entries(size_t count, const EntryFormat& format, Random& random) {
  std::vector<uint32_t> entries(count);
  std::iota(entries.begin(), entries.end(), 0U);
  random.shuffle(entries);
  const uint64_t ties = 1 + random.below(4);
  for (uint32_t& entry : entries) {
    entry |= format.class_part(static_cast<uint32_t>(random.below(2)));
    if (random.below(ties) == 0) entry |= new_value_mark;
  }
  return entries;
}

struct Divided {
  std::vector<uint32_t> left, right;
  bool operator==(const Divided&) const = default;
};

// By the definition: an entry is marked when a mark was passed since the last one of its side.
Divided divide_by_definition(const std::vector<uint32_t>& entries, const EntryFormat& format,
                             const std::vector<uint8_t>& side) {
  Divided divided;
  bool passed[2] = {true, true};
  for (const uint32_t entry : entries) {
    const uint8_t here = side[format.slot(entry)];
    if (is_new_value(entry)) passed[0] = passed[1] = true;
    (here == 0 ? divided.left : divided.right)
        .push_back((entry & ~new_value_mark) | (passed[here] ? new_value_mark : 0));
    passed[here] = false;
  }
  return divided;
}

template <class Divide>
Divided divide_by(const Divide& divide, std::vector<uint32_t> list, const EntryFormat& format,
                  const Sides& sides) {
  std::vector<uint32_t> buffer(list.size() + division_slack);
  const Halves end =
      divide(list.data(), list.size(), format, sides, Halves{list.data(), buffer.data()});
  return {{list.data(), end.left}, {buffer.data(), end.right}};
}

TEST(Divide, IsStableAndRenewsMarks) {
  Random random(1, "divide");
  for (int round = 0; round < 400; ++round) {
    const size_t count = random.below(120);
    const EntryFormat format(count, 2);
    const std::vector<uint32_t> entries = random_entries(count, format, random);
    std::vector<uint8_t> side(count + division_slack);
    const uint64_t share = random.below(5);
    for (uint8_t& one : side) one = random.below(4) < share ? 1 : 0;
    const Divided expected = divide_by_definition(entries, format, side);
    std::vector<uint32_t> bits(side.size() / 32 + 1);
    for (size_t slot = 0; slot < count; ++slot) {
      bits[slot / 32] |= uint32_t{side[slot]} << (slot % 32);
    }
    for (const Sides& sides : {Sides(side.data()), Sides(nullptr, bits.data())}) {
      EXPECT_EQ(divide_by(divide_in_two, entries, format, sides), expected) << count;
      EXPECT_EQ(divide_by(divide_one_by_one, entries, format, sides), expected) << count;
    }
  }
}

TEST(Ranks, AreTheNewNumbersOfSlots) {
  Random random(1, "ranks");
  for (const size_t count : {1, 31, 32, 33, 1000}) {
    const EntryFormat format(count, 2);
    std::vector<uint32_t> slots, expected(count, 0), entries;
    for (uint32_t slot = 0; slot < count; ++slot) {
      if (random.below(3) == 0) continue;
      expected[slot] = static_cast<uint32_t>(slots.size());
      slots.push_back(slot);
    }
    for (const uint32_t entry : random_entries(count, format, random)) {
      if (std::binary_search(slots.begin(), slots.end(), format.slot(entry))) {
        entries.push_back(entry);
      }
    }
    std::vector<uint32_t> memory(Ranks::words(count), 0xABCDEF);
    const Ranks ranks(slots, memory.data());
    for (const size_t classes : {2, 0}) {
      const EntryFormat to(slots.size(), classes);
      std::vector<uint32_t> renumbered = entries;
      ranks.renumber(renumbered, format, to);
      for (size_t i = 0; i < entries.size(); ++i) {
        EXPECT_EQ(to.slot(renumbered[i]), expected[format.slot(entries[i])]);
        EXPECT_EQ(to.class_of(renumbered[i]), classes > 0 ? format.class_of(entries[i]) : 0);
        EXPECT_EQ(is_new_value(renumbered[i]), is_new_value(entries[i]));
      }
    }
  }
}

TEST(ClassCounts, AreOfEachEightEntries) {
  Random random(1, "counts");
  for (const size_t count : {0, 7, 8, 9, 100, 1003}) {
    const EntryFormat format(count, 2);
    const std::vector<uint32_t> entries = random_entries(count, format, random);
    std::vector<uint8_t> counts;
    count_second_class(entries, format, counts);
    ASSERT_GE(counts.size(), count / 8);
    for (size_t i = 0; i < count / 8; ++i) {
      uint32_t expected = 0;
      for (size_t j = 8 * i; j < 8 * i + 8; ++j) expected += format.class_of(entries[j]);
      EXPECT_EQ(counts[i], expected);
    }
  }
}

}  // namespace
}  // namespace softwood::grow
