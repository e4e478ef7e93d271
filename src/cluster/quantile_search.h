// Exact quantiles of rows that are spread over many parts, by counting. Some values bracket where
// to count; counts decide, so that neither the sample nor the parts change a bin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "data/bin_closer.h"
#include "data/table.h"

namespace softwood::cluster {

// What is to be counted of a column: values in the ranges between the edges (an edge belongs to the
// range below it), and one by one in the ranges that are wanted.
struct ColumnQuestion {
  bool asked = false;
  std::vector<double> edges;
  std::vector<uint8_t> wanted;  // by range, one more than edges

  void write(ByteWriter& out) const;
  static ColumnQuestion read(ByteReader& in);
};

// Of all inputs, and of the target last.
struct CountQuestion {
  double weight_unit = 0;  // quantile_unit of the weights; 0: every row weighs 1
  std::vector<ColumnQuestion> columns;

  void write(ByteWriter& out) const;
  static CountQuestion read(ByteReader& in);
  bool any() const;
};

struct RangeCount {
  uint64_t rows = 0;
  double weight = 0;  // a whole number
  double least = missing_number, largest = missing_number;
};
struct ValueWeight {
  double value, weight;
};

struct ColumnAnswer {
  std::vector<RangeCount> ranges;
  std::vector<ValueWeight> values;  // ascending, of the ranges that were wanted
};

class RangeCounts {
 public:
  explicit RangeCounts(const CountQuestion& question);
  RangeCounts() = default;

  void add(const Table& table, const CountQuestion& question);
  void merge(const RangeCounts& other);
  void write(ByteWriter& out) const;
  static RangeCounts read(ByteReader& in);

  std::vector<ColumnAnswer> columns;
};

// Finds the bins of a column, or its median, in as many rounds of questions as it takes.
class QuantileSearch {
 public:
  // `sample`: some of the values of so many rows. `max_bins` 0: the median is searched.
  QuantileSearch(std::vector<double> sample, uint64_t rows, size_t max_bins);

  bool found() const { return found_; }
  // The next question, where nothing was found yet.
  ColumnQuestion question() const { return question_; }
  void take(ColumnAnswer answer);

  const FeatureBins& bins() const { return bins_; }
  double median() const { return median_; }

 private:
  // Ranges of the last answer, with their values where those are known.
  std::span<const ValueWeight> values_of(size_t range, std::vector<ValueWeight>& one) const;
  bool is_known(size_t range) const;
  double total() const;
  void search_bins();
  void search_median();
  void want_ends(size_t from, double passed, double closed, size_t left);
  void ask();

  size_t max_bins_;
  bool found_ = false;
  size_t rounds_ = 0;
  ColumnQuestion question_;
  std::vector<uint8_t> wanted_;
  ColumnAnswer answer_;
  std::vector<size_t> values_begin_;  // of each range in the answer's values
  FeatureBins bins_;
  double median_ = 0;
};

}  // namespace softwood::cluster
