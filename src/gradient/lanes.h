// Vectors of numbers that one instruction works on, for code that is compiled for several
// processors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/vectors.h"

namespace softwood::gradient {

// Several numbers at a time: 8 floats or 4 doubles, in one AVX register or two of SSE2. Sums over
// rows are made of these by all processors, so that all add in the same order.
template <class Number>
struct Lanes;
template <>
struct Lanes<float> {
  using Real = float;
  using Vec __attribute__((vector_size(32), may_alias)) = float;
  using Bits __attribute__((vector_size(32), may_alias)) = int32_t;
  static constexpr size_t count = 8;
  static constexpr float most = 87, magic = 12582912.0F;  // 1.5 * 2^23
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
  static constexpr int mantissa = 23, bias = 127, degree = 7;
};
template <>
struct Lanes<double> {
  using Real = double;
  using Vec __attribute__((vector_size(32), may_alias)) = double;
  using Bits __attribute__((vector_size(32), may_alias)) = int64_t;
  static constexpr size_t count = 4;
  static constexpr double most = 700, magic = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double ln2_high = 0.693145751953125, ln2_low = 1.42860682030941723212e-6;
  static constexpr int mantissa = 52, bias = 1023, degree = 13;
};

// Twice as many, in one register of AVX-512: for what is done to each number by itself.
template <class Number>
struct WideLanes;
template <>
struct WideLanes<float> : Lanes<float> {
  using Vec __attribute__((vector_size(64), may_alias)) = float;
  using Bits __attribute__((vector_size(64), may_alias)) = int32_t;
  static constexpr size_t count = 16;
};
template <>
struct WideLanes<double> : Lanes<double> {
  using Vec __attribute__((vector_size(64), may_alias)) = double;
  using Bits __attribute__((vector_size(64), may_alias)) = int64_t;
  static constexpr size_t count = 8;
};

// exp(x), held between exp(-most) and exp(most): 2^n times the Taylor sum of the rest, whose next
// term is below half a unit in the last place.
template <class L>
SOFTWOOD_BODY void exponential(typename L::Vec& x) {
  using Real = typename L::Real;
  using Vec = typename L::Vec;
  using Bits = typename L::Bits;
  const Vec most = L::most - Vec{}, least = -most;
  x = x > most ? most : x;
  x = x < least ? least : x;
  const Vec shifted = x * Real(1.44269504088896340736) + L::magic;
  const Vec whole = shifted - L::magic;
  const Vec rest = (x - whole * L::ln2_high) - whole * L::ln2_low;
  Vec sum = Real(1) / Real(L::degree) * rest + Real(1);
  for (int k = L::degree - 1; k >= 1; --k) sum = rest * sum * (Real(1) / Real(k)) + Real(1);
  using Int = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
  const Bits exponent =
      (reinterpret_cast<Bits>(shifted) << L::mantissa) + (static_cast<Int>(L::bias) << L::mantissa);
  x = sum * reinterpret_cast<Vec>(exponent);
}

template <class Real>
SOFTWOOD_BODY Real sum_of(const typename Lanes<Real>::Vec& v) {
  Real sum = v[0];
  for (size_t l = 1; l < Lanes<Real>::count; ++l) sum += v[l];
  return sum;
}

// The sums of eight vectors, one after the other in `sums`. Their halves are added to each other,
// for all vectors at once: a sum of each by itself would take longer than what is summed.
SOFTWOOD_BODY void sums_of(const Lanes<float>::Vec (&v)[8], float* sums) {
  using Vec = Lanes<float>::Vec;
  Vec pairs[4], fours[2];
  for (size_t i = 0; i < 4; ++i) {
    const Vec &a = v[2 * i], &b = v[2 * i + 1];
    pairs[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (size_t i = 0; i < 2; ++i) {
    const Vec &a = pairs[2 * i], &b = pairs[2 * i + 1];
    fours[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
  const Vec all = __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                  __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
  for (size_t i = 0; i < 8; ++i) sums[i] = all[i];
}
SOFTWOOD_BODY void sums_of(const Lanes<double>::Vec (&v)[8], double* sums) {
  for (size_t i = 0; i < 8; ++i) sums[i] = sum_of<double>(v[i]);
}

// Two vectors side by side.
SOFTWOOD_BODY void join(const Lanes<float>::Vec& a, const Lanes<float>::Vec& b,
                        WideLanes<float>::Vec& to) {
  to = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
SOFTWOOD_BODY void join(const Lanes<double>::Vec& a, const Lanes<double>::Vec& b,
                        WideLanes<double>::Vec& to) {
  to = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
SOFTWOOD_BODY void divide(const WideLanes<float>::Vec& from, Lanes<float>::Vec& a,
                          Lanes<float>::Vec& b) {
  a = __builtin_shufflevector(from, from, 0, 1, 2, 3, 4, 5, 6, 7);
  b = __builtin_shufflevector(from, from, 8, 9, 10, 11, 12, 13, 14, 15);
}
SOFTWOOD_BODY void divide(const WideLanes<double>::Vec& from, Lanes<double>::Vec& a,
                          Lanes<double>::Vec& b) {
  a = __builtin_shufflevector(from, from, 0, 1, 2, 3);
  b = __builtin_shufflevector(from, from, 4, 5, 6, 7);
}

// The numbers from here on, at the beginning of a register.
template <class L>
SOFTWOOD_BODY const typename L::Vec& lanes_at(const typename L::Real* p) {
  return *reinterpret_cast<const typename L::Vec*>(p);
}
template <class L>
SOFTWOOD_BODY typename L::Vec& lanes_at(typename L::Real* p) {
  return *reinterpret_cast<typename L::Vec*>(p);
}

}  // namespace softwood::gradient
