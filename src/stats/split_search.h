// Split search: the best way to divide one node by one feature.
//
// Statistics of a set of rows are a cell: the weight of each class, or {weight, sum of targets}.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/schema.h"
#include "stats/entries.h"
#include "stats/monotone.h"
#include "stats/scan.h"
#include "stats/whole.h"

namespace softwood::stats {

// What is to be learned, for the training rows alone: item i belongs to training row i, whatever
// its number in the table is (a slot). Weights are empty when all are 1.
struct Target {
  Target() = default;
  Target(Target&&) = default;
  Target& operator=(Target&&) = default;

  Task task = Task::classification;
  size_t classes = 0;
  std::vector<uint8_t> small_class;   // at most 256 classes
  std::vector<uint32_t> large_class;  // more
  std::span<const double> number;     // regression; may be those of the table
  std::vector<double> own_number;     // where they are not
  double centre = 0;                  // what targets of regression are measured from
  // Regression where weights are whole numbers: value(slot), so that sums are exact in any order.
  WholeNumbers whole;
  std::vector<double> weight;
  // By class: how much more the search counts its rows than the tree does (see altered_weights);
  // contained in `weight`. Empty: 1 each.
  std::vector<double> factor;

  void set_numbers(std::vector<double> numbers) {
    own_number = std::move(numbers);
    number = own_number;
  }
  // Regression: the number of a slot, measured from the centre.
  double value(size_t slot) const { return number[slot] - centre; }
  // The weight of a row as the tree counts it.
  double row_weight(size_t slot) const {
    return factor.empty() ? search_weight(slot) : weight[slot] / factor[class_of(slot)];
  }
  double search_weight(size_t slot) const { return weight.empty() ? 1 : weight[slot]; }
  size_t cell_width() const { return task == Task::classification ? classes : 2; }
  size_t class_of(size_t slot) const {
    return large_class.empty() ? small_class[slot] : large_class[slot];
  }
  EntryFormat entry_format() const {
    if (task == Task::regression) return {number.size(), 0};
    return {large_class.empty() ? small_class.size() : large_class.size(), classes};
  }
  // The entry of a slot in a sorted list, without a mark. `format` is entry_format().
  uint32_t entry(const EntryFormat& format, size_t slot) const {
    const auto plain = static_cast<uint32_t>(slot);
    return format.has_class() ? plain | format.class_part(static_cast<uint32_t>(class_of(slot)))
                              : plain;
  }
};

// Sums of many rows are taken to be right up to the first of these shares; the score of the squared
// error is the square of one, those of other criteria are differences of several.
constexpr double sum_rounding = 1e-13, difference_rounding = 1e-12;

// Working memory of one thread, and whom its long scans ask whether to end; null: nobody.
struct Scratch {
  const Control* control = nullptr;
  std::vector<double> side;   // for Side objects
  std::vector<double> cells;  // a histogram
  std::vector<uint32_t> levels;
  std::vector<uint32_t> level_numbers;  // of all levels of a feature
  std::vector<uint32_t> ranks;          // of targets
  std::vector<uint8_t> counts;          // of a class
};

// How levels are divided. A missing value takes part as one more level.
struct LevelSplit {
  double score = 0;
  uint32_t children = 0;
  std::vector<uint32_t> child;  // of each of the levels that were given
};

// every_level: also levels that the node has no rows of get a child, and only two need enough rows.
// prefix: as subset, but of two classes or numbers only prefixes of the ordered levels (rpart).
enum class NominalSplit { subset, prefix, multiway, every_level };
inline bool is_in_two(NominalSplit kind) {
  return kind == NominalSplit::subset || kind == NominalSplit::prefix;
}

// All subsets are tried up to this number of levels, where the best need not be a prefix of their
// order: of more classes than two, and where min_leaf forbids the best prefix. Above it more
// classes order the levels by the first principal component of their class distributions
// (Coppersmith, Hong & Hosking 1999) and cut them; else the best prefix that min_leaf allows is
// improved by moving levels, and up to `exchanged_levels` by exchanging two.
constexpr size_t exhaustive_levels = 10;
constexpr size_t exchanged_levels = 100;
// With criterion=twoing, and more levels than that, all divisions of up to this many classes in two
// groups are tried instead.
constexpr size_t exhaustive_classes = 8;

// One object per fit; calls are per node and feature, never per row.
class SplitSearch {
 public:
  virtual ~SplitSearch() = default;

  // `known` are entries sorted by value; `missing` are the slots without one: they are tried on
  // both sides. Scores that are clearly below `to_beat` may be passed over.
  virtual Cut best_threshold(std::span<const double> node, std::span<const uint32_t> known,
                             std::span<const uint32_t> missing, double min_leaf, double to_beat,
                             Scratch& scratch) const = 0;
  // The same of the cuts that keep the answers monotone; for two classes, or regression. A usage
  // Error where the criterion does not know them.
  virtual Cut best_monotone_threshold(std::span<const double> node, std::span<const uint32_t> known,
                                      std::span<const uint32_t> missing, double min_leaf,
                                      const Monotone& rule, Scratch& scratch) const;
  // `cells` are bins in ascending order; `missing` is the cell of the rows without a value, or
  // null.
  virtual Cut best_bin(std::span<const double> node, std::span<const double> cells,
                       const double* missing, double min_leaf, Scratch& scratch) const = 0;
  // `cells` are levels, each with some weight.
  virtual LevelSplit best_levels(std::span<const double> node, std::span<const double> cells,
                                 NominalSplit kind, double min_leaf, Scratch& scratch) const = 0;
  // Adds the rows of the slots to the cell of their code: cells[codes[i] * width].
  virtual void add_to_cells(std::span<const uint32_t> slots, std::span<const uint32_t> codes,
                            double* cells) const = 0;

  // Criteria for which sums do not suffice divide levels by the rows themselves, not by cells:
  // codes[i] is the level of slots[i], and each of the levels has some weight.
  virtual bool needs_rows() const { return false; }
  virtual LevelSplit best_levels_of_rows(std::span<const uint32_t> /*slots*/,
                                         std::span<const uint32_t> /*codes*/, size_t /*levels*/,
                                         NominalSplit /*kind*/, double /*min_leaf*/,
                                         Scratch& /*scratch*/) const {
    return {};
  }

  // Decrease of the node's impurity, summed over its weight, that a score stands for.
  virtual double improvement(double score, std::span<const double> node) const = 0;
  // The improvement is that of the squared error: it follows from weights and means alone.
  virtual bool is_squared_error() const { return false; }
  // The improvement per row that may come of rounding alone, where targets are of this magnitude.
  virtual double rounding(double magnitude) const = 0;
};

struct CriterionTraits {
  bool by_ratio = false;    // among features the gain ratio decides
  bool two_sides = false;   // worth of a split in two: not for more children
  bool needs_rows = false;  // sums do not suffice: not for bins, nor for children of missing values
  bool from_zero = false;   // targets are measured from 0, not from their mean
};

struct Criterion {
  std::string name;
  Task task;
  std::string help;
  std::string gain, unit;  // what an improvement is called, per row of the node: 0.2 bits
  std::unique_ptr<SplitSearch> (*make)(const Target&);
  CriterionTraits traits = {};
};
// The table of criteria.
std::span<const Criterion> criteria();

}  // namespace softwood::stats
