#include "base/radix.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace softwood {
namespace {

std::vector<uint64_t> random_items(size_t count) {
  Random random(1, "radix");
  std::vector<uint64_t> items(count);
  for (uint64_t& item : items) item = random.next();
  return items;
}

TEST(RadixSort, SortsByTheBitsAskedForAndKeepsTheOrderOfEquals) {
  for (const size_t count : {0, 1, 2, 1000}) {
    std::vector<uint64_t> items = random_items(count), other;
    std::vector<uint64_t> expected = items;
    const auto key = [](uint64_t item) { return (item >> 5) % (1U << 12); };
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint64_t a, uint64_t b) { return key(a) < key(b); });
    radix_sort<4>(items, other, 5, 3, [] {});
    EXPECT_EQ(items, expected);
  }
}

TEST(RadixSort, TakesFourDigits) {
  std::vector<uint64_t> items = random_items(500), other;
  for (uint64_t& item : items) item >>= 32;
  std::vector<uint64_t> expected = items;
  std::sort(expected.begin(), expected.end());
  radix_sort<8>(items, other, 0, 4, [] {});
  EXPECT_EQ(items, expected);
}

}  // namespace
}  // namespace softwood
