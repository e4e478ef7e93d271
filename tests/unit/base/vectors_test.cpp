#include "base/vectors.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

SOFTWOOD_BODY int doubled_body(int value) { return 2 * value; }
int doubled(int value) { return doubled_body(value); }
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 int doubled_avx2(int value) { return doubled_body(value); }
SOFTWOOD_AVX512 int doubled_avx512(int value) { return doubled_body(value); }
#endif

TEST(Vectors, VersionsOfAFunctionThatTheProcessorCanRunAreTheSame) {
  EXPECT_EQ(doubled(21), 42);
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  EXPECT_EQ(use_avx2() ? doubled_avx2(21) : 42, 42);
  EXPECT_EQ(use_avx512() ? doubled_avx512(21) : 42, 42);
#endif
}

TEST(Vectors, Avx512IsUsedOnlyWithAvx2) { EXPECT_TRUE(!use_avx512() || use_avx2()); }

}  // namespace
}  // namespace softwood
