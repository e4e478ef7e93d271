#include "base/math.h"

#include <algorithm>

#include "base/vectors.h"

namespace softwood::math {

namespace {

SOFTWOOD_BODY void exp_body(std::span<double> values) {
  for (double& value : values) value = exp(value);
}
SOFTWOOD_BODY void asinh_body(std::span<double> values) {
  for (double& value : values) value = asinh(value);
}

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
SOFTWOOD_AVX2 void exp_avx2(std::span<double> values) { exp_body(values); }
SOFTWOOD_AVX2 void asinh_avx2(std::span<double> values) { asinh_body(values); }
#endif

}  // namespace

void exp(std::span<double> values) {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx2()) return exp_avx2(values);
#endif
  exp_body(values);
}

void asinh(std::span<double> values) {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx2()) return asinh_avx2(values);
#endif
  asinh_body(values);
}

void softmax(std::span<double> values) {
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) sum += value = exp(value - top);
  for (double& value : values) value /= sum;
}

}  // namespace softwood::math
