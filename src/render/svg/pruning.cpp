// Error against the number of leaves along the cost-complexity sequence, with the choice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "fit/complexity.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "softwood/error.h"
#include "use/evaluate.h"

namespace softwood::render {
namespace {

constexpr double width = 1030, height = 480, for_legend = 270;
constexpr double apart = 3;  // pixels between trees that are drawn
using Entries = std::vector<std::pair<std::string, std::string>>;

double log_leaves(const LoweredPruning& tree) {
  return std::log2(static_cast<double>(tree.splits + 1));
}

// What pruning is about: wrong answers or their cost, or squared errors.
double loss_of(const Tree& tree, const PlotTask& task) {
  const Table& table = *task.validation;
  const std::vector<RowIndex> rows = all_rows(table);
  const Predictions predictions = predict(tree, table, rows, task.parallel);
  const Evaluation found = evaluate(predictions, table, rows, 0);
  if (found.task == Task::regression) return found.mse;
  return std::isnan(found.cost) ? found.error : found.cost;
}

// Losses on the rows to judge by, relative to the root's, of the trees that this tree can be pruned
// to: larger ones are not in the model.
std::vector<double> validated_errors(const PlotTask& task) {
  if (task.validation == nullptr) return {};
  const LoweredComplexity& table = *task.tree.complexity;
  const double root = loss_of(fit::pruned_at(task.model.tree, INFINITY), task);
  if (!(root > 0)) {
    throw Error(ErrorKind::data, "the validation rows have no error without a split", {},
                "errors can't be relative to it");
  }
  std::vector<double> errors;
  for (size_t i = 0; i <= table.chosen; ++i) {
    const bool whole = i == table.chosen;
    errors.push_back(
        loss_of(whole ? task.model.tree : fit::pruned_at(task.model.tree, table.trees[i].alpha),
                task) /
        root);
  }
  return errors;
}

class PruningPlot {
 public:
  explicit PruningPlot(const PlotTask& task)
      : table_(*task.tree.complexity), validation_(validated_errors(task)) {}

  std::string draw() {
    canvas_.text(16, 24, "Cost-complexity pruning", {15, Anchor::start, "strong"});
    Axis y = axis_over(shown_errors(), "error relative to the root's");
    y.low = 0;
    // Sequences have many small trees and few large ones: leaves by their logarithm.
    Axis x{log_leaves(table_.trees.front()) - 0.2, log_leaves(table_.trees.back()) + 0.2, "leaves"};
    for (const LoweredPruning& tree : table_.trees) {
      x.ticks.emplace_back(log_leaves(tree), number_text(static_cast<double>(tree.splits + 1)));
    }
    Chart chart(canvas_, {80, 84}, width - for_legend - 110, height - 150, x, y);
    chart.draw_axes();
    choose_drawn(chart);
    draw_alphas(chart);
    draw_curves(chart);
    draw_choice(chart);
    chart.legend({chart.right() + 24, chart.top() + 8}, entries_, for_legend);
    return canvas_.finish(width, height, "Cost-complexity pruning",
                          "Error on training rows and by cross-validation against leaves.");
  }

 private:
  bool is_validated() const { return !std::isnan(table_.trees[0].cv_error); }

  size_t least() const {
    return static_cast<size_t>(
        std::min_element(table_.trees.begin(), table_.trees.end(),
                         [](const auto& a, const auto& b) { return a.cv_error < b.cv_error; }) -
        table_.trees.begin());
  }

  // Sequences may have thousands of trees, pictures have some hundred places.
  void choose_drawn(const Chart& chart) {
    double last = -INFINITY;
    const size_t best = is_validated() ? least() : table_.chosen;
    for (size_t i = 0; i < table_.trees.size(); ++i) {
      const double x = chart.at(log_leaves(table_.trees[i]), 0).x;
      const bool wanted = i == table_.chosen || i == best || i + 1 == table_.trees.size();
      if (x < last + apart && !wanted) continue;
      drawn_.push_back(i);
      last = x;
    }
  }

  std::vector<double> shown_errors() const {
    std::vector<double> errors = {0};
    for (const LoweredPruning& tree : table_.trees) {
      errors.push_back(tree.error);
      if (is_validated()) errors.push_back(tree.cv_error + tree.cv_deviation);
    }
    errors.insert(errors.end(), validation_.begin(), validation_.end());
    return errors;
  }

  void draw_alphas(const Chart& chart) {
    canvas_.text((chart.left() + chart.right()) / 2, chart.top() - 30,
                 "alpha from which the tree is pruned to this size", {12, Anchor::middle, ""});
    double last = -1e9;
    for (const LoweredPruning& tree : table_.trees) {
      const std::string text = short_number(tree.alpha, 2);
      const double half = text_width(text, 11) / 2, at = chart.at(log_leaves(tree), 0).x;
      if (at - half < last + 6 || at + half > chart.right() + 16) continue;
      last = at + half;
      canvas_.text(at, chart.top() - 8, text, {11, Anchor::middle, "muted"});
    }
  }

  void draw_curve(const Chart& chart, size_t trees, const std::string& line, const std::string& dot,
                  const std::string& name, const std::function<double(size_t)>& error) {
    std::vector<Point> points;
    for (const size_t i : drawn_) {
      if (i >= trees) break;
      points.push_back(chart.at(log_leaves(table_.trees[i]), error(i)));
    }
    canvas_.polyline(points, line);
    for (const Point& point : points) canvas_.circle(point.x, point.y, 3, dot);
    entries_.emplace_back(name, dot);
  }

  void draw_curves(const Chart& chart) {
    const size_t trees = table_.trees.size();
    if (is_validated()) {
      const LoweredPruning& best = table_.trees[least()];
      const double limit = best.cv_error + best.cv_deviation;
      canvas_.line({chart.left(), chart.at(0, limit).y}, {chart.right(), chart.at(0, limit).y},
                   "class=\"cut\" stroke-dasharray=\"2 4\"");
      for (const size_t i : drawn_) {
        const LoweredPruning& tree = table_.trees[i];
        canvas_.line(chart.at(log_leaves(tree), tree.cv_error - tree.cv_deviation),
                     chart.at(log_leaves(tree), tree.cv_error + tree.cv_deviation),
                     "class=\"cut\"");
      }
    }
    draw_curve(chart, trees, "class=\"curve\"", "class=\"mark\"", "training rows",
               [&](size_t i) { return table_.trees[i].error; });
    if (is_validated()) {
      draw_curve(chart, trees, "class=\"second\"", "class=\"hot\"",
                 "cross-validated ± standard error",
                 [&](size_t i) { return table_.trees[i].cv_error; });
      entries_.emplace_back("one standard error above the least",
                            "class=\"cut\" stroke-dasharray=\"2 4\"");
    }
    if (validation_.empty()) return;
    draw_curve(chart, validation_.size(), "fill=\"none\" stroke=\"#009e73\" stroke-width=\"2\"",
               "fill=\"#009e73\"", "validation rows", [&](size_t i) { return validation_[i]; });
  }

  void draw_choice(const Chart& chart) {
    const LoweredPruning& chosen = table_.trees[table_.chosen];
    const Point mark =
        chart.at(log_leaves(chosen), is_validated() ? chosen.cv_error : chosen.error);
    canvas_.circle(mark.x, mark.y, 7, "class=\"ring\"");
    entries_.emplace_back(fmt::format("chosen: {} leaves, alpha {}", chosen.splits + 1,
                                      short_number(chosen.alpha, 3)),
                          "class=\"ring\"");
  }

  const LoweredComplexity& table_;
  std::vector<double> validation_;  // by tree, up to the chosen one
  std::vector<size_t> drawn_;       // trees of the table, ascending
  Canvas canvas_;
  Entries entries_;
};

}  // namespace

std::string plot_pruning(const PlotTask& task) {
  if (!task.tree.complexity) {
    throw Error(ErrorKind::usage, "the model has no cost-complexity table", {},
                "methods such as cart, and recipes with 'prune', make one");
  }
  return PruningPlot(task).draw();
}

}  // namespace softwood::render
