// What must be known of a table as a whole before a tree is grown from parts of it. Each part of
// the rows is summarised where it is; summaries merge in any order and any grouping to the same
// bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "base/parallel.h"
#include "data/table.h"

namespace softwood {

// A sum of doubles without rounding: a whole number of 2^-1074, the smallest double.
class ExactSum {
 public:
  void add(double value);  // a finite one
  void merge(const ExactSum& other);
  double value() const;  // depends on the sum alone
  void write(ByteWriter& out) const;
  static ExactSum read(ByteReader& in);

 private:
  static constexpr unsigned digit_bits = 32;
  static constexpr size_t digits = 67;  // 2098 bits of doubles, and 46 for the sum of them
  using Digits = std::array<int64_t, digits>;
  // Every digit but the last in [0, 2^32): one form for every sum.
  Digits normalised() const;

  // Lowest first. Between two normalisations each takes 2^31 numbers, more than a table has.
  Digits digits_{};
};

struct ValueCount {
  double value;
  uint64_t rows;
};
// How many of the rows have each value of a numeric or ordinal column, ascending; -0 is 0.
std::vector<ValueCount> count_values(const Column& column, std::span<const RowIndex> rows,
                                     const Control& control = {});

struct LevelCount {
  std::string name;
  uint64_t rows;
  bool operator==(const LevelCount&) const = default;
};

// Quantiles are found by counting: in one pass where a column has few values; else its brackets say
// in which one a quantile is, and a second pass counts the values of that bracket alone.
struct ColumnSummary {
  // More different values than this are counted by bracket.
  static constexpr size_t most_values = 4096;

  std::string name;
  Kind kind = Kind::numeric;
  uint64_t missing = 0;
  std::vector<LevelCount> levels;  // nominal, ordinal: those of the schema, by name
  // Numeric columns. Values that share a bracket are counted under the bracket's lowest value.
  double least = missing_number, largest = missing_number;  // NaN: there are no values
  bool by_bracket = false;
  std::vector<ValueCount> values;  // ascending

  // The lowest value of the bracket that a value is in: brackets are the same for all columns,
  // sixteen between any power of two and the next.
  static double bracket_of(double value);
  void merge(const ColumnSummary& other);
  void write(ByteWriter& out) const;
  static ColumnSummary read(ByteReader& in);

 private:
  friend ColumnSummary summarise(const Column&, const Feature&, std::span<const RowIndex>,
                                 const Control&);
  void count_by_bracket();
};
ColumnSummary summarise(const Column& column, const Feature& feature,
                        std::span<const RowIndex> rows, const Control& control = {});

struct TableSummary {
  uint64_t rows = 0;
  std::vector<ColumnSummary> inputs;
  ColumnSummary target;
  ExactSum weight;            // of all rows
  ExactSum target_sum;        // weight * target; classes have their counts in `target`
  bool whole_weights = true;  // every weight is a whole number

  // Data Error where the other one has other columns.
  void merge(const TableSummary& other);
  // With a header that says the version; reading refuses another one.
  Bytes to_bytes() const;
  static TableSummary from_bytes(const Bytes& bytes);
};
TableSummary summarise(const Table& table, std::span<const RowIndex> rows, const Parallel& parallel,
                       const Control& control = {});

// Of a numeric target, in a second pass: how large weight * (target - centre) is, when the centre
// of all rows together is known.
struct AmountSummary {
  ExactSum size;                                            // of the absolute values
  ExactSum squares;                                         // of weight * (target - centre)^2
  double least = missing_number, largest = missing_number;  // targets; NaN: there are none
  bool whole = true;                                        // every one is a whole number

  void add(double target, double weight, double centre);
  void merge(const AmountSummary& other);
  void write(ByteWriter& out) const;
  static AmountSummary read(ByteReader& in);
};
AmountSummary summarise_amounts(const Table& table, std::span<const RowIndex> rows, double centre,
                                const Control& control = {});

}  // namespace softwood
