// What follows from sums over rows: for those who add up the rows themselves.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "use/evaluate.h"
#include "use/roc.h"

namespace softwood {

// `result` has rows, weight, weighted_by, classes, positive, confusion, unknown and
// unknown_answers; all that follows from these is added.
struct ClassSums {
  double right = 0, majority_right = 0;  // weights
  double logloss = 0, brier = 0;         // times the weight
};
void complete_classes(const ClassSums& sums, Evaluation& result);
// The area under the curve; `scored(class)` are the rows by their probability of that class.
void complete_area(const std::function<std::vector<ScoredRow>(size_t)>& scored, Evaluation& result);
// `deviations` are about the mean; all are times the weight.
void complete_numbers(double squares, double sizes, double deviations, Evaluation& result);
// `costs` (costs.h) may be empty: then nobody said what errors cost.
void complete_costs(std::span<const double> costs, Evaluation& result);

}  // namespace softwood
