#include "explain/quantity.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// Smaller probabilities count as this one, so that log odds are finite.
constexpr double least_probability = 1e-300;

AnswerScale checked_scale(const LoweredTree& tree, AnswerScale scale) {
  const bool scores = tree.mixing.kind == MixingKind::scores;
  if (!tree.is_classifier()) {
    if (scale == AnswerScale::usual || scale == AnswerScale::value) return AnswerScale::value;
    throw Error(ErrorKind::usage, "the model predicts a number, which has no probability");
  }
  if (scale == AnswerScale::usual) return scores ? AnswerScale::log_odds : AnswerScale::probability;
  if (scale == AnswerScale::value) {
    throw Error(ErrorKind::usage, "the model predicts a class, not a number");
  }
  if (scale == AnswerScale::log_odds && !scores) {
    throw Error(ErrorKind::usage,
                "log odds are explained of trees that mix them, and this one mixes probabilities",
                {}, "explain its probability");
  }
  return scale;
}

// The outputs of a formula that reads no input.
std::vector<double> constants_of(const LoweredFormula& formula) {
  std::vector<double> constants;
  for (const LoweredOutput& output : formula.outputs) constants.push_back(output.constant);
  return constants;
}

}  // namespace

bool is_end(const LoweredNode& node) {
  return node.is_leaf() || node.split->missing.action == MissingAction::stay;
}

Quantity::Quantity(const LoweredTree& tree, AnswerScale scale)
    : scale_(checked_scale(tree, scale)),
      width_(tree.nodes[0].answer.size()),
      mixes_scores_(tree.mixing.kind == MixingKind::scores) {
  const std::vector<std::string>& classes = tree.target.classes;
  if (classes.size() == 2) {
    classes_ = {tree.target.positive};
  } else {
    for (uint32_t k = 0; k < classes.size(); ++k) classes_.push_back(k);
  }
  for (const uint32_t k : classes_) names_.push_back(classes[k]);
  if (classes_.empty()) names_.push_back(tree.target.name);

  sum_over_ends_ = mixes_scores_ == (scale_ == AnswerScale::log_odds);
  std::vector<double> outputs(this->outputs());
  for (const LoweredNode& node : tree.nodes) {
    if (!sum_over_ends_) break;
    if (!is_end(node)) continue;
    if (node.formula && !node.formula->terms.empty()) {
      sum_over_ends_ = false;
      break;
    }
    of_end(node, outputs);
    for (const double output : outputs) {
      sum_over_ends_ = sum_over_ends_ && std::isfinite(output);
      if (scale_ != AnswerScale::value) continue;
      // Means of such constants are never held back at the ends of the range.
      sum_over_ends_ = sum_over_ends_ && output >= tree.mixing.low && output <= tree.mixing.high;
    }
  }
}

void Quantity::centre_scores(std::span<const double> scores, std::span<double> outputs) const {
  if (scores.size() == 2) {
    outputs[0] = scores[classes_[0]] - scores[1 - classes_[0]];
    return;
  }
  double mean = 0;
  for (const double score : scores) mean += score / static_cast<double>(scores.size());
  for (size_t o = 0; o < outputs.size(); ++o) outputs[o] = scores[classes_[o]] - mean;
}

void Quantity::from_answer(std::span<const double> answer, std::span<double> outputs) const {
  if (scale_ == AnswerScale::value) {
    outputs[0] = answer[0];
    return;
  }
  if (scale_ == AnswerScale::probability) {
    for (size_t o = 0; o < outputs.size(); ++o) outputs[o] = answer[classes_[o]];
    return;
  }
  std::vector<double> scores(answer.begin(), answer.end());
  for (double& score : scores) score = math::log(std::max(score, least_probability));
  centre_scores(scores, outputs);
}

std::vector<double> Quantity::of_rows(const Predictor& predictor, const Table& table,
                                      std::span<const RowIndex> rows,
                                      const Parallel& parallel) const {
  std::vector<double> answers(rows.size() * width_), all(rows.size() * outputs());
  predictor.answers(table, rows, answers, parallel);
  for (size_t i = 0; i < rows.size(); ++i) {
    from_answer(std::span(answers).subspan(i * width_, width_),
                std::span(all).subspan(i * outputs(), outputs()));
  }
  return all;
}

void Quantity::of_end(const LoweredNode& node, std::span<double> outputs) const {
  std::vector<double> values = node.answer;
  if (scale_ == AnswerScale::log_odds) {
    if (node.formula) {
      values = constants_of(*node.formula);
    } else {
      for (double& value : values) value = math::log(value);
    }
    centre_scores(values, outputs);
    return;
  }
  if (node.formula) {
    const LoweredFormula& formula = *node.formula;
    std::vector<double> constants = constants_of(formula);
    if (scale_ == AnswerScale::value) {
      values[0] = std::clamp(constants[0], formula.low, formula.high);
    } else {
      math::softmax(constants);
      std::fill(values.begin(), values.end(), 0.0);
      for (size_t o = 0; o < constants.size(); ++o) {
        values[formula.outputs[o].class_index] = constants[o];
      }
    }
  }
  from_answer(values, outputs);
}

}  // namespace softwood
