// What exact and binned growth share.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "stages/grow/limits.h"
#include "stages/grow/statistics.h"
#include "tree/tree.h"

namespace softwood::grow {

// The best split of a node that was found: by one feature, a cut between ordered items or a
// division of levels; or any other gate.
struct Found {
  double score = 0;        // 0: none
  double improvement = 0;  // of the criterion, summed over the node's weight; 0: none good enough
  uint32_t feature = 0;
  uint32_t children = 2;
  size_t position = 0;        // items before it go to child 0
  std::optional<double> cut;  // at the position, if not between the values there
  bool missing_left = false;
  bool own_child = false;  // rows without a value get a child of their own, the last
  LevelSplit levels;
  std::vector<uint32_t> level_codes;  // the levels that were divided; the last may be missing_level
  std::optional<Gate> gate;           // neither of these: two children
  // For the choice by gain ratio.
  bool possible = false;                        // there is a split that leaves enough rows
  double split_information = 0;                 // bits
  double statistic = no_note, log_p = no_note;  // of the test that chose the feature, if any
  std::vector<Competitor> competitors = {};     // what other features offered, best first
  bool is_levels() const { return !level_codes.empty(); }
};
constexpr uint32_t missing_level = 0xFFFFFFFFU;

// `nominal=`
constexpr Named<NominalSplit> nominal_choices[] = {{"subset", NominalSplit::subset},
                                                   {"prefix", NominalSplit::prefix},
                                                   {"multiway", NominalSplit::multiway},
                                                   {"every-level", NominalSplit::every_level}};
NominalSplit nominal_option(const Options& options);
// `cut-at=`: where between two values a cut is written.
enum class CutAt {
  halfway,
  data_point,  // the largest value of all rows that is not above that
  node_value   // the largest value of the node's rows on the left
};
constexpr Named<CutAt> cut_at_choices[] = {{"halfway", CutAt::halfway},
                                           {"data-point", CutAt::data_point},
                                           {"node-value", CutAt::node_value}};
CutAt cut_at_option(const Options& options);
// Whether features are compared by their gain ratio.
bool chooses_by_ratio(const Options& options);

// Takes the levels' division over into the node's gate and rule for missing values.
LevelsGate levels_gate(const Found& found, size_t levels, Missing& missing);

// Regression: the decrease of the variance by dividing a node into these two parts, from the mean
// of each. A scan has one part as what is left of the node; where that weighs next to nothing, its
// sum is lost in the rounding of the other's.
double decrease_of_variance(const Target& target, std::span<const uint32_t> one,
                            std::span<const uint32_t> other);
// One of two weights is within the rounding of sums over the other, or near it.
inline bool are_far_apart(double one, double other) {
  return std::min(one, other) < 1e-8 * std::max(one, other);
}

// Sets the improvement of the best split of a node when it is good enough.
void set_improvement(Found& found, const SplitSearch& search, std::span<const double> cell,
                     const Tree& tree, NodeIndex node, const Limits& limits);

// The training targets as the search wants them, one slot a row. Throws when there are no rows or
// they weigh nothing. With costs the search counts the rows of each class by what its errors cost.
Target make_target(const Table& table, std::span<const RowIndex> rows,
                   std::span<const double> costs = {}, bool from_zero = false);
// The same for some of the slots, which become slots 0, 1, ….
Target target_at(const Target& target, std::span<const uint32_t> slots);
// Whether the criterion of the options measures targets from 0 and not from their mean.
bool targets_from_zero(const Options& options);
// The criterion that the options choose for a task; a usage Error where it is not for that.
const Criterion& criterion_of(const Options& options, Task task);
std::unique_ptr<SplitSearch> make_search(const Options& options, const Target& target);

// Adds the slots to the sums of a new node (two passes for regression). Numbers that are equal up
// to their own rounding have no deviations. Returns the sum of numeric targets, measured from the
// centre: the tree's mean is rounded in the units of the target.
double set_sums(Tree& tree, NodeIndex node, const Target& target, std::span<const uint32_t> slots);

// The cell (statistics of the search) of a node. `sum` is what set_sums returned.
void set_cell(std::vector<double>& cell, const Tree& tree, NodeIndex node, const Target& target,
              double sum);

// Whether a node may be split at all, before anything is searched.
bool may_split(const Tree& tree, NodeIndex node, size_t depth, const Limits& limits);
// Where rows without a value go when none were seen: to the heavier side.
uint32_t heavier_child(const Tree& tree, NodeIndex first_child, uint32_t children);

}  // namespace softwood::grow
