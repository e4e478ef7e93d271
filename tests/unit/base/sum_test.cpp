#include "base/sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

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

TEST(OrderlessSum, IsTheSameInAnyOrderAndOfCopies) {
  Random random(3, "sums");
  std::vector<double> numbers;
  for (int i = 0; i < 999; ++i) numbers.push_back(random.uniform() * random.uniform());
  const auto sum_of = [&](double weight, int copies) {
    OrderlessSum sum(1, weight * copies * static_cast<double>(numbers.size()));
    for (int copy = 0; copy < copies; ++copy) {
      for (const double number : numbers) sum.add_product(weight, number);
    }
    return sum.value();
  };
  const double sum = sum_of(3, 1);
  EXPECT_EQ(sum_of(1, 3), sum);
  for (int i = 0; i < 20; ++i) {
    random.shuffle(numbers);
    EXPECT_EQ(sum_of(3, 1), sum);
  }
}

TEST(OrderlessSum, HasTheDigitsOfADouble) {
  // 1/3 a thousand times, and 2^-30 as often.
  OrderlessSum sum(1, 2000);
  Sum expected;
  for (int i = 0; i < 1000; ++i) {
    for (const double number : {1.0 / 3, 0x1p-30}) {
      sum.add_product(1, number);
      expected.add(number);
    }
  }
  EXPECT_EQ(sum.value(), expected.value());
}

TEST(OrderlessSum, OfZerosIsZero) {
  OrderlessSum sum(0, 2);
  sum.add_product(2, 0);
  EXPECT_EQ(sum.value(), 0);
}

}  // namespace
}  // namespace softwood
