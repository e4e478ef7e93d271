// How leaves answer, as plain data. Nothing else of this layer looks inside a leaf.
#include "lower/lower.h"

namespace softwood {

namespace {

EstimateKind estimate_kind(LeafEstimator estimator, Task task) {
  if (task == Task::regression) return EstimateKind::frequencies;
  switch (estimator) {
    case LeafEstimator::distribution:
      return EstimateKind::frequencies;
    case LeafEstimator::majority:
      return EstimateKind::majority;
    case LeafEstimator::m_estimate:
      return EstimateKind::m_estimate;
    case LeafEstimator::laplace:
      return EstimateKind::laplace;
  }
  return EstimateKind::frequencies;
}

FormulaKind formula_kind(LeafModels models) {
  switch (models) {
    case LeafModels::none:
      return FormulaKind::none;
    case LeafModels::fitted:
      return FormulaKind::fitted;
    case LeafModels::trained:
      return FormulaKind::trained;
  }
  return FormulaKind::none;
}

}  // namespace

LoweredFormula lower_leaf_model(const LeafModel& model) {
  LoweredFormula formula;
  for (const Term& term : model.terms) formula.terms.push_back(lower_term(term));
  for (size_t o = 0; o < model.outputs(); ++o) {
    const auto row = model.row(o);
    LoweredOutput& output = formula.outputs.emplace_back();
    if (model.link == LeafLink::softmax) output.class_index = model.classes[o];
    output.constant = row[0];
    output.coefficients.assign(row.begin() + 1, row.end());
  }
  formula.low = model.low;
  formula.high = model.high;
  return formula;
}

void lower_leaf_plan(const Tree& tree, LoweredTree& lowered) {
  const LeafPlan& plan = tree.leaf_plan();
  lowered.estimate = estimate_kind(plan.estimator, tree.task());
  if (lowered.estimate == EstimateKind::m_estimate) lowered.m = plan.m;
  lowered.formulas = formula_kind(plan.models);
  if (plan.mixes_scores()) lowered.mixing.kind = MixingKind::scores;
  lowered.mixing.low = plan.low;
  lowered.mixing.high = plan.high;
}

}  // namespace softwood
