#include "cli/training.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "cli/console.h"
#include "cli/figures.h"
#include "render/renderer.h"
#include "render/text/words.h"
#include "softwood/error.h"
#include "study/lowered.h"
#include "tree/costs.h"
#include "use/evaluate.h"
#include "use/predict.h"

namespace softwood {
namespace {

constexpr size_t small_tree = 40;  // nodes: shown as a whole

std::string quoted_names(const std::vector<std::string>& names) {
  constexpr size_t most = 6;
  std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return join(shown, ", ") + (names.size() > most ? ", ..." : "");
}

std::string seconds_line(const TrainOutcome& outcome, double read, double total) {
  std::string text = fmt::format("{} (read {}", seconds_text(total), seconds_text(read));
  for (const auto& [stage, seconds] : outcome.seconds) {
    text += fmt::format(", {} {}", stage, seconds_text(seconds));
  }
  return text + ")";
}

size_t majority_of(const Model& model) {
  return training_majority(model.tree, model.provenance.class_weights);
}

// The class that it costs least to answer for all these rows, and what that costs.
std::pair<size_t, double> cheapest_constant(const Evaluation& evaluation,
                                            std::span<const double> costs) {
  const size_t classes = evaluation.classes.size();
  std::vector<double> weights(classes, 0.0);
  for (size_t i = 0; i < evaluation.confusion.size(); ++i) {
    weights[i / classes] += evaluation.confusion[i];
  }
  const size_t answer = cheapest_answer(weights, costs);
  return {answer, cost_of_answer(weights, costs, answer)};
}

std::string report_text(const TrainOutcome& outcome, const Evaluation& evaluation,
                        const Table& table, double read, double total) {
  const Model& model = outcome.model;
  const Schema& schema = model.schema;
  const Shape shape = shape_of(model.tree);
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!model.provenance.method.empty()) pairs.emplace_back("method", model.provenance.method);
  pairs.emplace_back("recipe", model.provenance.recipe);
  const bool classes = schema.task() == Task::classification;
  pairs.emplace_back("task", fmt::format("{} of {}", task_name(schema.task()), schema.target.name));
  pairs.emplace_back("rows", table.weighted()
                                 ? fmt::format("{}, weighted by {}", table.rows(), schema.weight)
                                 : std::to_string(table.rows()));
  pairs.emplace_back("features", std::to_string(table.features()));
  const auto figure = [&](const char* name) {
    return outcome.other_rows ? fmt::format("{} on these rows", name)
                              : fmt::format("training {}", name);
  };
  if (classes) {
    pairs.emplace_back(
        "classes", fmt::format("{} ({})", schema.classes(), quoted_names(schema.target.levels)));
  }
  pairs.emplace_back("nodes", fmt::format("{} ({} {}, depth {})", shape.nodes, shape.leaves,
                                          shape.leaves == 1 ? "leaf" : "leaves", shape.depth));
  pairs.emplace_back("parameters", std::to_string(shape.parameters));
  if (classes) {
    pairs.emplace_back(
        figure("error"),
        fmt::format("{} (always '{}': {})", percent(evaluation.error),
                    schema.target.levels[majority_of(model)], percent(evaluation.majority_error)));
    if (std::isfinite(evaluation.cost)) {
      const auto [always, cost] = cheapest_constant(evaluation, model.tree.costs());
      pairs.emplace_back(figure("cost"),
                         fmt::format("{} (always '{}': {})", short_number(evaluation.cost),
                                     schema.target.levels[always], short_number(cost)));
    }
  } else {
    const std::string r2 = std::isnan(evaluation.r2) ? "-" : short_number(evaluation.r2);
    pairs.emplace_back(figure("rmse"),
                       fmt::format("{} (r2 {})", short_number(evaluation.rmse), r2));
  }
  const LoweredTree lowered = lowered_with_recipe(model);
  const std::string monotone = render::monotone_text(lowered);
  if (!monotone.empty()) pairs.emplace_back("monotone", monotone);
  pairs.emplace_back("seconds", seconds_line(outcome, read, total));
  std::string text = aligned_pairs(pairs);
  if (shape.nodes <= small_tree) text += "\n" + render::tree_text(lowered, {page_width(), false});
  return text;
}

Json report_json(const TrainOutcome& outcome, const Evaluation& evaluation,
                 const TrainingReport& report, double total) {
  const Model& model = outcome.model;
  const Shape shape = shape_of(model.tree);
  Json object;
  object["method"] =
      model.provenance.method.empty() ? Json(nullptr) : Json(model.provenance.method);
  object["recipe"] = model.provenance.recipe;
  object["task"] = task_name(model.schema.task());
  object["rows"] = report.table.rows();
  object["features"] = report.table.features();
  object["classes"] = model.schema.classes();
  if (model.schema.classes() == 2) object["positive"] = model.schema.positive_class();
  object["nodes"] = shape.nodes;
  object["leaves"] = shape.leaves;
  object["depth"] = shape.depth;
  object["parameters"] = shape.parameters;
  object["train"] = evaluation_json(evaluation);
  Json seconds;
  seconds["read"] = json_number(report.read_seconds);
  for (const auto& [stage, value] : outcome.seconds) seconds[stage] = json_number(value);
  seconds["total"] = json_number(total);
  object["seconds"] = std::move(seconds);
  object["stopped"] = stopped_name(outcome.stopped);
  object["seed"] = report.run.seed;
  object["model"] = report.model_path.empty() ? Json(nullptr) : Json(report.model_path);
  return object;
}

}  // namespace

ModelOutput::ModelOutput(const std::string& path) {
  if (path == "-") {
    throw Error(ErrorKind::usage, "the model can't be saved to standard output", {},
                "name a file: -o model.json");
  }
  if (!path.empty()) output_.emplace(path);
}

void ModelOutput::save(const Model& model) {
  if (!output_) return;
  output_->write(model_to_text(model));
  output_->finish();
}

void TrainingReport::print(const TrainOutcome& outcome, const Stopwatch& total,
                           const Parallel& parallel, Console& console) const {
  const Tree& tree = outcome.model.tree;
  const std::vector<RowIndex> rows = all_rows(table);
  const Evaluation evaluation =
      evaluate(predict(tree, table, rows, parallel), table, rows, majority_of(outcome.model));
  if (outcome.stopped != Stopped::converged) {
    console.note(fmt::format("stopped by {}; this is the best tree so far",
                             outcome.stopped == Stopped::budget ? "the budget" : "a signal"));
  }
  if (run.json) {
    Json object = report_json(outcome, evaluation, *this, total.seconds());
    object["notes"] = console.told();
    print_json(object);
    return;
  }
  softwood::print(
      printable_lines(report_text(outcome, evaluation, table, read_seconds, total.seconds())));
  if (model_path.empty()) {
    console.note(tree.size() <= small_tree
                     ? "the tree was not saved; '-o model.json' saves it"
                     : fmt::format("the tree has more than {} nodes and is not printed; '-o "
                                   "model.json' saves it, and 'softwood show' prints it then",
                                   small_tree));
  } else {
    const bool shown = tree.size() <= small_tree;
    softwood::print(fmt::format("\nsaved as {}{}\n", model_path,
                                shown ? "" : "; 'softwood show' prints the tree"));
  }
}

}  // namespace softwood
