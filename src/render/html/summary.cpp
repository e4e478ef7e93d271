// What was trained on what, how well it does, how large it is.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "data/convert.h"
#include "render/html/sections.h"
#include "render/text/words.h"
#include "softwood/version.h"

namespace softwood::render {
namespace {

struct Tile {
  std::string name, value, note;
};

std::string tiles_markup(const std::vector<Tile>& tiles) {
  Markup out;
  out.open("dl", " class=\"tiles\"");
  for (const Tile& tile : tiles) {
    out.open("div").element("dt", tile.name).open("dd").element("b", tile.value);
    if (!tile.note.empty()) out.element("small", tile.note);
    out.close().close();
  }
  return out.close().done();
}

// Errors of the training rows, where no others are known: nobody should take them for more.
Tile training_tile(const LoweredTree& tree) {
  double risk = 0;
  for (const LoweredNode& node : tree.nodes) {
    if (node.is_leaf()) risk += node.risk;
  }
  const double weight = tree.nodes[0].weight;
  if (tree.complexity && !tree.complexity->trees.empty()) {
    const LoweredComplexity& table = *tree.complexity;
    const LoweredPruning& chosen = table.trees[table.chosen];
    if (std::isfinite(chosen.cv_error) && table.root_weight > 0) {
      const double root = table.root_risk / table.root_weight;
      const bool classes = tree.is_classifier();
      return {classes ? "Cross-validated error" : "Cross-validated mean squared error",
              classes && tree.decision.costs.empty() ? shown_share(chosen.cv_error * root)
                                                     : shown_figure(chosen.cv_error * root),
              fmt::format("± {} standard error; training rows, when it was pruned",
                          classes && tree.decision.costs.empty()
                              ? shown_share(chosen.cv_deviation * root)
                              : shown_figure(chosen.cv_deviation * root))};
    }
  }
  return {tree.is_classifier() ? "Training error" : "Training mean squared error",
          tree.is_classifier() && tree.decision.costs.empty() ? shown_share(risk / weight)
                                                              : shown_figure(risk / weight),
          "of the leaves on the rows they were made from: new rows do worse"};
}

// "95 %: 1.9 to 8.5 %, ".
std::string interval_text(const Evaluation& evaluation, const std::string& name) {
  for (const auto& [key, interval] : evaluation.intervals) {
    if (key == name && std::isfinite(interval.low)) {
      return fmt::format("95 % interval {} to {}, ", shown_share(interval.low),
                         shown_share(interval.high));
    }
  }
  return "";
}

// Of the mean of the target for every row: what R² compares with.
double baseline_rmse(const Table& table, const std::vector<RowIndex>& rows) {
  double weight = 0, sum = 0, squares = 0;
  for (const RowIndex row : rows) {
    weight += table.weight(row);
    sum += table.weight(row) * table.target().numbers[row];
  }
  for (const RowIndex row : rows) {
    const double off = table.target().numbers[row] - sum / weight;
    squares += table.weight(row) * off * off;
  }
  return std::sqrt(squares / weight);
}

std::vector<Tile> quality_tiles(const ReportFacts& facts) {
  if (!facts.has_target()) return {training_tile(facts.tree)};
  const Evaluation& found = *facts.evaluation;
  const std::string rows = fmt::format("{} rows", found.rows);
  if (found.task == Task::regression) {
    return {{"Root mean squared error", shown_figure(found.rmse), rows},
            {"Baseline RMSE", shown_figure(baseline_rmse(*facts.task.rows, facts.all)),
             "the mean of these rows for every row"},
            {"R²", shown_figure(found.r2, 3), "share of the variance that is explained"}};
  }
  std::vector<Tile> tiles = {
      {"Error", shown_share(found.error), interval_text(found, "error") + rows},
      {"Baseline error", shown_share(found.majority_error), "the majority class for every row"}};
  if (!std::isnan(found.cost)) tiles.push_back({"Cost", shown_figure(found.cost), "sum over rows"});
  if (!std::isnan(found.auc)) tiles.push_back({"AUC", shown_figure(found.auc, 3), "ROC curve"});
  return tiles;
}

std::string origin_markup(const ReportFacts& facts) {
  const LoweredTree& tree = facts.tree;
  const LoweredOrigin& origin = tree.origin;
  HtmlTable table("How it was made", {{"what"}, {"value"}});
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.add({{name}, {value}});
  };
  add("Target", tree.target.name);
  add("Task",
      tree.is_classifier() ? "classification: " + join(tree.target.classes, ", ") : "regression");
  if (tree.target.classes.size() == 2)
    add("Positive class", tree.target.classes[tree.target.positive]);
  add("Inputs", fmt::format("{} of {} in use", facts.inputs.size(), tree.inputs.size()));
  add("Method", origin.method.empty() ? "a recipe of its own" : origin.method);
  add("Recipe", origin.recipe);
  add("Chosen", origin.chosen);
  add("Training rows", origin.rows > 0 ? std::to_string(origin.rows) : "");
  add("Weights", origin.weight_column);
  add("Fingerprint of the training data", origin.fingerprint);
  add("Seed", std::to_string(origin.seed));
  add("Trained by", origin.version.empty() ? "" : "Softwood " + origin.version);
  add("Reported by", std::string("Softwood ") + version());
  add("Monotone", monotone_text(tree));
  if (!origin.stopped.empty()) add("Stopped by", origin.stopped);
  add("Model file", facts.task.options.model_name);
  add("Data of this report", facts.task.options.data_name);
  return table.markup(" class=\"facts\"");
}

}  // namespace

std::string summary_section(const ReportFacts& facts, const std::vector<std::string>& left_out) {
  const LoweredTree& tree = facts.tree;
  Markup out;
  std::vector<Tile> tiles = quality_tiles(facts);
  tiles.push_back({"Size", counted(tree.leaves, "leaf", "leaves"),
                   fmt::format("{} nodes, depth {}", tree.nodes.size(), tree.depth)});
  tiles.push_back({"Numbers to read", std::to_string(tree.parameters),
                   "cuts, coefficients, levels and answers"});
  out.raw(tiles_markup(tiles));
  if (facts.training_rows.value_or(false)) {
    out.paragraph(training_rows_text("the model was"), " class=\"notice\"");
  }
  if (facts.all.empty()) {
    out.paragraph("No data were given: what needs rows is not in this report.",
                  " class=\"notice\"");
  }
  out.raw(origin_markup(facts));
  const std::string rows =
      facts.all.empty() ? "This page holds no rows of data."
      : facts.held.empty()
          ? "This page holds no rows of the data: only counts, means, ranges and other aggregates."
          : fmt::format(
                "This page holds {} of the {} rows of the data, values included. All else are "
                "counts, means, ranges and other aggregates.",
                facts.held.size(), facts.all.size());
  out.paragraph(rows, " class=\"notice\" id=\"personal-data\"");
  if (!left_out.empty()) {
    out.paragraph("Not in this report: " + join(left_out, "; ") + ".", " class=\"note\"");
  }
  return out.done();
}

}  // namespace softwood::render
