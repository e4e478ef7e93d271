#include <algorithm>
#include <cmath>

#include "fit/leaf_learners.h"
#include "fit/softmax.h"

namespace softwood::fit {
namespace {

constexpr double usual_penalty = 1;
// Keeps coefficients finite when the classes can be told apart exactly.
constexpr double least_penalty = 1e-6;

}  // namespace

std::optional<LeafModel> logistic_leaf(const LeafRows& leaf, const LeafPlan& plan) {
  const LeafClasses classes(leaf);
  if (classes.codes.size() < 2) return std::nullopt;
  const Design design = make_design(leaf.table, leaf.rows, leaf.weights, leaf.typical);
  if (design.terms.empty()) return std::nullopt;
  const double penalty =
      std::isnan(plan.penalty) ? usual_penalty : std::max(plan.penalty, least_penalty);
  const size_t outputs = classes.codes.size();
  const Softmax fit = softmax_regression(design, classes.of_row, outputs, penalty);
  const double added = static_cast<double>((outputs - 1) * design.terms.size());
  if (!(fit.loss + added < classes.constant_loss())) return std::nullopt;
  LeafModel model;
  model.link = LeafLink::softmax;
  model.terms = design.terms;
  model.classes = classes.codes;
  // Against the heaviest class: softmax depends on differences alone.
  const auto reference = static_cast<Eigen::Index>(classes.heaviest());
  std::vector<double> effect(design.terms.size(), 0.0);
  for (Eigen::Index o = 0; o < fit.coefficients.cols(); ++o) {
    const Eigen::VectorXd difference = fit.coefficients.col(o) - fit.coefficients.col(reference);
    const std::vector<double> row =
        design.in_data_units(fit.constants[o] - fit.constants[reference], difference);
    model.coefficients.insert(model.coefficients.end(), row.begin(), row.end());
    for (size_t t = 0; t < effect.size(); ++t) {
      effect[t] = std::max(effect[t], std::fabs(difference[static_cast<Eigen::Index>(t)]));
    }
  }
  if (!has_finite_coefficients(model)) return std::nullopt;
  order_terms(model, effect);
  return model;
}

}  // namespace softwood::fit
