// How leaves answer, as plain data. Nothing else of this layer looks inside a leaf.
#include "lower/lower.h"

namespace softwood {

namespace {

EstimateKind estimate_kind(LeafForm form, Task task) {
  if (task == Task::regression) return EstimateKind::frequencies;
  switch (form) {
    case LeafForm::distribution:
    case LeafForm::linear:
    case LeafForm::ridge:
      return EstimateKind::frequencies;
    case LeafForm::majority:
      return EstimateKind::majority;
    case LeafForm::m_estimate:
      return EstimateKind::m_estimate;
    case LeafForm::laplace:
    case LeafForm::logistic:
    case LeafForm::naive_bayes:
    case LeafForm::trained:
    case LeafForm::scores:
      return EstimateKind::laplace;
  }
  return EstimateKind::frequencies;
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
  lowered.estimate = estimate_kind(plan.form, tree.task());
  if (lowered.estimate == EstimateKind::m_estimate) lowered.m = plan.m;
  if (fits_leaf_models(plan.form)) {
    lowered.formulas = FormulaKind::fitted;
  } else if (has_leaf_models(plan.form)) {
    lowered.formulas = FormulaKind::trained;
  }
  if (plan.form == LeafForm::scores) lowered.mixing.kind = MixingKind::scores;
  lowered.mixing.low = plan.low;
  lowered.mixing.high = plan.high;
}

}  // namespace softwood
