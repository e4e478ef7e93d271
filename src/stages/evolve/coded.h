// The training rows as the search sees them: inputs as codes between the thresholds that a tree may
// use, equal rows merged to one with the sum of their weights, and the rows of each answer to each
// question as bits.
//
// A threshold is worth trying only where two neighbouring values belong to different classes
// (Fayyad & Irani 1993, used by Krętowski & Grześ 2005, section 2.1): a boundary threshold. With
// more than two classes, values of one and the same class on both sides make no boundary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/control.h"
#include "base/parallel.h"
#include "data/sorted.h"
#include "engine/merged.h"
#include "stages/evolve/bits.h"

namespace softwood::evolve {

// All boundary thresholds of each numeric or ordinal input, ascending; none for nominal inputs.
// Each is halfway between the two values. In regression all thresholds are boundaries. Sorting the
// inputs asks `control` and throws an Error when it is interrupted.
using Cuts = std::vector<std::vector<double>>;
Cuts boundary_cuts(Derived& derived, std::span<const RowIndex> rows, const Parallel& parallel,
                   const Control& control = {});
// All thresholds halfway between neighbouring values. Where other tests come below, the best cut
// need not be a boundary: the rows on both sides of it may have one class for different reasons.
Cuts all_cuts(Derived& derived, std::span<const RowIndex> rows, const Parallel& parallel,
              const Control& control = {});

// At most `most` of the cuts of each input, evenly by rank.
Cuts quantiles(const Cuts& cuts, size_t most);
// The cuts in `used`, and at most `most` of `all` for each input from around those: between the
// neighbours that a used cut has in `coarse`. `coarse` is a subset of `all`.
Cuts finer_cuts(const Cuts& all, const Cuts& coarse, const Cuts& used, size_t most);

// One input.
struct Axis {
  bool nominal = false;
  bool any_missing = false;
  uint32_t values = 0;          // codes are below it; this code itself: missing
  std::vector<double> cuts;     // values - 1 of them: code c is up to cuts[c] and above cuts[c - 1]
  std::vector<uint32_t> codes;  // of the rows
  // Every step-th cut has its rows with lower or equal codes as bits; the rows between two such
  // sets are found in `order`, rows by code. Levels have a set each, or, when they are too many,
  // none: then they are `listed`, and their rows are found in `order`.
  uint32_t step = 1;
  bool listed = false;
  std::vector<uint32_t> order;
  std::vector<uint32_t> up_to;  // up_to[c]: rows with a code of at most c
  Bits sets;
  Bits missing;  // empty when no row is

  bool usable() const { return values > 1; }
};

class CodedRows {
 public:
  // Rows with weight only. `merge` false: rows stay apart even if equal, in their order. The sets
  // of cuts and levels get at most so many words; beyond that only every step-th cut has one, and
  // no level of an input that has more. Throws an Error when it is interrupted.
  static constexpr size_t usual_set_words = size_t{8} << 20U;
  CodedRows(const Table& table, std::span<const RowIndex> rows, const Cuts& cuts, bool merge,
            const Parallel& parallel, const Control& control = {},
            size_t set_words = usual_set_words);
  // Rows that were merged before, with the cuts of their bins.
  CodedRows(const MergedRows& merged, const Schema& schema, const Parallel& parallel,
            const Control& control = {});

  size_t rows() const { return rows_; }
  size_t words() const { return words_; }
  size_t classes() const { return classes_; }  // 0: regression
  size_t sums_width() const { return classes_ > 0 ? classes_ : 3; }
  const std::vector<Axis>& axes() const { return axes_; }
  const Word* all() const { return all_.data(); }
  double weight() const { return total_weight_; }
  double weight_of(size_t row) const { return static_cast<double>(weight_[row]) * weight_unit_; }
  // The weight as a whole number of units that all rows share: sums of it are exact.
  int64_t units_of(size_t row) const { return weight_[row]; }
  // Whether all rows weigh the same, and the weight of the heaviest.
  bool weigh_alike() const { return alike_; }
  double most_weight() const { return most_weight_; }
  // Whether all rows but some weigh one unit, and body(row) for those of a set that weigh more.
  bool mostly_ones() const { return mostly_ones_; }
  template <class Body>
  void each_heavy(const Word* set, const Body& body) const {
    for (size_t w = 0; w < words_; ++w) {
      for (Word rest = set[w] & heavy_[w]; rest != 0; rest &= rest - 1) {
        body(w * word_bits + static_cast<size_t>(std::countr_zero(rest)));
      }
    }
  }
  const Word* class_set(uint32_t k) const { return &class_sets_[k * words_]; }
  uint32_t class_of(size_t row) const { return klass_[row]; }
  // Regression: mean target of a row, measured from the mean of all.
  double target_of(size_t row) const {
    return static_cast<double>(amount_[row]) * amount_unit_ / weight_of(row);
  }
  // Regression: weighted squared error of answering a row with a number measured so.
  double squared_error(size_t row, double answer) const {
    return static_cast<double>(square_[row]) * square_unit_ -
           2 * answer * static_cast<double>(amount_[row]) * amount_unit_ +
           answer * answer * weight_of(row);
  }
  // One of those merged, where they were merged here.
  RowIndex table_row(size_t row) const { return table_row_[row]; }

  // Rows that "value <= cut" sends to the first child, those without a value included when
  // `missing_first`. Either stored bits or `scratch`, of words() words.
  const Word* first_side(const Axis& axis, uint32_t cut, bool missing_first, Word* scratch) const;
  // The rows of a level: stored bits, or, where levels are listed, `scratch`.
  const Word* level(const Axis& axis, uint32_t level, Word* scratch) const;

  // Weight of each class, or weight, sum and sum of squares of the targets, of the `count` rows of
  // a set. Exact, so in any order the same.
  void sums(const Word* set, size_t count, double* out) const;
  // Adds one row to such sums.
  void add_row(size_t row, double* sums) const {
    if (classes_ > 0) {
      sums[klass_[row]] += weight_of(row);
      return;
    }
    sums[0] += weight_of(row);
    sums[1] += static_cast<double>(amount_[row]) * amount_unit_;
    sums[2] += static_cast<double>(square_[row]) * square_unit_;
  }
  // The same of the rows of a set that have a level, where levels are listed.
  void level_sums(const Axis& axis, uint32_t level, const Word* set, double* out) const;

 private:
  struct Fixed {
    std::vector<int64_t> weight, amount, square;
  };
  Fixed fixed_targets(const Table& table, std::span<const RowIndex> rows);
  void add_targets(const Fixed& fixed, std::span<const uint32_t> merged_row);
  void note_weights();
  void merge_rows(const Table& table, std::span<const RowIndex> rows, bool merge,
                  const Control& control);
  void make_sets(const Parallel& parallel, const Control& control, size_t set_words);
  void make_axis_sets(Axis& axis, size_t most_sets) const;
  void make_class_sets();
  void class_sums(const Word* set, size_t count, double* out) const;
  template <class EachRow>
  void target_sums(const EachRow& each_row, double* out) const;

  size_t rows_ = 0, words_ = 0, classes_ = 0;
  std::vector<Axis> axes_;
  Bits all_;
  std::vector<RowIndex> table_row_;
  std::vector<uint32_t> klass_;
  // Fixed point, so that sums do not depend on order (stats/histogram.h).
  std::vector<int64_t> weight_, amount_, square_;
  double weight_unit_ = 1, amount_unit_ = 1, square_unit_ = 1, total_weight_ = 0, most_weight_ = 0;
  bool alike_ = true;
  Bits class_sets_;
  // Weights are counted as 1 with what a few rows weigh more, or by their bits as sets, or, when
  // neither is possible (planes_ is 0), row by row.
  bool mostly_ones_ = true;
  Bits heavy_;  // rows that do not weigh 1 unit
  size_t planes_ = 0;
  Bits plane_sets_;
};

}  // namespace softwood::evolve
