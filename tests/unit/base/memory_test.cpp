#include "base/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace softwood {
namespace {

// Only whole pages within the range may lose what they hold.
TEST(Memory, BesideTheReleasedPagesKeepsItsBytes) {
  constexpr size_t size = 1 << 20, begin = 5000, length = 700000;
  std::vector<char> bytes(size, 'x');
  release_pages(bytes.data() + begin, length);
  EXPECT_TRUE(std::all_of(bytes.begin(), bytes.begin() + begin, [](char c) { return c == 'x'; }));
  EXPECT_TRUE(
      std::all_of(bytes.begin() + begin + length, bytes.end(), [](char c) { return c == 'x'; }));
  std::fill(bytes.begin(), bytes.end(), 'y');  // and all of it can be used again
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 'y'), static_cast<std::ptrdiff_t>(size));
}

TEST(Memory, WithoutAWholePageIsLeftAlone) {
  std::vector<char> bytes(100, 'x');
  release_pages(bytes.data(), bytes.size());
  release_pages(bytes.data(), 0);
  release_pages(nullptr, 0);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 'x'), 100);
}

}  // namespace
}  // namespace softwood
