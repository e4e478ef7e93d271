#include "tree/leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "base/math.h"
#include "tree/gates/kinds.h"
#include "tree/json_fields.h"

namespace softwood {

using nlohmann::json;

namespace {

struct EstimatorEntry {
  LeafEstimator estimator;
  std::string_view name;
  bool regression;  // all are for classes
};
constexpr std::array estimators = {
    EstimatorEntry{LeafEstimator::distribution, "distribution", true},
    EstimatorEntry{LeafEstimator::majority, "majority", false},
    EstimatorEntry{LeafEstimator::laplace, "laplace", false},
    EstimatorEntry{LeafEstimator::m_estimate, "m-estimate", false},
};

const EstimatorEntry& entry_of(LeafEstimator estimator) {
  return *std::find_if(estimators.begin(), estimators.end(),
                       [=](const EstimatorEntry& entry) { return entry.estimator == estimator; });
}

constexpr std::string_view trained_word = "trained", scores_word = "scores";

}  // namespace

std::vector<std::string> leaf_estimator_names() {
  std::vector<std::string> names;
  names.reserve(estimators.size());
  for (const EstimatorEntry& entry : estimators) names.emplace_back(entry.name);
  return names;
}

std::optional<LeafEstimator> leaf_estimator(std::string_view name) {
  for (const EstimatorEntry& entry : estimators) {
    if (entry.name == name) return entry.estimator;
  }
  return std::nullopt;
}

bool estimator_fits(LeafEstimator estimator, Task task) {
  return task == Task::classification || entry_of(estimator).regression;
}

bool LeafPlan::operator==(const LeafPlan& other) const {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return estimator == other.estimator && models == other.models && mixing == other.mixing &&
         learner == other.learner && m == other.m && same(penalty, other.penalty) &&
         low == other.low && high == other.high;
}

LeafPlan fitted_leaves(std::string learner) {
  LeafPlan plan;
  plan.estimator = LeafEstimator::laplace;
  plan.models = LeafModels::fitted;
  plan.learner = std::move(learner);
  return plan;
}

LeafPlan trained_leaves(LeafMixing mixing) {
  LeafPlan plan;
  plan.estimator = LeafEstimator::laplace;
  plan.models = LeafModels::trained;
  plan.mixing = mixing;
  return plan;
}

std::string leaf_plan_name(const LeafPlan& plan) {
  switch (plan.models) {
    case LeafModels::none:
      return std::string(entry_of(plan.estimator).name);
    case LeafModels::fitted:
      return plan.learner;
    case LeafModels::trained:
      return std::string(plan.mixes_scores() ? scores_word : trained_word);
  }
  return {};
}

size_t leaf_model_parameters(const LeafModel& model) {
  const auto counts = [](double value) { return value != 0; };
  const auto count = static_cast<size_t>(
      std::count_if(model.coefficients.begin(), model.coefficients.end(), counts));
  // Without terms there is one answer, which nothing limits.
  if (model.link == LeafLink::softmax || model.terms.empty()) return count;
  return count + (counts(model.low) ? 1 : 0) + (counts(model.high) ? 1 : 0);
}

bool leaf_model_outputs(const LeafModel& model, const Table& table, RowIndex row,
                        std::span<const double> typical, std::vector<double>& outputs) {
  outputs.resize(model.outputs());
  for (size_t o = 0; o < outputs.size(); ++o) outputs[o] = model.row(o)[0];
  for (size_t t = 0; t < model.terms.size(); ++t) {
    const double value = term_value(model.terms[t], table, row, typical);
    for (size_t o = 0; o < outputs.size(); ++o) outputs[o] += model.row(o)[1 + t] * value;
  }
  for (const double output : outputs) {
    if (!std::isfinite(output)) return false;
  }
  return true;
}

namespace {

// The link; `outputs` is used up.
void set_answer(const LeafModel& model, std::vector<double>& outputs, std::span<double> answer) {
  if (model.link == LeafLink::identity) {
    answer[0] = std::clamp(outputs[0], model.low, model.high);
    return;
  }
  math::softmax(outputs);
  std::fill(answer.begin(), answer.end(), 0.0);
  for (size_t o = 0; o < outputs.size(); ++o) answer[model.classes[o]] = outputs[o];
}

}  // namespace

bool leaf_model_answer(const LeafModel& model, const Table& table, RowIndex row,
                       std::span<const double> typical, std::vector<double>& outputs,
                       std::span<double> answer) {
  if (!leaf_model_outputs(model, table, row, typical, outputs)) return false;
  set_answer(model, outputs, answer);
  return true;
}

void append_leaf_plan_json(const LeafPlan& plan, std::string& out) {
  const std::string name = leaf_plan_name(plan);
  if (name == entry_of(LeafEstimator::distribution).name) return;
  out += fmt::format(R"("leaf": {{"form": "{}")", name);
  if (!plan.has_models() && plan.estimator == LeafEstimator::m_estimate) {
    out += R"(, "m": )";
    append_number(plan.m, out);
  }
  if (std::isfinite(plan.penalty)) {
    out += R"(, "penalty": )";
    append_number(plan.penalty, out);
  }
  if (plan.has_range()) {
    out += R"(, "range": [)";
    append_number(plan.low, out);
    out += ", ";
    append_number(plan.high, out);
    out += ']';
  }
  out += "},\n";
}

namespace {

std::pair<double, double> checked_range(const json& list, const std::string& what) {
  if (checked_array(list, what).size() != 2) model_error(what + " must have two entries");
  const double low = checked_number(list[0], what), high = checked_number(list[1], what);
  if (low > high) model_error(what + " ends below its beginning");
  return {low, high};
}

}  // namespace

namespace {

// Learners are known by name alone: their models stand in the leaves, so that no answer depends on
// whether this program could fit them again.
bool can_name_a_learner(std::string_view name) {
  constexpr size_t longest = 40;
  return !name.empty() && name.size() <= longest && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

LeafPlan plan_called(const std::string& name, Task task) {
  LeafPlan plan;
  if (const auto estimator = leaf_estimator(name)) {
    plan.estimator = *estimator;
    if (*estimator == LeafEstimator::distribution || !estimator_fits(*estimator, task)) {
      model_error("'leaf' has a form that this target can't have, or that is not written");
    }
    return plan;
  }
  if (name == trained_word) return trained_leaves(LeafMixing::answers);
  if (name == scores_word) {
    if (task == Task::regression) model_error("'leaf' has the form scores, which is for classes");
    return trained_leaves(LeafMixing::scores);
  }
  if (!can_name_a_learner(name)) model_error("'leaf' has a form that is not the name of one");
  return fitted_leaves(name);
}

}  // namespace

LeafPlan leaf_plan_from_json(const json& object, Task task) {
  check_object(object, "'leaf'", {"form", "m", "penalty", "range"});
  LeafPlan plan = plan_called(checked_text(required(object, "form"), "'form' of 'leaf'"), task);
  const bool has_m = !plan.has_models() && plan.estimator == LeafEstimator::m_estimate;
  if (object.contains("m") != has_m) {
    model_error("'m' of 'leaf' must be there for the form m-estimate, and only then");
  }
  if (const json* m = optional(object, "m")) plan.m = not_negative(*m, "'m' of 'leaf'");
  if (const json* penalty = optional(object, "penalty")) {
    if (!plan.fits_models()) model_error("this form of 'leaf' has no 'penalty'");
    plan.penalty = not_negative(*penalty, "'penalty' of 'leaf'");
  }
  if (const json* range = optional(object, "range")) {
    if (!plan.has_trained_models() || plan.mixes_scores() || task != Task::regression) {
      model_error("'range' of 'leaf' is for the form trained, and for regression");
    }
    std::tie(plan.low, plan.high) = checked_range(*range, "'range' of 'leaf'");
  }
  return plan;
}

// {"terms": [{"value": "a"}], "range": [0, 9], "coefficients": [[3, 0.5]]}
// {"terms": [{"value": "a"}], "classes": ["no", "yes"], "coefficients": [[0, 0], [1, -0.2]]}
void append_leaf_model_json(const LeafModel& model, const Schema& schema, const QuotedNames& names,
                            std::string& out) {
  const auto append_list = [&](size_t count, const auto& append) {
    out += '[';
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) out += ", ";
      append(i);
    }
    out += ']';
  };
  out += R"({"terms": )";
  append_list(model.terms.size(), [&](size_t t) { append_term_json(model.terms[t], names, out); });
  if (model.link == LeafLink::identity) {
    out += R"(, "range": )";
    append_list(2, [&](size_t i) { append_number(i == 0 ? model.low : model.high, out); });
  } else {
    out += R"(, "classes": )";
    append_list(model.classes.size(),
                [&](size_t o) { out += json(schema.target.levels[model.classes[o]]).dump(); });
  }
  out += R"(, "coefficients": )";
  append_list(model.outputs(), [&](size_t o) {
    append_list(model.row(o).size(), [&](size_t k) { append_number(model.row(o)[k], out); });
  });
  out += '}';
}

namespace {

void read_classes(const json& list, const Schema& schema, LeafModel& model) {
  model.link = LeafLink::softmax;
  for (const json& name : checked_array(list, "'classes' of a model")) {
    const int32_t code = schema.target.level_code(checked_text(name, "a class of a model"));
    if (code < 0) model_error("a model has a class that the target does not have");
    const auto next = static_cast<uint32_t>(code);
    if (!model.classes.empty() && next <= model.classes.back()) {
      model_error("the classes of a model are not in the order of the target's");
    }
    model.classes.push_back(next);
  }
  if (model.classes.size() < 2) model_error("a model must have at least two classes");
}

}  // namespace

LeafModel leaf_model_from_json(const json& object, const NameIndex& names) {
  check_object(object, "a model", {"terms", "range", "classes", "coefficients"});
  LeafModel model;
  for (const json& term : checked_array(required(object, "terms"), "'terms' of a model")) {
    if (term.is_object() && term.contains("times")) {
      model_error("a term of a model has 'times'; its coefficients stand in 'coefficients'");
    }
    model.terms.push_back(term_from_json(term, names));
    check_term(model.terms.back(), names.schema);
  }
  const bool numbers = names.schema.task() == Task::regression;
  if (object.contains("range") != numbers || object.contains("classes") == numbers) {
    model_error("a model has 'range' when the target is a number, else 'classes'");
  }
  if (numbers) {
    std::tie(model.low, model.high) =
        checked_range(required(object, "range"), "'range' of a model");
  } else {
    read_classes(required(object, "classes"), names.schema, model);
  }
  const json& rows = checked_array(required(object, "coefficients"), "'coefficients'");
  if (rows.size() != model.outputs()) {
    model_error(
        fmt::format("'coefficients' has {} lists instead of {}", rows.size(), model.outputs()));
  }
  for (const json& row : rows) {
    if (checked_array(row, "a list of coefficients").size() != 1 + model.terms.size()) {
      model_error("a list of coefficients must have one more number than there are terms");
    }
    for (const json& number : row) {
      model.coefficients.push_back(checked_number(number, "a coefficient"));
    }
  }
  return model;
}

}  // namespace softwood
