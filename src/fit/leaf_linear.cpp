#include <cmath>

#include "fit/leaf_learners.h"
#include "fit/least_squares.h"

namespace softwood::fit {
namespace {

// How far beyond the leaf's targets its model may answer, as a share of their distance.
constexpr double range_margin = 0.1;

// `penalty` is that of least_squares: 0 for none, NaN for one chosen by cross-validation.
std::optional<LeafModel> line(const LeafRows& leaf, double penalty) {
  const Design design = make_design(leaf.table, leaf.rows, leaf.weights, leaf.typical);
  if (design.terms.empty()) return std::nullopt;
  Eigen::VectorXd numbers(static_cast<Eigen::Index>(leaf.rows.size()));
  for (size_t i = 0; i < leaf.rows.size(); ++i) {
    numbers[static_cast<Eigen::Index>(i)] = leaf.table.target().numbers[leaf.rows[i]];
  }
  const LeastSquares fit = least_squares(design, numbers, penalty);
  if (!(fit.generalised_error < fit.constant_error)) return std::nullopt;
  LeafModel model;
  model.terms = design.terms;
  model.coefficients = design.in_data_units(fit.constant, fit.coefficients);
  const double low = numbers.minCoeff(), high = numbers.maxCoeff();
  model.low = low - range_margin * (high - low);
  model.high = high + range_margin * (high - low);
  if (!has_finite_coefficients(model) || !std::isfinite(model.low) || !std::isfinite(model.high)) {
    return std::nullopt;
  }
  std::vector<double> effect;
  for (const double coefficient : fit.coefficients) effect.push_back(std::fabs(coefficient));
  order_terms(model, effect);
  return model;
}

}  // namespace

std::optional<LeafModel> linear_leaf(const LeafRows& leaf, const LeafPlan&) {
  return line(leaf, 0);
}
std::optional<LeafModel> ridge_leaf(const LeafRows& leaf, const LeafPlan& plan) {
  return line(leaf, plan.penalty);
}

}  // namespace softwood::fit
