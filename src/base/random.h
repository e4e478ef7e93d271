// Counter-based random numbers: the n-th number of a stream depends on (seed, purpose, index, n)
// alone, so results do not depend on the order in which threads draw.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "base/math.h"

namespace softwood {

// The finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection that mixes all bits.
constexpr uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Random {
 public:
  // `purpose` names what the numbers are for ("folds"); `index` tells streams of one purpose apart.
  Random(uint64_t seed, std::string_view purpose, uint64_t index = 0) : key_(mix64(seed)) {
    for (unsigned char c : purpose) key_ = mix64(key_ ^ c);
    key_ = mix64(key_ ^ mix64(index));
  }

  uint64_t next() { return mix64(key_ ^ mix64(counter_++)); }
  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Uniform in 0 … n-1, n > 0. The bias of the multiplication is below n / 2^64.
  uint64_t below(uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(next()) * n) >> 64);
  }
  // Standard normal by Box and Muller (one of the pair; the other is not kept).
  double normal() {
    const double u = 1.0 - uniform();
    return std::sqrt(-2.0 * math::log(u)) * std::cos(2.0 * std::numbers::pi * uniform());
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  uint64_t key_;
  uint64_t counter_ = 0;
};

}  // namespace softwood
