// Questions about lowered conditions that renderers share.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "softwood/lowered.h"

namespace softwood {

// Children of the condition itself, without the node's own child for missing values.
uint32_t condition_children(const LoweredCondition& condition);
// The inputs that it reads, each once, ascending.
std::vector<uint32_t> condition_inputs(const LoweredCondition& condition);
std::vector<uint32_t> term_inputs(const std::vector<LoweredTerm>& terms);

// x <= cut, as a step.
bool is_threshold(const LoweredScore& score);
// A condition that no row with a value meets: the child gets nothing but missing values.
bool takes_only_missing(const LoweredCondition& condition, uint32_t child);

// Scores of one value times a number are conditions on the value itself: -2*x <= 3 is x >= -1.5.
// The number by which the score must be divided; 1 for all others, and where the cut would
// overflow.
double value_factor(const LoweredScore& score);

// Weight of the first child for a score.
double first_child_weight(const LoweredScore& condition, double score);

// The weights of the children for a row, of which `cell` gives the inputs: a number or the index of
// a level, NaN when missing. Empty: the condition can't be computed.
std::vector<double> condition_weights(const LoweredCondition& condition,
                                      const std::function<double(uint32_t input)>& cell);

// Where a soft score passes from one child to the other, in units of score / value_factor.
struct SoftInterval {
  double low = 0, half = 0, high = 0;  // low <= half <= high
  double share = 1;                    // of the row, at `low` and below and at `high` and above
  bool falling = false;                // the first child is the one above
};
// None: the score is a step.
std::optional<SoftInterval> soft_range(const LoweredScore& score);
bool has_soft_splits(const LoweredTree& tree);

}  // namespace softwood
