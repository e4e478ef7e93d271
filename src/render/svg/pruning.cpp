// Error against the number of leaves along the cost-complexity sequence, with the choice.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "softwood/error.h"

namespace softwood::render {
namespace {

constexpr double width = 760, height = 460;

std::vector<double> shown_errors(const LoweredComplexity& table) {
  std::vector<double> errors = {0};
  for (const LoweredPruning& tree : table.trees) {
    errors.push_back(tree.error);
    if (!std::isnan(tree.cv_error)) errors.push_back(tree.cv_error + tree.cv_deviation);
  }
  return errors;
}

}  // namespace

std::string plot_pruning(const PlotTask& task) {
  if (!task.tree.complexity) {
    throw Error(ErrorKind::failure, "the model has no cost-complexity table", {},
                "methods such as cart, and recipes with 'prune', make one");
  }
  const LoweredComplexity& table = *task.tree.complexity;
  const bool validated = !std::isnan(table.trees[0].cv_error);
  std::vector<double> leaves;
  for (const LoweredPruning& tree : table.trees) {
    leaves.push_back(static_cast<double>(tree.splits + 1));
  }
  Canvas canvas;
  Axis y = axis_over(shown_errors(table), "error relative to the root's");
  y.low = 0;
  // Sequences have many small trees and few large ones: leaves by their logarithm.
  Axis x{std::log2(leaves.front()) - 0.2, std::log2(leaves.back()) + 0.2, "leaves (alpha above)"};
  for (const double count : leaves) x.ticks.emplace_back(std::log2(count), number_text(count));
  Chart chart(canvas, {80, 60}, width - 110, height - 130, x, y);
  chart.draw_axes();
  std::vector<Point> training, validation;
  for (size_t i = 0; i < table.trees.size(); ++i) {
    const LoweredPruning& tree = table.trees[i];
    const double place = std::log2(leaves[i]);
    training.push_back(chart.at(place, tree.error));
    if (!validated) continue;
    validation.push_back(chart.at(place, tree.cv_error));
    canvas.line(chart.at(place, tree.cv_error - tree.cv_deviation),
                chart.at(place, tree.cv_error + tree.cv_deviation), "class=\"second\"");
  }
  canvas.polyline(training, "class=\"curve\"");
  if (validated) canvas.polyline(validation, "class=\"second\"");
  const LoweredPruning& chosen = table.trees[table.chosen];
  const double place = std::log2(leaves[table.chosen]);
  const Point mark = chart.at(place, validated ? chosen.cv_error : chosen.error);
  canvas.circle(mark.x, mark.y, 6, "fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"2\"");
  double last = -1e9;
  for (size_t i = 0; i < table.trees.size(); ++i) {
    const std::string text = short_number(table.trees[i].alpha, 2);
    const double half = text_width(text, 10) / 2, at = chart.at(std::log2(leaves[i]), y.high).x;
    if (at - half < last + 6) continue;
    last = at + half;
    canvas.text(at, chart.top() - 8, text, {10, Anchor::middle, "muted"});
  }
  std::vector<std::pair<std::string, std::string>> entries = {
      {"training rows", "fill=\"var(--mark)\""}};
  if (validated) {
    entries.emplace_back("cross-validated ± standard error", "fill=\"#d55e00\"");
  }
  entries.emplace_back(fmt::format("chosen: {} leaves, alpha {}", leaves[table.chosen],
                                   short_number(chosen.alpha, 3)),
                       "fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"2\"");
  chart.legend({chart.right() - 250, chart.top() + 8}, entries, 250);
  canvas.text(16, 24, "Cost-complexity pruning", {15, Anchor::start, "strong"});
  return canvas.finish(width, height, "Cost-complexity pruning",
                       "Error on training rows and by cross-validation against leaves.");
}

}  // namespace softwood::render
