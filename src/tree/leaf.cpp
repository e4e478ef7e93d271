#include "tree/leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/text.h"
#include "tree/gates/kinds.h"
#include "tree/json_fields.h"
#include "tree/leaf_answer.h"

namespace softwood {

using nlohmann::json;

namespace {

struct FormEntry {
  LeafForm form;
  std::string_view name;
  bool classes, numbers;  // which tasks it is for
};
constexpr std::array forms = {
    FormEntry{LeafForm::distribution, "distribution", true, true},
    FormEntry{LeafForm::majority, "majority", true, false},
    FormEntry{LeafForm::laplace, "laplace", true, false},
    FormEntry{LeafForm::m_estimate, "m-estimate", true, false},
    FormEntry{LeafForm::linear, "linear", false, true},
    FormEntry{LeafForm::ridge, "ridge", false, true},
    FormEntry{LeafForm::logistic, "logistic", true, false},
    FormEntry{LeafForm::naive_bayes, "naive-bayes", true, false},
    FormEntry{LeafForm::trained, "trained", true, true},
    FormEntry{LeafForm::scores, "scores", true, false},
};

const FormEntry& entry_of(LeafForm form) {
  return *std::find_if(forms.begin(), forms.end(),
                       [=](const FormEntry& entry) { return entry.form == form; });
}

bool has_penalty(LeafForm form) { return form == LeafForm::ridge || form == LeafForm::logistic; }

}  // namespace

std::string_view leaf_form_name(LeafForm form) { return entry_of(form).name; }

std::optional<LeafForm> leaf_form(std::string_view name) {
  for (const FormEntry& entry : forms) {
    if (entry.name == name) return entry.form;
  }
  return std::nullopt;
}

std::vector<std::string> leaf_form_names() {
  std::vector<std::string> names;
  names.reserve(forms.size());
  for (const FormEntry& entry : forms) {
    if (!has_leaf_models(entry.form) || fits_leaf_models(entry.form))
      names.emplace_back(entry.name);
  }
  return names;
}

bool leaf_form_fits(LeafForm form, Task task) {
  return task == Task::classification ? entry_of(form).classes : entry_of(form).numbers;
}

bool has_leaf_models(LeafForm form) {
  switch (form) {
    case LeafForm::distribution:
    case LeafForm::majority:
    case LeafForm::laplace:
    case LeafForm::m_estimate:
      return false;
    case LeafForm::linear:
    case LeafForm::ridge:
    case LeafForm::logistic:
    case LeafForm::naive_bayes:
    case LeafForm::trained:
    case LeafForm::scores:
      return true;
  }
  return false;
}

bool fits_leaf_models(LeafForm form) {
  return has_leaf_models(form) && form != LeafForm::trained && form != LeafForm::scores;
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
  const double top = *std::max_element(outputs.begin(), outputs.end());
  double sum = 0;
  for (double& output : outputs) sum += output = std::exp(output - top);
  std::fill(answer.begin(), answer.end(), 0.0);
  for (size_t o = 0; o < outputs.size(); ++o) answer[model.classes[o]] = outputs[o] / sum;
}

}  // namespace

bool leaf_model_answer(const LeafModel& model, const Table& table, RowIndex row,
                       std::span<const double> typical, std::vector<double>& outputs,
                       std::span<double> answer) {
  if (!leaf_model_outputs(model, table, row, typical, outputs)) return false;
  set_answer(model, outputs, answer);
  return true;
}

void constant_answer(const LeafModel& model, std::span<double> answer) {
  std::vector<double> outputs;
  for (size_t o = 0; o < model.outputs(); ++o) outputs.push_back(model.row(o)[0]);
  set_answer(model, outputs, answer);
}

namespace {

// "3 + 0.5*a - 2*b": an output less that of another one (none: the output itself).
std::string output_text(const LeafModel& model, size_t output, std::optional<size_t> less,
                        const Schema& schema, size_t most_terms) {
  const auto number = [&](size_t k) {
    return model.row(output)[k] - (less ? model.row(*less)[k] : 0);
  };
  std::vector<Term> terms;
  for (size_t t = 0; t < model.terms.size(); ++t) {
    if (number(1 + t) == 0) continue;
    terms.push_back(model.terms[t]);
    terms.back().coefficient = number(1 + t);
  }
  // "1 more term" would be as long as the term.
  const bool all = terms.size() <= most_terms || terms.size() == most_terms + 1;
  const size_t shown = all ? terms.size() : most_terms;
  std::string text = shown_number(number(0));
  append_terms_text(std::span(terms).first(shown), schema, text);
  if (shown < terms.size()) text += fmt::format(" + {} more terms", terms.size() - shown);
  return text;
}

// The output whose coefficients are all 0, if there is one; else the first.
size_t reference_output(const LeafModel& model) {
  for (size_t o = 0; o < model.outputs(); ++o) {
    const auto row = model.row(o);
    if (std::all_of(row.begin(), row.end(), [](double value) { return value == 0; })) return o;
  }
  return 0;
}

// "g 93.6 %, h 6.4 %", the most likely first, of a model without terms; classes that would be
// printed as 0.0 % are left out.
std::string constant_shares(const LeafModel& model, const Schema& schema) {
  constexpr double least_shown = 5e-4;
  std::vector<double> answer(schema.classes());
  constant_answer(model, answer);
  std::vector<std::pair<double, size_t>> shares;
  for (const uint32_t c : model.classes) shares.emplace_back(answer[c], c);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (const auto& [share, c] : shares) {
    if (share < least_shown) break;
    parts.push_back(fmt::format(
        "{} {:.1f} %", shown_name(schema.target.levels[c], NamePlace::comparison), 100 * share));
  }
  return join(parts, ", ");
}

std::string class_name(const LeafModel& model, const Schema& schema, size_t output) {
  return shown_name(schema.target.levels[model.classes[output]], NamePlace::comparison);
}

// What the leaves of a soft tree mix, of a model without terms: "log odds of g to h = 2.7; alone
// g 93.6 %, h 6.4 %"; of more classes "scores of g 2.7, h 0, i -8; alone g ...".
std::string constant_scores(const LeafModel& model, const Schema& schema) {
  const auto name = [&](size_t output) { return class_name(model, schema, output); };
  const std::string alone = "; alone " + constant_shares(model, schema);
  if (model.outputs() == 2) {
    return fmt::format("log odds of {} to {} = {}{}", name(1), name(0),
                       shown_number(model.row(1)[0] - model.row(0)[0]), alone);
  }
  std::vector<std::string> parts;
  for (size_t o = 0; o < model.outputs(); ++o) {
    parts.push_back(name(o) + " " + shown_number(model.row(o)[0]));
  }
  return "scores of " + join(parts, ", ") + alone;
}

}  // namespace

std::vector<std::string> leaf_model_lines(const LeafModel& model, const Schema& schema,
                                          LeafForm form, size_t most_terms) {
  if (model.link == LeafLink::identity && model.terms.empty()) {
    return {fmt::format("{} = {}", shown_name(schema.target.name, NamePlace::comparison),
                        shown_number(model.row(0)[0]))};
  }
  if (model.link == LeafLink::identity) {
    return {fmt::format("{} = {}, from {} to {}",
                        shown_name(schema.target.name, NamePlace::comparison),
                        output_text(model, 0, {}, schema, most_terms), shown_number(model.low),
                        shown_number(model.high))};
  }
  if (model.terms.empty()) {
    if (form == LeafForm::scores) return {constant_scores(model, schema)};
    return {fmt::format("{} = {}", shown_name(schema.target.name, NamePlace::comparison),
                        constant_shares(model, schema))};
  }
  const size_t reference = reference_output(model);
  std::vector<std::string> lines;
  for (size_t o = 0; o < model.outputs(); ++o) {
    if (o == reference) continue;
    lines.push_back(fmt::format("log odds of {} to {} = {}", class_name(model, schema, o),
                                class_name(model, schema, reference),
                                output_text(model, o, reference, schema, most_terms)));
  }
  return lines;
}

void append_leaf_plan_json(const LeafPlan& plan, std::string& out) {
  if (plan.form == LeafForm::distribution) return;
  out += fmt::format(R"("leaf": {{"form": "{}")", leaf_form_name(plan.form));
  if (plan.form == LeafForm::m_estimate) {
    out += R"(, "m": )";
    append_number(plan.m, out);
  }
  if (has_penalty(plan.form) && std::isfinite(plan.penalty)) {
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

LeafPlan leaf_plan_from_json(const json& object, Task task) {
  check_object(object, "'leaf'", {"form", "m", "penalty", "range"});
  LeafPlan plan;
  const auto form = leaf_form(checked_text(required(object, "form"), "'form' of 'leaf'"));
  if (!form || *form == LeafForm::distribution || !leaf_form_fits(*form, task)) {
    model_error("'leaf' has a form that this target can't have, or that is not written");
  }
  plan.form = *form;
  if (object.contains("m") != (plan.form == LeafForm::m_estimate)) {
    model_error("'m' of 'leaf' must be there for the form m-estimate, and only then");
  }
  if (const json* m = optional(object, "m")) plan.m = not_negative(*m, "'m' of 'leaf'");
  if (const json* penalty = optional(object, "penalty")) {
    if (!has_penalty(plan.form)) model_error("this form of 'leaf' has no 'penalty'");
    plan.penalty = not_negative(*penalty, "'penalty' of 'leaf'");
  }
  if (const json* range = optional(object, "range")) {
    if (plan.form != LeafForm::trained || task != Task::regression) {
      model_error("'range' of 'leaf' is for the form trained, and for numbers");
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
