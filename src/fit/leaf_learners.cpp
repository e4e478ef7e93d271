#include "fit/leaf_learners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "softwood/error.h"

namespace softwood::fit {

std::span<const LeafLearner> leaf_learners() {
  static const std::vector<LeafLearner> table = {
      {"median", "the median", Task::regression, false, median_leaf, true},
      {"linear", "least squares", Task::regression, false, linear_leaf},
      {"ridge", "least squares with a penalty", Task::regression, true, ridge_leaf},
      {"logistic", "logistic regression with a penalty", Task::classification, true, logistic_leaf},
      {"naive-bayes", "naive Bayes", Task::classification, false, naive_bayes_leaf},
  };
  return table;
}

namespace {

const LeafLearner* learner_called(std::string_view name) {
  for (const LeafLearner& learner : leaf_learners()) {
    if (learner.name == name) return &learner;
  }
  return nullptr;
}

[[noreturn]] void refuse(std::string_view name, Task task) {
  std::vector<std::string> fitting = leaf_choices();
  std::erase_if(fitting,
                [&](const std::string& choice) { return !leaf_choice_fits(choice, task); });
  throw Error(ErrorKind::usage, fmt::format("leaf={} is not for {}", name, task_name(task)), {},
              fmt::format("for this target there are {}", join(fitting, ", ")));
}

}  // namespace

const LeafLearner& find_leaf_learner(std::string_view name, Task task) {
  const LeafLearner* const learner = learner_called(name);
  if (learner == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("leaf models called '{}' can't be fitted here", name),
                {}, known_names_hint(name, leaf_choices()));
  }
  if (learner->task != task) refuse(name, task);
  return *learner;
}

std::vector<std::string> leaf_choices() {
  std::vector<std::string> names = leaf_estimator_names();
  for (const LeafLearner& learner : leaf_learners()) names.push_back(learner.name);
  return names;
}

bool leaf_choice_fits(const std::string& name, Task task) {
  if (const auto estimator = leaf_estimator(name)) return estimator_fits(*estimator, task);
  const LeafLearner* const learner = learner_called(name);
  return learner != nullptr && learner->task == task;
}

bool fits_functions(const LeafPlan& plan, Task task) {
  return plan.fits_models() && !find_leaf_learner(plan.learner, task).constant;
}

LeafPlan leaf_plan_called(const std::string& name, Task task) {
  const auto estimator = leaf_estimator(name);
  if (!estimator) return fitted_leaves(find_leaf_learner(name, task).name);
  if (!estimator_fits(*estimator, task)) refuse(name, task);
  LeafPlan plan;
  plan.estimator = *estimator;
  return plan;
}

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

bool has_finite_coefficients(const LeafModel& model) {
  return std::all_of(model.coefficients.begin(), model.coefficients.end(),
                     [](double value) { return std::isfinite(value); });
}

}  // namespace softwood::fit
