// Functions that are compiled twice or more: for every processor, and for those of x86-64 with AVX2
// or AVX-512, chosen when the program runs. All give the same results.
#pragma once

#if defined(__x86_64__)
#define SOFTWOOD_HAS_AVX2_FUNCTIONS 1
#define SOFTWOOD_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define SOFTWOOD_AVX512 __attribute__((target("avx512f,avx512dq,avx2,bmi,popcnt")))
#define SOFTWOOD_AVX512_BYTES \
  __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx2,bmi,popcnt")))
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

inline bool use_avx512() {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  static const bool supported = use_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
                                __builtin_cpu_supports("avx512dq") != 0;
  return supported;
#else
  return false;
#endif
}

// Vectors of bytes and short vectors, too.
inline bool use_avx512_bytes() {
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  static const bool supported = use_avx512() && __builtin_cpu_supports("avx512bw") != 0 &&
                                __builtin_cpu_supports("avx512vl") != 0 &&
                                __builtin_cpu_supports("avx512cd") != 0;
  return supported;
#else
  return false;
#endif
}

}  // namespace softwood
