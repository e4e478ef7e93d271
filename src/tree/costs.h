// What wrong answers cost: a matrix with a row for each true class and a column for each answer, or
// nothing when every error costs 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softwood {

// Cost of one answer.
inline double cost_of(std::span<const double> costs, size_t classes, size_t truth, size_t answer) {
  if (costs.empty()) return truth == answer ? 0 : 1;
  return costs[truth * classes + answer];
}

// What a wrong answer costs at most.
double costliest_error(std::span<const double> costs);
// Cost of one answer to a row by the code of its class. Of a class that the tree does not know
// (code -1) no answer is right: it costs as much as the costliest error.
inline double cost_for_row(std::span<const double> costs, size_t classes, int32_t code,
                           size_t answer) {
  if (code < 0) return costliest_error(costs);
  return cost_of(costs, classes, static_cast<size_t>(code), answer);
}
// Cost of giving one answer to rows of these weights by class (or probabilities).
double cost_of_answer(std::span<const double> weights, std::span<const double> costs,
                      size_t answer);
// Costs that are equal but for this relative rounding are equal: counts and probabilities must
// agree.
constexpr double cost_rounding = 1e-12;
// The answer that costs least, the first of equals; without costs the class of the largest weight.
size_t cheapest_answer(std::span<const double> weights, std::span<const double> costs);

// What is wrong with a matrix for these classes; empty: nothing. Costs are finite and not
// negative, right answers cost nothing, and every class has an error that costs something.
std::string fault_of_costs(std::span<const double> costs, const std::vector<std::string>& names);

// How much more the rows of each class count in growing: the sum of the class's costs. Breiman et
// al. 1984: priors are altered in proportion to C(j) = sum over i of C(i | j), which
// for two classes is the same as using the costs, for more the nearest thing to it. Empty without
// costs.
std::vector<double> altered_weights(std::span<const double> costs, size_t classes);

}  // namespace softwood
