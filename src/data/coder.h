// The number of cuts below a value.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace softwood {

// Finds the code of a value: the number of cuts below it. An even grid over the cuts tells how many
// are below the value's cell; those in the cell, mostly none or one, are compared.
class Coder {
 public:
  explicit Coder(const std::vector<double>& cuts)
      : cuts_(cuts), cells_(std::bit_ceil(std::clamp(cuts.size(), fewest_cells, most_cells))) {
    if (!cuts.empty()) {
      low_ = cuts.front();
      const double range = cuts.back() - cuts.front();
      if (std::isfinite(range) && range > 0) scale_ = static_cast<double>(cells_ - 1) / range;
    }
    last_ = static_cast<double>(cells_ - 1);
    below_.assign(cells_ + 1, 0);
    for (const double cut : cuts) ++below_[cell(cut) + 1];
    for (size_t c = 1; c <= cells_; ++c) below_[c] += below_[c - 1];
    cuts_.push_back(std::numeric_limits<double>::infinity());
  }

  // One more than there are cuts.
  size_t codes() const { return cuts_.size(); }
  uint32_t code(double x) const {
    const size_t c = cell(x);
    uint32_t code = below_[c];
    constexpr uint32_t few = 8;
    if (below_[c + 1] - code > few) {
      const auto begin = cuts_.begin() + code, end = cuts_.begin() + below_[c + 1];
      return static_cast<uint32_t>(std::lower_bound(begin, end, x) - cuts_.begin());
    }
    // Mostly one is enough: it is added without a branch that could be guessed wrong.
    code += cuts_[code] < x ? 1 : 0;
    while (cuts_[code] < x) ++code;
    return code;
  }

 private:
  static constexpr size_t fewest_cells = 4096, most_cells = 65536;
  // Never decreases with x, so that cuts of lower cells are below x.
  size_t cell(double x) const {
    const double position = (x - low_) * scale_;
    return static_cast<size_t>(static_cast<int32_t>(std::min(std::max(0.0, position), last_)));
  }

  std::vector<double> cuts_;
  size_t cells_;
  std::vector<uint32_t> below_;
  double low_ = 0, scale_ = 0, last_ = 0;
};

}  // namespace softwood
