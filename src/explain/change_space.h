// What changes are about: the goal for a row, and what may become of each input.
#pragma once

#include <optional>
#include <vector>

#include "explain/change.h"

namespace softwood {

// Whether an answer is the one that is wanted.
class Goal {
 public:
  // For the row that now has `answer`.
  Goal(const LoweredTree& tree, const ChangeGoal& wanted, std::span<const double> answer);

  bool reached(std::span<const double> answer) const;
  // Of the positive one of two classes, or of the number: +1 it is to rise, -1 to fall; 0: neither.
  int direction() const { return direction_; }

 private:
  const LoweredTree& tree_;
  double reach_;
  std::optional<uint32_t> class_;  // that is to be answered, or to be probable
  uint32_t present_ = 0;           // class that is not to be answered any more
  int direction_ = 0;
};

// An input as it may change.
struct ChangingInput {
  uint32_t input = 0;
  InputKind kind = InputKind::numeric;
  double spread = 1;
  double typical = 0;
  double low = 0, high = 0;  // of the reference rows; NaN: no values
  bool fixed = false;
  bool whole = false;              // changes by whole numbers: whole values, and indices of levels
  int direction = 0;               // +1: may only rise, -1: only fall
  std::vector<double> candidates;  // values to try in a search

  bool allows(double from, double to) const;
  double distance(double from, double to) const;
};

std::vector<ChangingInput> changing_inputs(const ExplainedTree& tree, const Table& table,
                                           const Table& reference, const ChangeGoal& goal);

// The value in (low, high] that is nearest to `from`, where the interval is not empty; a short one
// within a hundredth of the spread of the nearest. `distance` is that to the end of the interval.
struct NearestValue {
  double value, distance;
};
std::optional<NearestValue> nearest_value(const ChangingInput& input, double from, double low,
                                          double high);

// The nearest change by the boxes of leaves; none: the tree or this row needs a search.
std::optional<Change> change_by_boxes(const LoweredTree& tree, const Table& table, RowIndex row,
                                      const Goal& goal, const std::vector<ChangingInput>& inputs);
Change change_by_search(const ExplainedTree& tree, const Table& table, RowIndex row,
                        const Goal& goal, const std::vector<ChangingInput>& inputs,
                        size_t most_inputs);

// Answers of a row with changes, one row for each list of them.
std::vector<double> changed_answers(const ExplainedTree& tree, const Table& table, RowIndex row,
                                    std::span<const std::vector<InputChange>> changes);

}  // namespace softwood
