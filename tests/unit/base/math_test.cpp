#include "base/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace softwood {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The distance in units of the last place of the wanted result.
double ulps(double got, long double wanted) {
  const auto rounded = static_cast<double>(wanted);
  const double size = std::fabs(rounded);
  const double unit = size - std::nextafter(size, 0.0);
  return static_cast<double>(std::fabs(got - wanted) /
                             (unit > 0 ? unit : 4.9406564584124654e-324L));
}

// Numbers of every size, and many where the functions are hardest: near 0 and 1.
std::vector<double> numbers(size_t count) {
  Random random(1, "numbers");
  std::vector<double> all;
  while (all.size() < count) {
    const double uniform = random.uniform();
    all.push_back((uniform - 0.5) * 1490);
    all.push_back((uniform - 0.5) * 4);
    all.push_back(1 + (uniform - 0.5) * 0.01);
    all.push_back((uniform - 0.5) * 1e-3);
    all.push_back(std::ldexp(uniform + 0.5, static_cast<int>(random.below(2040)) - 1020));
    all.push_back(-all.back());
  }
  return all;
}

template <class Own, class Reference>
double largest_error(const Own& own, const Reference& reference) {
  double largest = 0;
  for (const double x : numbers(300000)) {
    const long double wanted = reference(static_cast<long double>(x));
    if (!std::isfinite(static_cast<double>(wanted))) continue;
    largest = std::max(largest, ulps(own(x), wanted));
  }
  return largest;
}

bool has_wide_reference() { return std::numeric_limits<long double>::digits >= 64; }

TEST(Math, ExpIsWithinOneUlp) {
  if (!has_wide_reference()) GTEST_SKIP() << "long double is no wider than double";
  EXPECT_LT(largest_error([](double x) { return math::exp(x); },
                          [](long double x) { return std::exp(x); }),
            1.0);
}

TEST(Math, LogIsWithinOneUlp) {
  if (!has_wide_reference()) GTEST_SKIP() << "long double is no wider than double";
  EXPECT_LT(largest_error([](double x) { return math::log(std::fabs(x)); },
                          [](long double x) { return std::log(std::fabs(x)); }),
            1.0);
}

TEST(Math, AsinhIsWithinTwoUlp) {
  if (!has_wide_reference()) GTEST_SKIP() << "long double is no wider than double";
  EXPECT_LT(largest_error([](double x) { return math::asinh(x); },
                          [](long double x) { return std::asinh(x); }),
            2.0);
}

TEST(Math, EndsOfTheRange) {
  EXPECT_EQ(math::exp(0.0), 1.0);
  EXPECT_EQ(math::exp(-infinity), 0.0);
  EXPECT_EQ(math::exp(infinity), infinity);
  EXPECT_EQ(math::exp(709.782712893384), std::exp(709.782712893384));
  EXPECT_EQ(math::exp(709.782712893385), infinity);
  EXPECT_EQ(math::exp(-745.13), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(math::exp(-745.14), 0.0);
  EXPECT_TRUE(std::isnan(math::exp(NAN)));

  EXPECT_EQ(math::log(1.0), 0.0);
  EXPECT_EQ(math::log(0.0), -infinity);
  EXPECT_EQ(math::log(infinity), infinity);
  EXPECT_EQ(math::log(std::numeric_limits<double>::denorm_min()), -744.4400719213812);
  EXPECT_TRUE(std::isnan(math::log(-1.0)));
  EXPECT_TRUE(std::isnan(math::log(NAN)));

  EXPECT_EQ(math::asinh(0.0), 0.0);
  EXPECT_TRUE(std::signbit(math::asinh(-0.0)));
  EXPECT_EQ(math::asinh(-infinity), -infinity);
  EXPECT_EQ(math::asinh(1e-310), 1e-310);
  EXPECT_DOUBLE_EQ(math::asinh(std::numeric_limits<double>::max()), 710.4758600739439);
  EXPECT_TRUE(std::isnan(math::asinh(NAN)));
}

TEST(Math, ManyAtOnceHaveTheBitsOfOneByOne) {
  std::vector<double> all = numbers(5003);
  all.insert(all.end(), {0.0, -0.0, infinity, -infinity, NAN, 710, -746, 0x1p28, 5e-324});
  std::vector<double> exps = all, asinhs = all;
  math::exp(exps);
  math::asinh(asinhs);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint64_t>(exps[i]), std::bit_cast<uint64_t>(math::exp(all[i])));
    EXPECT_EQ(std::bit_cast<uint64_t>(asinhs[i]), std::bit_cast<uint64_t>(math::asinh(all[i])));
  }
}

// Of the bits of results at points that every machine makes alike. What stands below was printed
// by g++ and clang++; another machine must find the same.
uint64_t checksum(double (*function)(double)) {
  uint64_t sum = 14695981039346656037U;
  for (int i = -20000; i <= 20000; ++i) {
    const double x = i * 0x1.92p-6 + i * static_cast<double>(i) * 0x1p-40;
    sum = (sum ^ std::bit_cast<uint64_t>(function(x))) * 1099511628211U;
  }
  return sum;
}

TEST(Math, SameBitsOnEveryMachine) {
  EXPECT_EQ(checksum([](double x) { return math::exp(x); }), 3042364660800513181U);
  EXPECT_EQ(checksum([](double x) { return math::log(std::fabs(x)); }), 8926814954718021983U);
  EXPECT_EQ(checksum([](double x) { return math::asinh(x); }), 5248274594531186398U);
}

TEST(Math, SoftmaxSumsToOneWhateverTheSize) {
  std::vector<double> scores = {1e6, 1e6 + std::log(3.0), -1e6};
  math::softmax(scores);
  EXPECT_NEAR(scores[0], 0.25, 1e-9);
  EXPECT_NEAR(scores[1], 0.75, 1e-9);
  EXPECT_EQ(scores[2], 0.0);
}

}  // namespace
}  // namespace softwood
