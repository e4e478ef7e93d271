// What the views of a tree share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "tree/costs.h"
#include "tree/leaf_answer.h"
#include "tree/model.h"

namespace softwood {

// Text that is read line by line is not made wider than this.
constexpr size_t widest_text = 100;

// Standard deviation of the target at a node of a regression tree.
inline double spread_at(const Tree& tree, NodeIndex i) {
  const auto sums = tree.sums(i);
  return sums[0] > 0 ? std::sqrt(std::max(0.0, sums[2] / sums[0])) : 0.0;
}

// The sums of nodes are weights when rows were given other weights than 1.
inline bool counts_weights(const Model& model) {
  return !model.schema.weight.empty() || !model.provenance.class_weights.empty();
}

// A weight of rows: whole where it is but for rounding, else at most six digits, two after the
// point.
inline std::string shown_weight(double weight) {
  constexpr double rounding = 1e-9, largest_whole = 1e15;
  const double whole = std::round(weight);
  if (std::abs(weight - whole) <= rounding * std::max(1.0, weight) && weight < largest_whole) {
    return fmt::format("{:.0f}", whole);
  }
  if (!(weight >= 1)) return fmt::format("{:.3g}", weight);
  std::string text = fmt::format("{:.{}f}", weight, weight < 1e4 ? 2 : weight < 1e5 ? 1 : 0);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// "50 rows", "weight 38.5".
inline std::string shown_rows(const Model& model, double weight) {
  if (counts_weights(model)) return "weight " + shown_weight(weight);
  return shown_weight(weight) + (weight == 1 ? " row" : " rows");
}

// What the nodes answer: tree.answers(), and for leaves that were trained to answer something else
// that. In trees with models in the leaves the constants of the other nodes answer nothing: they
// are the plain shares of their rows.
inline std::vector<double> shown_answers(const Tree& tree) {
  std::vector<double> answers = tree.answers();
  const size_t width = tree.answer_width();
  const bool plain = tree.task() == Task::classification && tree.leaf_plan().has_models();
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Owned<LeafModel>& model = tree.node(i).model;
    const double weight = tree.weight(i);
    if (model && model->terms.empty()) {
      constant_answer(*model, {&answers[i * width], width});
    } else if (plain && (model || !tree.node(i).is_leaf()) && weight > 0) {
      for (size_t k = 0; k < width; ++k) answers[i * width + k] = tree.sums(i)[k] / weight;
    }
  }
  return answers;
}

// Leaves that were trained together with the gates answer otherwise than their rows would.
inline bool has_trained_leaves(const Tree& tree) { return tree.leaf_plan().has_trained_models(); }
// How a row that reaches several leaves in part is answered: "its answer is their mean, weighted by
// these parts".
std::string mixing_text(const Tree& tree);
// A paragraph under trees with trained leaves that says how to read their numbers; empty for
// others.
std::string trained_leaves_text(const Model& model, size_t width);

// The class that node i answers, by shown_answers().
inline size_t answered_class(const Tree& tree, std::span<const double> answers, NodeIndex i) {
  const size_t width = tree.answer_width();
  return cheapest_answer(answers.subspan(i * width, width), tree.costs());
}

// What a node says for its class: the probability that it answers, or for leaves that answer it
// with certainty whatever their rows were, the share of those.
inline double shown_share(const Tree& tree, std::span<const double> answers, NodeIndex i,
                          size_t answered) {
  if (tree.leaf_plan().has_models() || tree.leaf_plan().estimator != LeafEstimator::majority)
    return answers[i * tree.classes() + answered];
  return tree.weight(i) > 0 ? tree.sums(i)[answered] / tree.weight(i) : 0.0;
}

struct ModelCount {
  size_t leaves = 0, models = 0;
  size_t sums = 0;  // models whose answers depend on the row
};
inline ModelCount count_models(const Tree& tree) {
  ModelCount count;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf()) continue;
    ++count.leaves;
    if (!tree.node(i).model) continue;
    ++count.models;
    if (!tree.node(i).model->terms.empty()) ++count.sums;
  }
  return count;
}
// The last lines of styles that have no place for models: how many are not shown, and how to read
// trained leaves; empty where there are none.
std::string last_lines(const Model& model, size_t width);

// A p-value of which the logarithm is known, to two digits: "0.035", "1.4e-30", "2.9e-1204".
inline std::string p_value_text(double log_p) {
  constexpr double plain_from = 1e-3;
  if (std::isnan(log_p)) return "";
  if (log_p >= std::log(plain_from)) return fmt::format("{:.2g}", std::exp(log_p));
  const double log10_p = log_p / std::numbers::ln10;
  double exponent = std::floor(log10_p);
  double digits = std::round(std::pow(10, log10_p - exponent) * 10) / 10;
  if (digits >= 10) {
    digits /= 10;
    ++exponent;
  }
  return fmt::format("{:.1f}e{:.0f}", digits, exponent);
}

// "1 leaf", "3 leaves".
inline std::string counted(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The gate compares one input with an order of levels: conditions name levels instead of numbers.
inline bool asks_for_levels(const Gate& gate, const Schema& schema) {
  const ScoreGate* const score = linear_form(gate);
  return score != nullptr && score->terms.size() == 1 && score->terms[0].form == TermForm::value &&
         schema.features[score->terms[0].feature].kind == Kind::ordinal;
}

inline bool has_soft_gates(const Model& model) {
  for (NodeIndex i = 0; i < model.tree.size(); ++i) {
    const Node& node = model.tree.node(i);
    if (!node.is_leaf() && gate_soft_range(node.gate(), model.schema)) return true;
  }
  return false;
}

}  // namespace softwood
