// Rows as a matrix of standardised terms, for the fits of leaves and hyperplanes.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tree/gate.h"

namespace softwood::fit {

// A column is (term - mean) / scale, scale being the standard deviation, both weighted.
struct Design {
  std::vector<Term> terms;  // their coefficients are 1
  Eigen::VectorXd mean, scale;
  Eigen::MatrixXd cells;  // rows x terms
  Eigen::VectorXd weight;
  double total_weight = 0;

  // A constant and coefficients of standardised terms, in the units of the data: [0] the constant.
  std::vector<double> in_data_units(double constant, const Eigen::VectorXd& standardised) const;
};

// Subtracts the weighted mean of a column and divides by its standard deviation. False when it is
// constant but for rounding, or when its numbers are so large or small that coefficients of it
// could not be written.
bool standardise(Eigen::Ref<Eigen::VectorXd> values, const Eigen::VectorXd& weight,
                 double total_weight, double& mean, double& scale);

// Whether the square of a column, and products with it, can be written out in the units of the data
// and keep enough digits: with the mean far from 0 their parts cancel, (mean / scale)^2 to 1.
bool squares_keep_digits(double mean, double scale);

// Terms of which a design may be made: see make_design.
std::vector<Term> design_terms(const Table& table, std::span<const RowIndex> rows,
                               std::span<const double> weights, std::span<const double> typical);
// The design of the given terms that are not constant in these rows.
Design design_of(const std::vector<Term>& terms, const Table& table, std::span<const RowIndex> rows,
                 std::span<const double> weights, std::span<const double> typical);

// A term for each numeric or ordinal input that is not constant in these rows, and for each level
// of a nominal one that some of them have, except the heaviest. Missing cells have the typical
// value; features that have none are left out. Without any typical values, features with missing
// cells are.
Design make_design(const Table& table, std::span<const RowIndex> rows,
                   std::span<const double> weights, std::span<const double> typical);

}  // namespace softwood::fit
