#include "study/train.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "fit/complexity.h"
#include "softwood/error.h"
#include "softwood/version.h"
#include "tree/spreads.h"

namespace softwood {
namespace {

TrainOutcome outcome_of(const Table& table, const TrainRequest& request, const Recipe& whole,
                        const std::vector<double>& factors, Trained trained) {
  // Stages that were stopped are written down as those that give the same tree.
  const std::string recipe =
      trained.report.repeat_settings.empty()
          ? whole.text()
          : Recipe::parse(whole.text(), trained.report.repeat_settings).text();
  Provenance provenance{request.method,      recipe,       request.seed, std::string(version()),
                        table.fingerprint(), table.rows(), factors};
  if (trained.report.stopped != Stopped::converged &&
      (trained.by_the_clock || trained.report.repeat_settings.empty())) {
    provenance.stopped = stopped_name(trained.report.stopped);
  }
  Model model{table.schema(), std::move(trained.tree), std::move(provenance),
              std::move(trained.report.complexity)};
  return {std::move(model), std::move(trained.seconds), trained.report.stopped};
}

std::optional<Sample> validation_sample(const Table* validation, std::vector<RowIndex>& rows) {
  if (validation == nullptr) return std::nullopt;
  rows = all_rows(*validation);
  return Sample{validation, rows};
}

Recipe recipe_of(const Model& model) {
  try {
    return Recipe::parse(model.provenance.recipe);
  } catch (const Error& error) {
    throw Error(ErrorKind::model, std::string("the model's recipe can't be run: ") + error.what(),
                {}, error.advice());
  }
}

// Rows by which stages choose must mean the same as the training rows.
void check_validation(const Table& table, const Table* validation) {
  if (validation == nullptr) return;
  const Schema &ours = table.schema(), &theirs = validation->schema();
  if (!validation->has_target() || ours.features != theirs.features ||
      ours.target != theirs.target) {
    throw Error(ErrorKind::data,
                "the validation rows do not have the columns of the training rows");
  }
}

}  // namespace

namespace {

// A budget is a promise only where stages can keep it.
void note_stages_without_end(const Recipe& recipe, const Control& control) {
  if (!control.deadline) return;
  if (!recipe.anytime()) {
    return control.warn("the budget changes nothing: no stage of this recipe can stop early");
  }
  std::vector<std::string> names;
  for (const Step& step : recipe.steps()) {
    const std::string& name = step.stage->name;
    if (step.stage->anytime || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
  }
  if (names.empty()) return;
  control.say(fmt::format("{} {} not stop early: the budget ends the other stages only",
                          join(names, " and "), names.size() == 1 ? "does" : "do"));
}

// The whole recipe, of which the first `finished` steps gave `tree`. `factors` are those of the
// classes, or empty.
TrainOutcome run_on(const Table& table, const TrainRequest& request, const Recipe& whole,
                    const std::vector<double>& factors, std::optional<Tree> tree, size_t finished,
                    std::optional<ComplexityTable> complexity, const Parallel& parallel,
                    const Control& control) {
  check_validation(table, request.validation);
  note_stages_without_end(whole, control);
  std::optional<Table> weighted, weighted_validation;
  if (!factors.empty()) {
    weighted = reweighted(table, factors);
    if (request.validation != nullptr) {
      weighted_validation = reweighted(*request.validation, factors);
    }
  }
  Derived derived(weighted ? *weighted : table);
  const std::vector<RowIndex> rows = all_rows(table);
  std::vector<RowIndex> validation_rows;
  const Table* validation = weighted_validation ? &*weighted_validation : request.validation;
  const Training training{derived,           rows, validation_sample(validation, validation_rows),
                          request.seed,      true, request.class_costs.costs,
                          request.checkpoint};
  Trained trained = run_recipe(whole, training, parallel, control, std::move(tree), finished);
  if (request.validation != nullptr && !trained.report.validation_used) {
    control.warn(
        "the validation rows were not used: no stage of this recipe chooses by them, as 'prune' "
        "does with by=cost-complexity or reduced-error");
  }
  note_spreads(trained.tree, table, rows);
  if (!trained.report.complexity && complexity) {
    fit::mark_tree(trained.tree, *complexity);
    trained.report.complexity = std::move(complexity);
  }
  return outcome_of(table, request, whole, factors, std::move(trained));
}

bool serves(const Recipe& recipe, Task task) {
  return std::all_of(recipe.steps().begin(), recipe.steps().end(), [&](const Step& step) {
    return step.traits().only_task.value_or(task) == task;
  });
}

Advice task_advice(Task task, const std::string& fitting) {
  const bool numbers = task == Task::regression;
  const std::string kind = numbers ? "numbers" : "classes";
  const std::string other(task_name(numbers ? Task::classification : Task::regression));
  return {AdviceCode::choose_for_task,
          fmt::format("for {} there are {}; or set the task to {}", kind, fitting, other),
          {kind, fitting, other}};
}

}  // namespace

void refuse_unfit_method(const std::string& method, const Recipe& recipe, const Schema& schema) {
  const Task task = schema.task();
  if (method.empty() || serves(recipe, task)) return;
  std::vector<std::string> fitting;
  for (const Method& other : methods()) {
    if (serves(Recipe::parse(other.recipe), task)) fitting.push_back(other.name);
  }
  const bool numbers = task == Task::regression;
  throw Error(ErrorKind::usage,
              fmt::format("method '{}' is for {}, and target '{}' {}", method,
                          numbers ? "classes" : "numbers", schema.target.name,
                          numbers ? "is a number" : "has classes"),
              {}, task_advice(task, join(fitting, ", ")));
}

TrainOutcome train(const Table& table, const TrainRequest& request, const Parallel& parallel,
                   const Control& control) {
  refuse_unfit_method(request.method, request.recipe, table.schema());
  const std::vector<double> factors = request.class_costs.classes.factors(table, all_rows(table));
  return run_on(table, request, request.recipe, factors, {}, 0, {}, parallel, control);
}

namespace {

using Seconds = std::vector<std::pair<std::string, double>>;  // by stage

void add_seconds(Seconds& to, const Seconds& more) {
  for (const auto& [stage, seconds] : more) {
    const auto same = std::find_if(
        to.begin(), to.end(), [&name = stage](const auto& entry) { return entry.first == name; });
    if (same == to.end()) {
      to.emplace_back(stage, seconds);
    } else {
      same->second += seconds;
    }
  }
}

// A stage that needs rows of its own has a finished tree made anew without them: that must not
// happen unnoticed.
void warn_of_new_trees(std::span<const Step> steps, const Control& control) {
  const auto needing = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    return step.traits().unseen_rows == UnseenRows::needed;
  });
  if (needing == steps.end()) return;
  control.warn(
      {fmt::format("{} needs rows that the tree has not seen: a part of these is held out and the "
                   "tree is grown again from the others",
                   needing->label()),
       {AdviceCode::give_validation, "with validation rows the tree is pruned as it is"}});
}

}  // namespace

namespace {

// What was pruned does not come back, though the table still lists it.
void note_smaller_alphas(const Model& model, std::span<const Step> steps, const Control& control) {
  if (!model.complexity) return;
  const double pruned_at = model.complexity->rows[model.complexity->chosen].cp;
  for (const Step& step : steps) {
    double alpha = 0;
    if (step.stage->name != "prune" || !parse_number(step.options.text("alpha"), alpha)) continue;
    if (alpha >= pruned_at) continue;
    control.say({fmt::format("alpha={} changes nothing: the model is already pruned at {}",
                             number_text(alpha), short_number(pruned_at)),
                 fmt::format("train with the recipe \"grow | prune alpha={}\" for the larger tree",
                             number_text(alpha))});
  }
}

}  // namespace

TrainOutcome rework(const Model& model, const Table& table, const TrainRequest& request,
                    const Parallel& parallel, const Control& control) {
  const Recipe before = recipe_of(model);
  const std::span<const Step> steps = request.recipe.steps();
  const std::vector<double>& factors = model.provenance.class_weights;
  TrainRequest more = request;
  more.class_costs = {{}, model.tree.costs()};
  const bool other_rows = table.fingerprint() != model.provenance.fingerprint;
  const bool judge = other_rows && request.validation == nullptr &&
                     steps.front().traits().unseen_rows != UnseenRows::unused;
  if (other_rows && (!judge || steps.size() > 1)) {
    control.warn(
        "these are not the rows that the model was trained on: stages learn from these, and nodes "
        "that no stage counts anew keep the numbers of the training rows");
  }
  note_smaller_alphas(model, steps, control);
  if (request.validation == nullptr) warn_of_new_trees(steps.subspan(judge ? 1 : 0), control);
  const Recipe whole = before.then(request.recipe);
  size_t finished = before.steps().size();
  TrainOutcome outcome{model, {}, Stopped::converged, other_rows};
  if (judge) {
    control.say("the tree is pruned by these rows, which it has not seen");
    Control without_end = control;  // pruning does not stop early
    without_end.deadline.reset();
    more.validation = &table;
    outcome = run_on(table, more, whole.first(finished + 1), factors, model.tree, finished,
                     model.complexity, parallel, without_end);
    ++finished;
    more.validation = nullptr;
    outcome.model.provenance.fingerprint = model.provenance.fingerprint;
    outcome.model.provenance.rows = model.provenance.rows;
  }
  if (finished < whole.steps().size()) {
    Seconds seconds = std::move(outcome.seconds);
    outcome = run_on(table, more, whole, factors, std::move(outcome.model.tree), finished,
                     std::move(outcome.model.complexity), parallel, control);
    add_seconds(seconds, outcome.seconds);
    outcome.seconds = std::move(seconds);
  }
  outcome.other_rows = other_rows;
  std::string& stopped = outcome.model.provenance.stopped;
  if (stopped.empty()) stopped = model.provenance.stopped;
  return outcome;
}

}  // namespace softwood
