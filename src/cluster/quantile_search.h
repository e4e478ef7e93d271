// Exact quantiles of rows that are spread over many parts, by counting. Some values bracket where
// to count; counts decide, so that neither the sample nor the parts change a bin.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "data/bin_closer.h"
#include "data/coder.h"
#include "data/table.h"

namespace softwood::cluster {

// So many values of a column are asked for one by one; more are counted in finer ranges first.
constexpr uint64_t most_listed_values = 200000;
// Into how many pieces each of so many ranges is divided.
uint64_t finer_pieces(uint64_t divided);

// What is to be done with the values of a range.
enum class RangeWork : uint8_t { count, list, divide };

// What is to be counted of a column, in the ranges between the edges (an edge belongs to the range
// below it). It says all that the search knows, so that it goes on wherever the answers meet.
struct ColumnQuestion {
  bool asked = false;
  uint64_t max_bins = 0;  // 0: the median is searched
  uint64_t rounds = 0;    // of dividing so far
  uint64_t finer = 1;     // a range that is divided becomes so many
  std::vector<double> edges;
  std::vector<RangeWork> work;  // by range, one more than edges

  // The first question: `knots` are some values in order, between the least and the largest, and
  // bracket what is searched in so many rows in so many parts.
  static ColumnQuestion first(std::span<const double> knots, double least, double largest,
                              uint64_t rows, size_t parts, size_t max_bins);
  // The same with all edges: no range is divided any more.
  ColumnQuestion expanded() const;
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

// A range whose values are all equal knows them. Of others the least value is known where the range
// below is listed: a bin may end there. What is not known is infinite.
struct RangeCount {
  uint64_t rows = 0;
  double weight = 0;  // a whole number
  double least = missing_number, largest = missing_number;

  bool is_single() const { return rows > 0 && least == largest; }
};
struct ValueWeight {
  double value, weight;
};

struct ColumnAnswer {
  std::vector<RangeCount> ranges;   // of the expanded question; none: not asked
  std::vector<ValueWeight> values;  // ascending, of the ranges that are listed
};

// Answers of columns that follow each other.
struct RangeCounts {
  uint64_t first = 0;
  std::vector<ColumnAnswer> columns;

  void merge(const RangeCounts& other);
  void write(ByteWriter& out) const;
  static RangeCounts read(ByteReader& in);
};

// Counts the rows of a part. Columns that are not asked about need not be in the table.
class RangeCounter {
 public:
  explicit RangeCounter(const CountQuestion& question);
  RangeCounter() = default;

  // Column by column through all tables: the counts of a column fill the cache.
  void add(std::span<const Table> tables);
  std::vector<RangeCounts> pieces(size_t count);

 private:
  // What was found in a range: little, so that many ranges fit into the cache.
  struct RangeSeen {
    double least = missing_number;
    uint32_t rows = 0;    // since the last sum
    bool differ = false;  // values

    void add(double value) {
      // Missing before the first value.
      differ |= least < value || value < least;
      if (!(least <= value)) least = value;
      ++rows;
    }
  };
  struct Counting {
    ColumnQuestion question;  // expanded
    std::optional<Coder> coder;
    std::vector<RangeSeen> seen;  // by range
    uint64_t counted = 0;         // rows since the last sum
    bool lists = false;           // some range
    ColumnAnswer answer;
    size_t sorted = 0;  // values so far
  };
  void add_column(Counting& counting, const Column& column, const Table& table) const;
  template <class ValueOf>
  static void add_plain(Counting& counting, size_t rows, const ValueOf& value_of);
  void add_weighted(Counting& counting, const Column& column, const Table& table) const;
  static void sum_up(Counting& counting);
  static void seal(Counting& counting);

  double weight_unit_ = 0;
  std::vector<Counting> columns_;
};

// What has become of a column that was asked about: its bins or its median, or what to ask next.
struct ColumnFinding {
  // Ranges of the next question, by the last of the ranges (of the expanded question) in each.
  struct NextRange {
    uint64_t last = 0;
    RangeWork work = RangeWork::count;
  };
  std::vector<NextRange> next;  // none: found
  FeatureBins bins;
  double median = 0;

  ColumnQuestion question_after(const ColumnQuestion& before) const;
  void write(ByteWriter& out) const;
  static ColumnFinding read(ByteReader& in);
};
ColumnFinding search_quantiles(const ColumnQuestion& question, const ColumnAnswer& answer);

}  // namespace softwood::cluster
