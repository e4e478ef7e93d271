#include "study/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.h"
#include "fit/complexity.h"
#include "lower/lower.h"
#include "softwood/error.h"
#include "softwood/version.h"
#include "study/orderless.h"
#include "tree/spreads.h"

namespace softwood {
namespace {

// Of the inputs that soft splits ask about by themselves.
std::vector<InputRange> soft_ranges(const Model& model, const Table& table) {
  std::vector<InputRange> ranges;
  const auto is_soft = [&](NodeIndex i) {
    return !model.tree.node(i).is_leaf() && !is_hard(model.tree.node(i).gate());
  };
  NodeIndex soft = 0;
  while (soft < model.tree.size() && !is_soft(soft)) ++soft;
  if (soft == model.tree.size()) return ranges;  // large trees are: lowering takes much memory
  for (const LoweredNode& node : lower(model).nodes) {
    const auto* const score =
        node.split ? std::get_if<LoweredScore>(&node.split->condition) : nullptr;
    if (score == nullptr || score->link == LinkKind::step || score->terms.size() != 1) continue;
    const uint32_t input = score->terms[0].input;
    const Column& column = table.input(input);
    if (column.kind != Kind::numeric) continue;
    ranges.resize(table.features());
    if (!std::isnan(ranges[input].low)) continue;
    for (const double value : column.numbers) {
      if (std::isnan(value)) continue;
      ranges[input] = {std::fmin(ranges[input].low, value), std::fmax(ranges[input].high, value)};
    }
  }
  return ranges;
}

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
              std::move(trained.report.complexity), std::move(trained.report.frontier)};
  model.provenance.ranges = soft_ranges(model, table);
  return {std::move(model), std::move(trained.seconds), trained.report.stopped};
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

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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
// What a stop leaves is worth keeping where the tree has a split and was fitted to all rows.
void refuse_unusable(const Trained& trained) {
  const StageReport& report = trained.report;
  if (report.stopped == Stopped::converged) return;
  if (trained.tree.size() > 1 && !report.part_of_rows) return;
  if (report.stopped == Stopped::interrupt) {
    throw Error(ErrorKind::interrupted, "interrupted before there was a tree");
  }
  throw Error(ErrorKind::failure,
              "the budget was over before a tree with a split was fitted to all rows", {},
              "give it more time, or choose a recipe with less work");
}

// The whole recipe, of which the first `finished` steps gave `tree`. `factors` are those of the
// classes; empty: as the request says.
TrainOutcome run_on(const Table& table, const TrainRequest& request, const Recipe& whole,
                    std::vector<double> factors, std::optional<Tree> tree, size_t finished,
                    std::optional<ComplexityTable> complexity, const Parallel& parallel,
                    const Control& control) {
  check_validation(table, request.validation);
  note_stages_without_end(whole, control);
  const auto start = std::chrono::steady_clock::now();
  const StoppableWork work(control);
  const std::vector<RowIndex> all = all_rows(table);
  const bool reweighting = !factors.empty() || !request.class_costs.classes.empty();
  // Folds that the caller gives are numbers of rows as they stand.
  const bool canonical =
      request.runs.empty() && order_may_show(whole, table, all, reweighting, parallel, control);
  OrderlessRows rows(table, all, canonical, whole, parallel, control);
  if (factors.empty()) factors = request.class_costs.classes.factors(rows.table(), rows.rows());
  rows.reweigh(factors);
  std::vector<RowIndex> validation_rows;
  std::optional<OrderlessRows> validation;
  if (request.validation != nullptr) {
    validation_rows = all_rows(*request.validation);
    validation.emplace(*request.validation, validation_rows, canonical, whole, parallel, control);
    validation->reweigh(factors);
  }
  Derived derived(rows.table());
  Training training{derived,
                    rows.rows(),
                    {},
                    request.seed,
                    true,
                    request.class_costs.costs,
                    request.checkpoint,
                    request.runs};
  if (validation) training.validation = validation->sample();
  const double before = seconds_since(start);
  Trained trained = run_recipe(whole, training, parallel, control, std::move(tree), finished);
  if (!trained.seconds.empty()) trained.seconds.front().second += before;
  refuse_unusable(trained);
  if (request.validation != nullptr && !trained.report.validation_used) {
    control.warn(
        "the validation rows were not used: no stage of this recipe chooses by them, as 'prune' "
        "does with by=cost-complexity or reduced-error");
  }
  note_spreads(trained.tree, rows.plain(), rows.rows());
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
  const std::string kind = numbers ? "regression" : "classification";
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
                          numbers ? "classification" : "regression", schema.target.name,
                          numbers ? "is a number" : "has classes"),
              {}, task_advice(task, join(fitting, ", ")));
}

TrainOutcome train(const Table& table, const TrainRequest& request, const Parallel& parallel,
                   const Control& control) {
  refuse_unfit_method(request.method, request.recipe, table.schema());
  return run_on(table, request, request.recipe, {}, {}, 0, {}, parallel, control);
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

std::optional<bool> are_training_rows(const Table& table, const Model& model) {
  if (table.rows() != model.provenance.rows) return false;
  if (model.provenance.fingerprint.empty()) return std::nullopt;
  return table.fingerprint() == model.provenance.fingerprint;
}

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
  check_targets(table, all_rows(table));  // before anything is said about them
  const Recipe before = recipe_of(model);
  const std::span<const Step> steps = request.recipe.steps();
  const std::vector<double>& factors = model.provenance.class_weights;
  TrainRequest more = request;
  more.class_costs = {{}, model.tree.costs()};
  // Where nobody knows, nothing is said, and no row counts as unseen.
  const bool other_rows = !are_training_rows(table, model).value_or(true);
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
