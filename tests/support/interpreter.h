// Answers of a tree from its lowered form and the cells of one row alone, written as its header
// describes them and with nothing of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "base/math.h"
#include "softwood/lowered.h"

namespace softwood::test {

class Interpreter {
 public:
  // A cell is a number or the index of a level, NaN when missing.
  Interpreter(const LoweredTree& tree, std::vector<double> cells)
      : tree_(tree), cells_(std::move(cells)) {
    descend(0, 1);
  }

  // The nodes where the row ends, with the share of it that ends there.
  const std::map<uint32_t, double>& ends() const { return ends_; }

  // Probabilities, or one number.
  std::vector<double> answer() const {
    const bool scores = tree_.mixing.kind == MixingKind::scores;
    std::vector<double> mixed(tree_.nodes[0].answer.size(), 0.0);
    for (const auto& [node, share] : ends_) {
      const std::vector<double> one = scores ? scores_of(node) : answer_of(node);
      for (size_t k = 0; k < mixed.size(); ++k) mixed[k] += share * one[k];
    }
    if (scores) mixed = softmax(mixed);
    if (!tree_.is_classifier()) {
      mixed[0] = std::clamp(mixed[0], tree_.mixing.low, tree_.mixing.high);
    }
    return mixed;
  }

  size_t decided_class() const {
    const std::vector<double> probabilities = answer();
    const size_t classes = probabilities.size();
    const LoweredDecision& decision = tree_.decision;
    size_t best = 0;
    if (decision.costs.empty()) {
      for (size_t k = 1; k < classes; ++k) {
        if (probabilities[k] > probabilities[best]) best = k;
      }
      return best;
    }
    double least = 0;
    for (size_t predicted = 0; predicted < classes; ++predicted) {
      double cost = 0;
      for (size_t actual = 0; actual < classes; ++actual) {
        cost += probabilities[actual] * decision.costs[actual * classes + predicted];
      }
      if (predicted == 0 || cost < least * (1 - decision.cost_rounding)) {
        best = predicted;
        least = cost;
      }
    }
    return best;
  }

 private:
  using Weights = std::optional<std::vector<double>>;  // of children; none: not computable

  double cell(uint32_t input, bool with_typical) const {
    const double x = cells_[input];
    return std::isnan(x) && with_typical ? tree_.inputs[input].typical : x;
  }

  double term(const LoweredTerm& term, bool with_typical) const {
    const double x = cell(term.input, with_typical);
    switch (term.kind) {
      case TermKind::value:
        return x;
      case TermKind::square:
        return x * x;
      case TermKind::product:
        return x * cell(term.second, with_typical);
      case TermKind::asinh:
        return math::asinh((x - term.centre) / term.scale);
      case TermKind::level:
        return std::isnan(x) ? x : x == term.level ? 1 : 0;
    }
    return unknown_number;
  }

  Weights weights(const LoweredScore& condition, bool with_typical) const {
    double s = 0;
    for (const LoweredTerm& one : condition.terms) s += one.coefficient * term(one, with_typical);
    if (std::isnan(s)) return {};
    double first = 0;
    switch (condition.link) {
      case LinkKind::step:
        first = s <= condition.cut ? 1 : 0;
        break;
      case LinkKind::ramp: {
        const double under = condition.cut - s;
        if (under > 0) {
          first = under >= condition.below ? 1 : 0.5 + 0.5 * under / condition.below;
        } else if (under < 0) {
          first = -under >= condition.above ? 0 : 0.5 + 0.5 * under / condition.above;
        } else {
          first = 0.5;
        }
        break;
      }
      case LinkKind::logistic:
        first = 1 / (1 + math::exp(s - condition.cut));
        break;
    }
    return std::vector<double>{first, 1 - first};
  }

  Weights weights(const LoweredLevels& condition, bool with_typical) const {
    const double x = cell(condition.input, with_typical);
    if (std::isnan(x)) return {};
    const int32_t child = condition.child_of_level[static_cast<size_t>(x)];
    if (child < 0) return {};
    std::vector<double> all(condition.children, 0.0);
    all[static_cast<size_t>(child)] = 1;
    return all;
  }

  Weights weights(const LoweredCondition& condition, bool with_typical) const {
    return std::visit([&](const auto& kind) { return weights(kind, with_typical); }, condition);
  }

  // By the rule for missing values; none: the row stays.
  Weights weights_of_missing(const LoweredSplit& split) const {
    std::vector<double> all(split.children, 0.0);
    switch (split.missing.action) {
      case MissingAction::shares:
        return split.missing.shares;
      case MissingAction::stay:
        return {};
      case MissingAction::own_child:
        all.back() = 1;
        return all;
      case MissingAction::impute:
        if (const Weights imputed = weights(split.condition, true)) return imputed;
        break;
      case MissingAction::child:
        break;
    }
    all[split.missing.child] = 1;
    return all;
  }

  void descend(uint32_t node, double share) {
    if (!tree_.nodes[node].split) {
      ends_[node] = share;
      return;
    }
    const LoweredSplit& split = *tree_.nodes[node].split;
    Weights shares = weights(split.condition, false);
    for (const LoweredSurrogate& surrogate : split.missing.surrogates) {
      if (!shares) shares = weights(surrogate.condition, false);
    }
    if (!shares) shares = weights_of_missing(split);
    if (!shares) {
      ends_[node] = share;
      return;
    }
    for (uint32_t c = 0; c < shares->size(); ++c) {
      const double part = share * (*shares)[c];
      if (part > tree_.smallest_share) descend(split.first_child + c, part);
    }
  }

  // The outputs of a node's formula; empty: it has none, or one of them is not finite.
  std::vector<double> outputs(uint32_t node) const {
    std::vector<double> sums;
    if (!tree_.nodes[node].formula) return sums;
    const LoweredFormula& formula = *tree_.nodes[node].formula;
    for (const LoweredOutput& output : formula.outputs) {
      double sum = output.constant;
      for (size_t t = 0; t < formula.terms.size(); ++t) {
        sum += output.coefficients[t] * term(formula.terms[t], true);
      }
      if (!std::isfinite(sum)) return {};
      sums.push_back(sum);
    }
    return sums;
  }

  static std::vector<double> softmax(std::vector<double> values) {
    const double top = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (double& value : values) {
      value = math::exp(value - top);
      sum += value;
    }
    for (double& value : values) value /= sum;
    return values;
  }

  std::vector<double> answer_of(uint32_t node) const {
    const std::vector<double> sums = outputs(node);
    if (sums.empty()) return tree_.nodes[node].answer;
    const LoweredFormula& formula = *tree_.nodes[node].formula;
    if (!tree_.is_classifier()) return {std::clamp(sums[0], formula.low, formula.high)};
    const std::vector<double> listed = softmax(sums);
    std::vector<double> probabilities(tree_.target.classes.size(), 0.0);
    for (size_t o = 0; o < listed.size(); ++o) {
      probabilities[formula.outputs[o].class_index] = listed[o];
    }
    return probabilities;
  }

  std::vector<double> scores_of(uint32_t node) const {
    std::vector<double> scores = outputs(node);
    if (!scores.empty()) return scores;
    for (const double probability : tree_.nodes[node].answer) {
      scores.push_back(math::log(probability));
    }
    return scores;
  }

  const LoweredTree& tree_;
  std::vector<double> cells_;
  std::map<uint32_t, double> ends_;
};

}  // namespace softwood::test
