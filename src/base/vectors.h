// Functions that are compiled twice: for every processor, and for those of x86-64 with AVX2, chosen
// when the program runs. Both give the same results.
#pragma once

#if defined(__x86_64__)
#define SOFTWOOD_HAS_AVX2_FUNCTIONS 1
#define SOFTWOOD_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#endif
// For the common body of both versions: compiled as the function that it is put into.
#define SOFTWOOD_BODY inline __attribute__((always_inline))

namespace softwood {

inline bool use_avx2() {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  static const bool supported = __builtin_cpu_supports("avx2") != 0 &&
                                __builtin_cpu_supports("bmi") != 0 &&
                                __builtin_cpu_supports("popcnt") != 0;
  return supported;
#else
  return false;
#endif
}

}  // namespace softwood
