#include "base/sort.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "softwood/error.h"

namespace softwood {
namespace {

TEST(SortUnlessStopped, SortsAnyNumberOfItems) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{1000}, rows_between_asks,
                             2 * rows_between_asks + 1, 3 * rows_between_asks - 7}) {
    std::vector<uint32_t> items(count);
    std::iota(items.begin(), items.end(), 0U);
    std::vector<uint32_t> expected = items;
    Random random(1, "sort");
    random.shuffle(items);
    std::reverse(expected.begin(), expected.end());
    sort_unless_stopped(items.begin(), items.end(), std::greater<>(), {});
    EXPECT_EQ(items, expected);
  }
}

TEST(SortUnlessStopped, AsksBeforeEveryBlock) {
  size_t asked = 0;
  Control control;
  control.interrupt = [&] { return ++asked > 3; };
  std::vector<uint32_t> items(4 * rows_between_asks);
  std::iota(items.begin(), items.end(), 0U);
  EXPECT_THROW(sort_unless_stopped(items.begin(), items.end(), std::less<>(), control), Error);
  EXPECT_EQ(asked, 4U);
}

}  // namespace
}  // namespace softwood
