#include "render/export/features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lower/condition.h"

namespace softwood::render {
namespace {

const std::string harden = "the stage 'harden' makes a hard tree of it";

class Finder {
 public:
  explicit Finder(const LoweredTree& tree) {
    add(tree.is_classifier() ? Feature::classification : Feature::regression);
    for (const LoweredNode& node : tree.nodes) {
      if (node.split) find(*node.split);
      if (node.formula) find(*node.formula, tree.is_classifier());
    }
    if (tree.mixing.kind == MixingKind::scores) add(Feature::mixed_scores);
    if (std::isfinite(tree.mixing.low) || std::isfinite(tree.mixing.high)) {
      add(Feature::limited_answers);
    }
    if (!tree.decision.costs.empty()) add(Feature::costs);
  }

  bool has(Feature feature) const { return found_[static_cast<size_t>(feature)]; }

 private:
  void add(Feature feature) { found_[static_cast<size_t>(feature)] = true; }

  void find(const LoweredTerm& term) {
    switch (term.kind) {
      case TermKind::value:
        return;
      case TermKind::square:
      case TermKind::product:
        return add(Feature::squares);
      case TermKind::asinh:
        return add(Feature::asinh_terms);
      case TermKind::level:
        return add(Feature::level_terms);
    }
  }

  void find(const LoweredScore& score) {
    for (const LoweredTerm& term : score.terms) find(term);
    const bool plain = score.terms.size() == 1 && score.terms[0].kind == TermKind::value &&
                       score.terms[0].coefficient == 1;
    add(plain ? Feature::thresholds : Feature::sums);
    if (score.link == LinkKind::ramp) add(Feature::ramps);
    if (score.link == LinkKind::logistic) add(Feature::logistic_gates);
  }

  void find(const LoweredLevels& levels) {
    add(levels.children > 2 ? Feature::multiway_levels : Feature::level_sets);
  }

  void find(const LoweredCondition& condition) {
    std::visit([this](const auto& kind) { find(kind); }, condition);
  }

  void find(const LoweredSplit& split) {
    find(split.condition);
    for (const LoweredSurrogate& surrogate : split.missing.surrogates) {
      find(surrogate.condition);
      add(Feature::surrogates);
    }
    switch (split.missing.action) {
      case MissingAction::child:
        return add(Feature::missing_child);
      case MissingAction::shares:
        return add(Feature::missing_shares);
      case MissingAction::stay:
        return add(Feature::missing_stays);
      case MissingAction::own_child:
        return add(Feature::missing_own_child);
      case MissingAction::impute:
        return add(Feature::missing_imputed);
    }
  }

  void find(const LoweredFormula& formula, bool classes) {
    add(classes ? Feature::softmax_leaves : Feature::linear_leaves);
    for (const LoweredTerm& term : formula.terms) find(term);
  }

  std::array<bool, 32> found_{};
};

}  // namespace

std::span<const FeatureRow> features() {
  static const std::vector<FeatureRow> table = {
      {Feature::classification, "classification", ""},
      {Feature::regression, "regression", ""},
      {Feature::thresholds, "thresholds of one input", ""},
      {Feature::level_sets, "sets of levels", ""},
      {Feature::multiway_levels, "a branch per level", "train with grow.nominal=subset"},
      {Feature::sums, "sums of inputs", "train with grow.split=axis"},
      {Feature::squares, "squares and products", "train with grow.split=axis"},
      {Feature::asinh_terms, "asinh terms", ""},
      {Feature::level_terms, "levels in sums", ""},
      {Feature::ramps, "ramps", harden},
      {Feature::logistic_gates, "logistic gates", harden},
      {Feature::missing_child, "missing values: one child", ""},
      {Feature::missing_shares, "missing values: divided", "train with grow.missing=majority"},
      {Feature::missing_stays, "missing values: the node answers",
       "train with grow.missing=majority"},
      {Feature::missing_own_child, "missing values: own child", "train with grow.missing=majority"},
      {Feature::missing_imputed, "missing values: imputed", "train with grow.missing=majority"},
      {Feature::surrogates, "surrogates", "train with grow.missing=majority"},
      {Feature::linear_leaves, "linear leaves", "train with grow.leaf=distribution"},
      {Feature::softmax_leaves, "logistic and naive Bayes leaves",
       "train with grow.leaf=distribution"},
      {Feature::mixed_scores, "leaves that mix log odds", harden},
      {Feature::limited_answers, "answers held in a range", ""},
      {Feature::costs, "costs of errors", ""},
  };
  return table;
}

const FeatureRow& feature_row(Feature feature) {
  const auto all = features();
  return *std::find_if(all.begin(), all.end(),
                       [=](const FeatureRow& row) { return row.feature == feature; });
}

std::vector<Feature> features_of(const LoweredTree& tree) {
  const Finder finder(tree);
  std::vector<Feature> found;
  for (const FeatureRow& row : features()) {
    if (finder.has(row.feature)) found.push_back(row.feature);
  }
  return found;
}

}  // namespace softwood::render
