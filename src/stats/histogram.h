// The statistics of binned growth. They are sums of whole numbers, so the order in which rows,
// threads or machines are added up changes nothing; weights and targets that are not whole are
// brought to a fixed scale first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "data/bins.h"

namespace softwood {

// Targets and weights of training rows as whole numbers. value = number * unit.
struct FixedPoint {
  size_t classes = 0;           // 0: regression
  std::vector<uint32_t> klass;  // classification
  std::vector<int64_t> amount;  // regression: weight * (target - centre), in amount_unit
  std::vector<int64_t> weight;  // in weight_unit; empty: all 1
  // A weight_unit of 1 says that weights count copies of rows.
  double weight_unit = 1, amount_unit = 1;

  size_t cell_width() const { return classes > 0 ? classes : 2; }
};

// The unit in which the sum of absolute values stays below 2^62, from that sum and from whether the
// values are whole numbers.
double fixed_point_unit(double total, bool whole);
// Multiplies by that unit, and returns it. The order of the values does not matter.
double to_fixed_point(const std::vector<double>& values, std::vector<int64_t>& fixed);
// The same with a unit that was found before.
void to_fixed_point(const std::vector<double>& values, double unit, std::vector<int64_t>& fixed);
// The unit of numbers that are going to be multiplied by weights; none: 1 each. Neither the order
// of rows nor copies instead of whole weights change it.
double fixed_unit(std::span<const double> values, std::span<const double> weights = {});
// The weight_unit of weights of this sum: 1 only where amounts keep enough digits beside them.
double unit_of_weights(double total, bool whole);
// weight * value in amount_unit. The units must be set.
void set_amounts(FixedPoint& fixed, std::span<const double> values,
                 std::span<const double> weights);

// One split of a tree whose rows are binned: the child of every code, missing included.
struct BinnedSplit {
  uint32_t node, feature, first_child, children;
  uint32_t codes_begin;  // into child_of_code
};

// What is asked of a shard: first divide these nodes, then count these.
struct HistogramQuery {
  std::vector<BinnedSplit> splits;
  std::vector<uint32_t> child_of_code;
  std::vector<uint32_t> nodes;

  void write(ByteWriter& out) const;
  static HistogramQuery read(ByteReader& in);
};

// Some of the training rows, with the node that each has reached. Rows never leave their shard.
class BinnedShard {
 public:
  // Rows `begin` … `end`-1 of the binned rows. The references must outlive the shard.
  BinnedShard(const BinnedRows& rows, const std::vector<FeatureBins>& bins,
              const FixedPoint& target, uint32_t begin, uint32_t end);
  // These of the binned rows.
  BinnedShard(const BinnedRows& rows, const std::vector<FeatureBins>& bins,
              const FixedPoint& target, std::vector<uint32_t> slots);

  // Failure Error where the query does not fit the rows or the splits so far.
  void apply(const HistogramQuery& query, const Control& control = {});
  bool has(uint32_t node) const { return node < parts_.size(); }
  std::span<const uint32_t> slots_of(uint32_t node) const;
  const BinnedRows& rows() const { return rows_; }
  const FixedPoint& target() const { return target_; }
  // First cell of a feature within a node's cells; the last entry is the number of cells.
  const std::vector<uint32_t>& offsets() const { return offsets_; }

 private:
  struct Part {
    uint32_t begin = 0, end = 0;
  };
  void check(const BinnedSplit& split, const HistogramQuery& query) const;

  const BinnedRows& rows_;
  const FixedPoint& target_;
  std::vector<uint32_t> offsets_;
  std::vector<uint32_t> slots_;  // by node
  std::vector<Part> parts_;      // of slots_, by node number
  std::vector<uint32_t> buffer_;
};

// First cell of a feature within a node's cells; the last entry is the number of cells.
std::vector<uint32_t> cell_offsets(const std::vector<FeatureBins>& bins);
// Adds rows to the cells of a node, whose codes must be those of the bins.
void count_rows(const BinnedRows& rows, const FixedPoint& target, std::span<const uint32_t> offsets,
                std::span<const uint32_t> slots, int64_t* cells);

// For each of the nodes asked for, a cell of sums for every code of every feature.
class Histograms {
 public:
  using Query = HistogramQuery;
  static constexpr uint32_t message = 1;

  void add(BinnedShard& shard, const HistogramQuery& query, const Control& control = {});
  void merge(const Histograms& other);
  void write(ByteWriter& out) const { out.vector(sums_); }
  static Histograms read(ByteReader& in);

  // All sums, node after node; offsets() * cell_width() of them each.
  std::vector<int64_t>& sums() { return sums_; }

 private:
  std::vector<int64_t> sums_;
};

// Sum of weight * (target - mean)^2 for every node of a tree, for regression.
struct DeviationQuery {
  std::vector<uint32_t> parent;  // of every node; the root is its own
  std::vector<uint32_t> is_leaf;
  std::vector<double> mean;  // measured from the centre
  double square_unit = 1;
  // Squares of deviations below this one are counted in a smaller unit: beside one that is very far
  // away all others would be 0.
  double fine_below = 0;
  // So many of them are a unit.
  static constexpr double fine_units = 68719476736.0;  // 2^36

  void write(ByteWriter& out) const;
  static DeviationQuery read(ByteReader& in);
};

class Deviations {
 public:
  using Query = DeviationQuery;
  static constexpr uint32_t message = 2;

  void add(BinnedShard& shard, const DeviationQuery& query, const Control& control = {});
  // Of rows that end at a leaf.
  void add(const FixedPoint& target, uint32_t leaf, std::span<const uint32_t> slots,
           const DeviationQuery& query);
  void merge(const Deviations& other);
  void write(ByteWriter& out) const { out.wholes(sums_); }
  static Deviations read(ByteReader& in);
  size_t nodes() const { return sums_.size() / 2; }
  double sum(size_t node, double square_unit) const {
    const auto fine = static_cast<double>(sums_[2 * node + 1]) / DeviationQuery::fine_units;
    return (static_cast<double>(sums_[2 * node]) + fine) * square_unit;
  }

 private:
  std::vector<int64_t> sums_;  // of each node: in units, in small ones
};

}  // namespace softwood
