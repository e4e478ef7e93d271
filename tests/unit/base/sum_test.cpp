#include "base/sum.h"

#include <gtest/gtest.h>

namespace softwood {
namespace {

TEST(Sum, IsRightToTheLastBitWhereTermsCancel) {
  Sum sum;
  for (const double x : {1e16, 1.0, 1.0, -1e16}) sum.add(x);
  EXPECT_EQ(sum.value(), 2);
  Sum products;
  products.add_product(134217729, 134217729);  // 2^54 + 2^28 + 1 needs 55 bits
  products.add(-18014398777917440.0);
  EXPECT_EQ(products.value(), 1);
}

}  // namespace
}  // namespace softwood
