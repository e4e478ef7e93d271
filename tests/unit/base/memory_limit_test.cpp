#include "base/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace softwood {
namespace {

TEST(MemoryLimit, IsThatOfTheProcessToo) {
  const uint64_t before = most_memory();
  EXPECT_GT(before, uint64_t{1} << 26);
  struct rlimit own {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &own), 0);
  struct rlimit less = own;
  less.rlim_cur = before - 1;
  if (setrlimit(RLIMIT_AS, &less) != 0) GTEST_SKIP() << "limits can't be set here";
  EXPECT_EQ(most_memory(), before - 1);
  setrlimit(RLIMIT_AS, &own);
}

}  // namespace
}  // namespace softwood
