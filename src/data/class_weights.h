// Rows that count more or less by their class.
#pragma once

#include <span>
#include <vector>

#include "data/table.h"

namespace softwood {

// Weight of the rows of each class.
std::vector<double> class_totals(const Table& table, std::span<const RowIndex> rows);

// Factors in proportion to `relative` that leave the sum of these weights of classes as it is.
std::vector<double> class_factors(std::span<const double> totals, std::span<const double> relative);
// Factors in proportion to `relative` that leave the weight of all these rows as it is.
std::vector<double> class_factors(const Table& table, std::span<const RowIndex> rows,
                                  std::span<const double> relative);
// The factors with which the classes weigh as the priors say. A class without rows has none to
// weigh: the others share its part.
std::vector<double> factors_for_priors(const Table& table, std::span<const RowIndex> rows,
                                       std::span<const double> priors);

// How much the classes are to count, before it is known of which rows: relative weights, or the
// shares that they are to have; at most one of the two.
struct ClassBalance {
  std::vector<double> relative, priors;

  bool empty() const { return relative.empty() && priors.empty(); }
  // The factors for these rows; empty when nothing is asked for.
  std::vector<double> factors(const Table& table, std::span<const RowIndex> rows) const;
};
// Shares that are the same for all classes.
ClassBalance balanced(size_t classes);

// The table with the weight of every row multiplied by the factor of its class.
Table reweighted(const Table& table, std::span<const double> factors);

}  // namespace softwood
