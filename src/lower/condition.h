// Questions about lowered conditions that renderers share.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/math.h"
#include "softwood/lowered.h"

namespace softwood {

// Children of the condition itself, without the node's own child for missing values.
uint32_t condition_children(const LoweredCondition& condition);
// The inputs that it reads, each once, ascending.
std::vector<uint32_t> condition_inputs(const LoweredCondition& condition);
std::vector<uint32_t> term_inputs(const std::vector<LoweredTerm>& terms);

// The levels that go to each child, found in one pass for all children.
class LevelsByChild {
 public:
  explicit LevelsByChild(const LoweredLevels& condition);
  std::span<const uint32_t> of(uint32_t child) const {
    return std::span(levels_).subspan(begin_[child], begin_[child + 1] - begin_[child]);
  }

 private:
  std::vector<size_t> begin_;     // of each child in levels_, and the end
  std::vector<uint32_t> levels_;  // ascending for each child
};

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

// The value of a term, of whose row `cell(input)` gives the cells: a number or the index of a
// level, NaN when missing.
template <class Cell>
double term_value(const LoweredTerm& term, const Cell& cell) {
  const double x = cell(term.input);
  switch (term.kind) {
    case TermKind::value:
      return x;
    case TermKind::square:
      return x * x;
    case TermKind::product:
      return x * cell(term.second);
    case TermKind::asinh:
      return math::asinh((x - term.centre) / term.scale);
    case TermKind::level:
      return std::isnan(x) ? x : x == term.level ? 1 : 0;
  }
  return unknown_number;
}

// Sets the weights of the children, as many as the condition has; false: it can't be computed.
template <class Cell>
bool weigh_children(const LoweredCondition& condition, const Cell& cell,
                    std::span<double> weights) {
  if (const auto* const levels = std::get_if<LoweredLevels>(&condition)) {
    const double level = cell(levels->input);
    const int32_t child =
        std::isnan(level) ? -1 : levels->child_of_level[static_cast<size_t>(level)];
    if (child < 0) return false;
    std::fill(weights.begin(), weights.end(), 0.0);
    weights[static_cast<size_t>(child)] = 1;
    return true;
  }
  const auto& score = std::get<LoweredScore>(condition);
  double sum = 0;
  for (const LoweredTerm& term : score.terms) sum += term.coefficient * term_value(term, cell);
  if (std::isnan(sum)) return false;
  weights[0] = first_child_weight(score, sum);
  weights[1] = 1 - weights[0];
  return true;
}

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
