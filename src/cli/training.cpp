#include "cli/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "cli/advice.h"
#include "cli/console.h"
#include "cli/figures.h"
#include "cli/frontier.h"
#include "data/convert.h"
#include "render/renderer.h"
#include "render/text/words.h"
#include "softwood/error.h"
#include "study/lowered.h"
#include "tree/costs.h"
#include "tree/shown_frontier.h"
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

// What the chosen tree of the pruning sequence did on rows that its trees were not grown with.
struct UnseenFigure {
  std::string name;  // "error", "rmse", "cost per row"
  double value = 0, standard_error = 0;
  bool by_validation = false;
  bool of_pruned_tree = false;  // stages after pruning have changed it
  bool reweighted = false;      // rows count as priors and class weights say
};

// The standard error of a root is taken to the first order.
UnseenFigure root_of(UnseenFigure figure) {
  figure.name = "rmse";
  const double root = std::sqrt(figure.value);
  figure.standard_error = root > 0 ? figure.standard_error / (2 * root) : 0;
  figure.value = root;
  return figure;
}

// What a choice among trees expects, which allows for having chosen.
UnseenFigure expected_figure(const Frontier& frontier, bool validation) {
  UnseenFigure figure{frontier.figure, frontier.estimate, frontier.standard_error, validation};
  if (figure.name == "cost") figure.name = "cost per row";
  return figure.name == "mse" ? root_of(figure) : figure;
}

std::optional<UnseenFigure> unseen_figure(const Model& model, bool validation) {
  if (model.frontier) {
    UnseenFigure figure = expected_figure(*model.frontier, validation);
    figure.reweighted = !model.provenance.class_weights.empty();
    return figure;
  }
  if (!model.complexity || !(model.complexity->root_weight > 0)) return {};
  const ComplexityTable& table = *model.complexity;
  const ComplexityRow& chosen = table.rows[table.chosen];
  if (!std::isfinite(chosen.xerror)) return {};
  const double unit = table.root_error / table.root_weight;
  UnseenFigure figure{"error", chosen.xerror * unit, chosen.xstd * unit, validation};
  if (!model.tree.costs().empty()) figure.name = "cost per row";
  if (model.schema.task() == Task::regression) figure = root_of(figure);
  const Recipe recipe = Recipe::parse(model.provenance.recipe);
  figure.of_pruned_tree = recipe.steps().back().stage->name != "prune";
  figure.reweighted = !model.provenance.class_weights.empty();
  return figure;
}

// The same by the metric that chose, where that is another.
std::optional<UnseenFigure> unseen_loss(const Model& model, bool validation) {
  if (!model.frontier || !model.frontier->expected_loss) return {};
  const Frontier& frontier = *model.frontier;
  if (frontier.metric == frontier.figure) return {};
  UnseenFigure figure{loss_name(frontier.metric), frontier.expected_loss->value,
                      frontier.expected_loss->standard_error, validation};
  figure.reweighted = !model.provenance.class_weights.empty();
  return figure;
}

std::string unseen_text(const UnseenFigure& figure) {
  const bool share = figure.name == "error";
  const auto text = [&](double value) { return share ? percent(value) : short_number(value); };
  return fmt::format("{} ± {}{}{}", text(figure.value), text(figure.standard_error),
                     figure.reweighted ? " (weighted by class)" : "",
                     figure.of_pruned_tree ? " (of the pruned tree, before later stages)" : "");
}

// A tree of one leaf answers the same for every row: why, and what to try.
std::string one_leaf_text(const Model& model) {
  const Recipe recipe = Recipe::parse(model.provenance.recipe);
  const std::vector<Step>& steps = recipe.steps();
  const auto prune = std::find_if(steps.begin(), steps.end(),
                                  [](const Step& step) { return step.stage->name == "prune"; });
  const bool grown = model.complexity && model.complexity->rows.size() > 1;
  if (prune == steps.end() || (model.complexity && !grown)) {
    return "the tree is one leaf: no split improves it within the limits (min-leaf, min-split, "
           "max-depth, ...); try smaller limits, other inputs or more rows";
  }
  if (!grown) {
    return "the tree is one leaf: pruning cut every split; try a gentler pruning (larger cf, or "
           "by=cost-complexity), costs of errors (--costs), or more rows";
  }
  const std::vector<ComplexityRow>& rows = model.complexity->rows;
  const auto best = std::min_element(
      rows.begin(), rows.end(),
      [](const ComplexityRow& a, const ComplexityRow& b) { return a.xerror < b.xerror; });
  if (!std::isfinite(best->xerror)) {
    return "the tree is one leaf: alpha is larger than what any split gains; try a smaller "
           "prune.alpha, or let pruning choose it";
  }
  const bool by_rule = best != rows.begin();
  return fmt::format(
      "the tree is one leaf: on rows that it was not grown with {}; try {}costs of errors "
      "(--costs), or more rows",
      by_rule ? fmt::format("the best tree of the sequence ({}) errs {} as much as one leaf, which "
                            "is within a standard error of {} (rule=1se)",
                            counted(best->splits, "split"), percent(best->xerror / rows[0].xerror),
                            percent(best->xstd / rows[0].xerror))
              : "no larger tree does better",
      by_rule ? "--set prune.rule=min, " : "");
}

std::string report_text(const TrainOutcome& outcome, const Evaluation& evaluation,
                        const TrainingReport& report, double total) {
  const Table& table = report.table;
  const Model& model = outcome.model;
  const Schema& schema = model.schema;
  const Shape shape = shape_of(model.tree);
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!model.provenance.method.empty()) pairs.emplace_back("method", model.provenance.method);
  pairs.emplace_back("recipe", model.provenance.recipe);
  if (model.frontier) {
    pairs.emplace_back("chosen", model.frontier->points[model.frontier->chosen].recipe);
  }
  const bool classes = schema.task() == Task::classification;
  pairs.emplace_back(
      "task", fmt::format("{} of {}", task_name(schema.task()), printable(schema.target.name)));
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
      pairs.emplace_back(
          figure("cost"),
          fmt::format("{}, per row {} (always '{}': {}, per row {})", short_number(evaluation.cost),
                      short_number(evaluation.cost / evaluation.weight),
                      schema.target.levels[always], short_number(cost),
                      short_number(cost / evaluation.weight)));
    }
  } else {
    const std::string r2 = std::isnan(evaluation.r2) ? "-" : short_number(evaluation.r2);
    pairs.emplace_back(figure("rmse"),
                       fmt::format("{} (r2 {})", short_number(evaluation.rmse), r2));
  }
  for (const auto& unseen :
       {unseen_loss(model, report.validation), unseen_figure(model, report.validation)}) {
    if (!unseen) continue;
    pairs.emplace_back((unseen->by_validation ? "validation " : "cross-validated ") + unseen->name,
                       unseen_text(*unseen));
  }
  const LoweredTree lowered = lowered_with_recipe(model);
  const std::string monotone = render::monotone_text(lowered);
  if (!monotone.empty()) pairs.emplace_back("monotone", monotone);
  pairs.emplace_back("seconds", seconds_line(outcome, report.read_seconds, total));
  std::string text = aligned_pairs(pairs);
  if (model.frontier) text += "\n" + frontier_text(*model.frontier);
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
  object["unseen"] = nullptr;
  if (const auto unseen = unseen_figure(model, report.validation)) {
    object["unseen"] = {{"figure", unseen->name},
                        {"value", json_number(unseen->value)},
                        {"standard_error", json_number(unseen->standard_error)},
                        {"by", unseen->by_validation ? "validation" : "folds"},
                        {"of_pruned_tree", unseen->of_pruned_tree},
                        {"weighted_by_class", unseen->reweighted}};
  }
  if (model.frontier) object["frontier"] = frontier_json(*model.frontier);
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
  // A choice among trees has said why it took this one.
  if (tree.size() == 1 && !outcome.model.frontier) console.note(one_leaf_text(outcome.model));
  if (run.json) {
    Json object = report_json(outcome, evaluation, *this, total.seconds());
    object["notes"] = Json::array();
    for (const Console::Told& told : console.told()) {
      const bool none = told.code == AdviceCode::none;
      object["notes"].push_back({{"level", told.level},
                                 {"code", none ? Json(nullptr) : Json(advice_name(told.code))},
                                 {"text", told.text}});
    }
    print_json(object);
    return;
  }
  softwood::print(printable_lines(report_text(outcome, evaluation, *this, total.seconds())));
  const bool shown = tree.size() <= small_tree;
  if (!model_path.empty()) {
    softwood::print(fmt::format("\nsaved as {}{}\n", model_path,
                                shown ? "" : "; 'softwood show' prints the tree"));
  } else if (!shown) {
    console.note(
        fmt::format("the tree has more than {} nodes and is not printed; '-o model.json' "
                    "saves it, and 'softwood show' prints it then",
                    small_tree));
  }
}

}  // namespace softwood
