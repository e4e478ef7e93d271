// A quantised view of some rows of a table: every input in a few hundred bins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "data/summary.h"

namespace softwood {

// The cuts of one input: bin b holds values in (cuts[b-1], cuts[b]], the last bin those above all
// cuts. A nominal input has one bin a level. One more code, `bins`, stands for missing.
struct FeatureBins {
  uint32_t bins = 0;
  std::vector<double> cuts;
};

// At most `max_bins` bins of about equal weight of rows, by exact quantiles of all of them; values
// that are few keep a bin each.
std::vector<FeatureBins> make_bins(const Table& table, std::span<const RowIndex> rows,
                                   size_t max_bins, const Parallel& parallel,
                                   const Control& control = {});

// The same of a numeric or ordinal input all of whose values are counted, each row weighing 1.
FeatureBins bins_of_values(std::span<const ValueCount> values, size_t max_bins);

// The codes of the rows, row after row: code(slot, feature). One byte each when that is enough.
class BinnedRows {
 public:
  BinnedRows(const Table& table, std::span<const RowIndex> rows,
             const std::vector<FeatureBins>& bins, const Parallel& parallel,
             const Control& control = {});
  // Codes that were made before, row after row: of one byte each, or of four.
  BinnedRows(size_t features, std::vector<uint8_t> narrow, std::vector<uint32_t> wide);
  // Codes of one byte that are elsewhere and must outlive these rows.
  BinnedRows(size_t features, std::span<const uint8_t> codes);

  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): set by the constructor
  size_t rows() const { return rows_; }
  size_t features() const { return features_; }
  bool is_narrow() const { return wide_.empty(); }
  template <class Code>
  const Code* codes(size_t slot) const {
    if constexpr (sizeof(Code) == 1) {
      return narrow_.data() + slot * features_;
    } else {
      return wide_.data() + slot * features_;
    }
  }
  std::span<const uint8_t> narrow() const { return narrow_; }
  std::span<const uint32_t> wide() const { return wide_; }
  uint32_t code(size_t slot, size_t feature) const {
    return is_narrow() ? codes<uint8_t>(slot)[feature] : codes<uint32_t>(slot)[feature];
  }

 private:
  void own(std::vector<uint8_t> narrow, std::vector<uint32_t> wide);

  size_t rows_ = 0, features_ = 0;
  // Copies share the codes.
  std::shared_ptr<const std::vector<uint8_t>> own_narrow_;
  std::shared_ptr<const std::vector<uint32_t>> own_wide_;
  std::span<const uint8_t> narrow_;
  std::span<const uint32_t> wide_;
};

}  // namespace softwood
