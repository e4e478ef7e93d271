#include "fit/leaf_models.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "data/typical.h"
#include "fit/leaf_rows.h"
#include "fit/least_squares.h"
#include "fit/naive_bayes.h"
#include "fit/softmax.h"
#include "tree/compiled.h"

namespace softwood::fit {

namespace {

// How far beyond the leaf's targets its model may answer, as a share of their distance.
constexpr double range_margin = 0.1;
constexpr double usual_logistic_penalty = 1;
// Keeps coefficients finite when the classes can be told apart exactly.
constexpr double least_logistic_penalty = 1e-6;

// Puts the terms with the largest effect first and drops those without any. `effect` is the size of
// a term's coefficients times its spread.
void order_terms(LeafModel& model, std::span<const double> effect) {
  std::vector<size_t> order;
  for (size_t t = 0; t < effect.size(); ++t) {
    if (effect[t] > 0) order.push_back(t);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return effect[a] > effect[b]; });
  LeafModel ordered = model;
  ordered.terms.clear();
  ordered.coefficients.clear();
  for (const size_t t : order) ordered.terms.push_back(model.terms[t]);
  for (size_t o = 0; o < model.outputs(); ++o) {
    ordered.coefficients.push_back(model.row(o)[0]);
    for (const size_t t : order) ordered.coefficients.push_back(model.row(o)[1 + t]);
  }
  model = std::move(ordered);
}

bool is_finite(const LeafModel& model) {
  return std::all_of(model.coefficients.begin(), model.coefficients.end(),
                     [](double value) { return std::isfinite(value); });
}

std::optional<LeafModel> line_model(const LeafRows& leaf, const LeafPlan& plan) {
  const Design design = make_design(leaf.table, leaf.rows, leaf.weights, leaf.typical);
  if (design.terms.empty()) return std::nullopt;
  Eigen::VectorXd numbers(static_cast<Eigen::Index>(leaf.rows.size()));
  for (size_t i = 0; i < leaf.rows.size(); ++i) {
    numbers[static_cast<Eigen::Index>(i)] = leaf.table.target().numbers[leaf.rows[i]];
  }
  const LeastSquares fit =
      least_squares(design, numbers, plan.form == LeafForm::linear ? 0 : plan.penalty);
  if (!(fit.generalised_error < fit.constant_error)) return std::nullopt;
  LeafModel model;
  model.terms = design.terms;
  model.coefficients = design.in_data_units(fit.constant, fit.coefficients);
  const double low = numbers.minCoeff(), high = numbers.maxCoeff();
  model.low = low - range_margin * (high - low);
  model.high = high + range_margin * (high - low);
  if (!is_finite(model) || !std::isfinite(model.low) || !std::isfinite(model.high)) {
    return std::nullopt;
  }
  std::vector<double> effect;
  for (const double coefficient : fit.coefficients) effect.push_back(std::fabs(coefficient));
  order_terms(model, effect);
  return model;
}

std::optional<LeafModel> logistic_model(const LeafRows& leaf, const LeafClasses& classes,
                                        const LeafPlan& plan) {
  const Design design = make_design(leaf.table, leaf.rows, leaf.weights, leaf.typical);
  if (design.terms.empty()) return std::nullopt;
  const double penalty = std::isnan(plan.penalty) ? usual_logistic_penalty
                                                  : std::max(plan.penalty, least_logistic_penalty);
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
  if (!is_finite(model)) return std::nullopt;
  order_terms(model, effect);
  return model;
}

std::optional<LeafModel> bayes_model(const LeafRows& leaf, const LeafClasses& classes) {
  if (classes.total() < 2.0 * static_cast<double>(classes.codes.size())) return std::nullopt;
  NaiveBayes bayes = naive_bayes(leaf, classes);
  if (bayes.model.terms.empty() || !is_finite(bayes.model)) return std::nullopt;
  if (!(model_loss(bayes.model, leaf, classes) < classes.constant_loss())) return std::nullopt;
  order_terms(bayes.model, bayes.effect);
  return std::move(bayes.model);
}

std::optional<LeafModel> model_of(const LeafRows& leaf, const LeafPlan& plan) {
  if (leaf.rows.empty()) return std::nullopt;
  if (plan.form == LeafForm::linear || plan.form == LeafForm::ridge) return line_model(leaf, plan);
  const LeafClasses classes(leaf);
  if (classes.codes.size() < 2) return std::nullopt;
  return plan.form == LeafForm::logistic ? logistic_model(leaf, classes, plan)
                                         : bayes_model(leaf, classes);
}

bool has_target(const Table& table, RowIndex row) { return !table.target().is_missing(row); }

}  // namespace

void fit_leaf_models(Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Parallel& parallel) {
  for (NodeIndex i = 0; i < tree.size(); ++i) tree.node(i).model.reset();
  tree.canonicalise();  // typical values that only models needed are gone
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, rows, arrivals);
  std::vector<size_t> starts(tree.size() + 1, 0);
  for (const Arrival& arrival : arrivals) ++starts[arrival.node + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<RowIndex> row_of(arrivals.size());
  std::vector<double> weight_of(arrivals.size());
  std::vector<size_t> filled(starts.begin(), starts.end() - 1);
  for (const Arrival& arrival : arrivals) {
    const double weight = arrival.weight * table.weight(arrival.row);
    if (!(weight > 0) || !has_target(table, arrival.row)) continue;
    const size_t place = filled[arrival.node]++;
    row_of[place] = arrival.row;
    weight_of[place] = weight;
  }
  std::vector<double> typical =
      tree.typical().empty() ? typical_values(table, rows) : tree.typical();
  std::vector<char> has_model(tree.size(), 0);
  parallel.each(tree.size(), [&](size_t i) {
    Node& node = tree.node(static_cast<NodeIndex>(i));
    if (!node.is_leaf()) return;
    const size_t count = filled[i] - starts[i];
    const LeafRows leaf{table, std::span(row_of).subspan(starts[i], count),
                        std::span(weight_of).subspan(starts[i], count), typical};
    std::optional<LeafModel> model = model_of(leaf, tree.leaf_plan());
    if (!model) return;
    node.model = Owned<LeafModel>(std::move(*model));
    has_model[i] = 1;
  });
  if (std::find(has_model.begin(), has_model.end(), 1) != has_model.end()) {
    tree.set_typical(std::move(typical));
  }
}

}  // namespace softwood::fit
