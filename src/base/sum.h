// Sums of doubles in about twice their precision: rounded to a double in the end, they hardly ever
// depend on the order of the terms. Knuth's sum and Dekker's product with their errors, added up as
// in Ogita, Rump & Oishi, "Accurate sum and dot product", 2005.
#pragma once

#include <algorithm>
#include <cmath>

namespace softwood {

// The power of two by which numbers up to `largest` are divided so that sums of their squares and
// products neither overflow nor vanish: 1 for nearly all.
inline double squarable_unit(double largest) {
  constexpr double least = 1e-70, most = 1e70;
  if (!(largest > 0) || (largest > least && largest < most)) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::min(exponent, 1023));
}

// Sums of numbers that do not depend on the order of the terms, nor on whether one comes three
// times or once with the weight 3: numbers are cut in two parts of so few digits that sums of each
// are exact (as in Demmel & Nguyen, "Fast reproducible floating-point summation", 2013). Weights
// are whole numbers.
class OrderlessSum {
 public:
  // Of numbers from 0 up to `largest` that weigh `weight` together.
  OrderlessSum(double largest, double weight) {
    int exponent = 0, weight_exponent = 0;
    std::frexp(largest * weight, &exponent);
    std::frexp(weight, &weight_exponent);
    constexpr int digits = 51;
    high_digits_ = std::ldexp(1.5, exponent - digits + 52);
    low_digits_ = std::ldexp(1.5, exponent - 2 * digits + weight_exponent + 52);
  }
  void add_product(double weight, double x) {
    const double high = (x + high_digits_) - high_digits_, rest = x - high;
    high_ += weight * high;
    low_ += weight * ((rest + low_digits_) - low_digits_);
  }
  double value() const { return high_ + low_; }

 private:
  double high_digits_, low_digits_;  // added and taken away again, they round
  double high_ = 0, low_ = 0;
};

class Sum {
 public:
  void add(double x) {
    const double sum = high_ + x;
    const double part = sum - high_;
    low_ += (high_ - (sum - part)) + (x - part);
    high_ = sum;
  }
  // Factors below 1e290, so that their halves do not overflow.
  void add_product(double a, double b) {
    const double product = a * b;
    const double a_high = upper_half(a), b_high = upper_half(b);
    const double a_low = a - a_high, b_low = b - b_high;
    low_ += a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    add(product);
  }
  double value() const { return high_ + low_; }

 private:
  // The first 26 bits (Veltkamp).
  static double upper_half(double x) {
    constexpr double splitter = 134217729;  // 2^27 + 1
    const double scaled = splitter * x;
    return scaled - (scaled - x);
  }

  double high_ = 0, low_ = 0;
};

}  // namespace softwood
