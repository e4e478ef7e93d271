// Rows as binned growth has them, here or on other machines: a code for every cell, the target, the
// weight. How they are coded is found from all rows together and is the same for all parts.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "base/parallel.h"
#include "data/bins.h"
#include "data/summary.h"
#include "stats/histogram.h"

namespace softwood {

// How rows become whole numbers, and what growing must know of the targets of all rows.
struct RowCoding {
  std::vector<FeatureBins> bins;
  uint64_t classes = 0;  // 0: regression
  double centre = 0;     // regression: what targets are measured from
  double weight_unit = 1, amount_unit = 1;
  double least = 0, largest = 0;  // regression: targets
  double squares = 0;             // regression: sum of weight * (target - centre)^2
  double weight = 0;              // of all rows

  // From the rows of all workers together.
  void set_units(double all_weight, bool whole_weights, const AmountSummary& amounts);
  void set_units(const TableSummary& all, const AmountSummary& amounts) {
    set_units(all.weight.value(), all.whole_weights, amounts);
  }
  size_t cell_width() const { return classes > 0 ? classes : 2; }
  bool is_narrow() const;  // codes fit into one byte
  // Of the inputs' numbers of bins and that of classes: what rows must agree about with those who
  // count them.
  uint64_t stamp() const;

  void write(ByteWriter& out) const;
  static RowCoding read(ByteReader& in);
  // With a header that says the version; reading refuses another one.
  Bytes to_bytes() const;
  static RowCoding from_bytes(const Bytes& bytes);
};

// A data Error where there is no weight, or sums of weights and squares of targets are too large.
void check_sums(const RowCoding& coding);

struct CodedRows {
  BinnedRows codes{0, {}, {}};
  std::vector<uint32_t> klass;  // classification
  std::vector<double> number;   // regression: the target
  std::vector<double> weight;   // empty: 1 each
  std::vector<uint64_t> hash;   // of the content; empty: not wanted
  std::vector<uint16_t> fold;   // empty: the rows are not divided
  uint64_t stamp = 0;           // of the coding; all codes and classes are below its numbers

  size_t rows() const { return klass.size() + number.size(); }
  double row_weight(size_t row) const { return weight.empty() ? 1 : weight[row]; }
  // These of the rows, in this order.
  CodedRows at(std::span<const uint32_t> rows) const;

  Bytes to_bytes() const;
  // The rows of a message. Codes of one byte stay where they are: the bytes must outlive the rows.
  static CodedRows in_place(ByteView bytes);
  // Rows of several messages, one after the other, as rows of their own.
  static CodedRows joined(std::span<const ByteView> parts);
  static CodedRows joined(std::span<const CodedRows> parts);
};

enum class WithHashes { no, yes };
CodedRows code_rows(const Table& table, std::span<const RowIndex> rows, const RowCoding& coding,
                    WithHashes hashes, const Parallel& parallel, const Control& control = {});
FixedPoint fixed_targets(const CodedRows& rows, const RowCoding& coding);

// The coded rows of a training on this machine.
struct CodedTraining {
  RowCoding coding;
  BinnedRows codes{0, {}, {}};
  FixedPoint target;
  std::vector<uint32_t> slot_of_row;  // by row of the table

  CodedTraining(const Table& table, std::span<const RowIndex> rows, size_t bins, bool from_zero,
                const Parallel& parallel, const Control& control);
};

// Made when first asked for, and shared by all trees that are grown from some of the rows, as those
// of cross-validation are. Thread-safe.
class CodedCache {
 public:
  CodedCache(const Table& table, std::span<const RowIndex> rows) : table_(table), rows_(rows) {}

  const Table& table() const { return table_; }
  std::shared_ptr<const CodedTraining> get(size_t bins, bool from_zero, const Parallel& parallel,
                                           const Control& control);

 private:
  const Table& table_;
  std::span<const RowIndex> rows_;
  std::mutex mutex_;
  size_t bins_ = 0;
  bool from_zero_ = false;
  std::shared_ptr<const CodedTraining> coded_;
};

}  // namespace softwood
