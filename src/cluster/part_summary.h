// What must be known of rows that are spread over many parts before any is coded: kinds, levels,
// missing cells, few values, and some of the many. Parts are summarised where they are; summaries
// merge in any order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "cluster/rank_sketch.h"
#include "data/frame.h"
#include "data/summary.h"

namespace softwood::cluster {

constexpr size_t most_levels = 65536;   // of a nominal column
constexpr size_t listed_levels = 1024;  // where there are more than most_levels
constexpr size_t most_values = 4096;    // different numbers of a column that are counted one by one

// What the user said about the columns.
struct ColumnRoles {
  std::string target, weights;  // no target: the last column
  std::vector<std::string> nominal, ignore;
  std::string positive;
  std::optional<Task> task;

  void write(ByteWriter& out) const;
  static ColumnRoles read(ByteReader& in);
};

struct SummaryColumn {
  struct LevelRows {
    uint64_t all = 0, kept = 0;  // kept: with a target
  };
  std::string name;
  bool nominal = false;
  uint64_t missing = 0;                     // among the kept rows
  std::map<std::string, LevelRows> levels;  // nominal
  bool too_many_levels = false;             // then those with the least hashes are listed
  // Numbers of the kept rows that weigh something; of the target those of all kept rows, of columns
  // that are declared nominal those of all rows.
  std::unordered_map<double, uint64_t> values;
  bool many_values = false;  // then none is listed
  double least = missing_number, largest = missing_number;
  bool whole = true;
  // Of many values, for brackets, which decide nothing.
  std::vector<double> sample;
  RankSketch sketch;        // empty: none was asked for
  bool is_target = false;   // its median is asked for, not its bins
  ColumnQuestion brackets;  // by the sketch

  // For the next pass: brackets of so many bins instead of the sketch, or a few hundred values of
  // the sample, in order.
  void condense(uint64_t max_bins);
  // False: from now on there are many values.
  bool count_value(double value);
  // Adds rows of a level.
  void count(const std::string& level, const LevelRows& rows);
  void limit_levels();
  void merge(const SummaryColumn& other);
  void write(ByteWriter& out) const;
  static SummaryColumn read(ByteReader& in);
  std::vector<ValueCount> counts() const;  // of `values`, ascending

 private:
  bool has_no_ranks() const { return many_values && sketch.empty(); }

  uint64_t largest_hash_ = UINT64_MAX;  // that a level may have to be listed
};

class PartSummary {
 public:
  // `sketched`: columns of many numbers get a sketch of their ranks.
  explicit PartSummary(ColumnRoles roles, bool sketched = false)
      : roles_(std::move(roles)), sketched_(sketched) {}
  PartSummary() = default;

  // More rows of the part. Data Errors are those of reading: infinite numbers, bad weights.
  void add(const Frame& frame);
  void end();  // of the rows of the part
  void merge(const PartSummary& other);
  // Summaries of some of the columns each, and one summary of these and the columns that follow.
  std::vector<PartSummary> pieces(size_t count) const;
  void append(PartSummary more);
  void write(ByteWriter& out) const;
  static PartSummary read(ByteReader& in);

  uint64_t rows = 0, kept = 0, weighing = 0;
  std::vector<SummaryColumn> columns;
  ExactSum weight;  // of the kept rows
  bool whole_weights = true;

  // Null where there is none.
  const SummaryColumn* find(const std::string& name) const;

 private:
  size_t target_of(const Frame& frame) const;
  void add_weights(const Frame& frame, std::span<const RowIndex> known);
  void add_numbers(size_t place, const Column& cells, std::span<const RowIndex> known);
  static void add_levels(SummaryColumn& column, const FrameColumn& from,
                         std::span<const RowIndex> known);

  ColumnRoles roles_;
  bool sketched_ = false;
  uint64_t step_ = 1;                                   // every so many-th row is in the sample
  std::vector<std::optional<RankSketcher>> sketchers_;  // by column, while rows are added
};

// The schema as training_table decides it, with the same errors and most of its notes.
Schema schema_of(const PartSummary& summary, const ColumnRoles& roles, const Control& control);

}  // namespace softwood::cluster
