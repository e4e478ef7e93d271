// The learning curve: the recipe of the model trained again on growing parts of the rows, with the
// error on these rows and on rows that were held out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "data/canonical.h"
#include "data/folds.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "softwood/error.h"
#include "study/train.h"
#include "use/evaluate.h"

namespace softwood::render {
namespace {

constexpr double held_out_share = 1.0 / 3;
constexpr size_t fewest_rows = 20;

// Error of classes; of numbers the root of the mean squared error.
double error_on(const Model& model, const Table& table, std::span<const RowIndex> rows,
                const Parallel& parallel) {
  const Predictions predictions = predict(model.tree, table, rows, parallel);
  const Evaluation found = evaluate(predictions, table, rows, 0);
  return model.schema.task() == Task::classification ? found.error : found.rmse;
}

struct CurvePoint {
  double rows, training, held_out;
};

std::vector<CurvePoint> learning_curve(const PlotTask& task) {
  const Table& table = *task.rows;
  const std::vector<RowIndex> all = all_rows(table);
  const uint64_t seed = task.model.provenance.seed;
  // Rows to judge by that the user has, or a part of the rows.
  const Table& judge = task.validation != nullptr ? *task.validation : table;
  std::vector<RowIndex> learning, judging;
  if (task.validation != nullptr) {
    learning = all;
    judging = all_rows(judge);
  } else {
    const std::vector<char> held = stratified_part(table, all, held_out_share, seed);
    for (size_t i = 0; i < all.size(); ++i) (held[i] != 0 ? judging : learning).push_back(all[i]);
  }
  if (learning.size() < 2 * fewest_rows || judging.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{} rows are too few for a learning curve", all.size()), {},
                fmt::format("it needs at least {}", 3 * fewest_rows));
  }
  TrainRequest request;
  request.method = task.model.provenance.method;
  request.recipe = Recipe::parse(task.model.provenance.recipe);
  request.seed = seed;
  std::vector<CurvePoint> curve;
  for (double share = 1; share * static_cast<double>(learning.size()) >= fewest_rows;
       share /= 1.8) {
    const std::vector<char> part = stratified_part(table, learning, share, seed + 1);
    std::vector<RowIndex> rows;
    for (size_t i = 0; i < learning.size(); ++i) {
      if (share == 1 || part[i] != 0) rows.push_back(learning[i]);
    }
    const Table some = canonical_table(table, rows, 1, task.parallel, task.control);
    Control silent = task.control;
    silent.note = silent.warning = nullptr;
    const Model model = train(some, request, task.parallel, silent).model;
    curve.push_back({static_cast<double>(rows.size()), error_on(model, table, rows, task.parallel),
                     error_on(model, judge, judging, task.parallel)});
  }
  std::reverse(curve.begin(), curve.end());
  return curve;
}

}  // namespace

std::string plot_overfitting(const PlotTask& task) {
  const std::vector<CurvePoint> curve = learning_curve(task);
  constexpr double width = 720, height = 460;
  std::vector<double> errors = {0};
  for (const CurvePoint& point : curve) {
    errors.push_back(point.training);
    errors.push_back(point.held_out);
  }
  Canvas canvas;
  canvas.text(16, 24, "Learning curve: error by the number of training rows",
              {15, Anchor::start, "strong"});
  Axis y = axis_over(errors, task.tree.is_classifier() ? "error" : "root mean squared error");
  y.low = 0;
  Axis x{std::log2(curve.front().rows) - 0.1, std::log2(curve.back().rows) + 0.1, "training rows"};
  for (const CurvePoint& point : curve) {
    x.ticks.emplace_back(std::log2(point.rows), number_text(point.rows));
  }
  Chart chart(canvas, {80, 48}, width - 110, height - 120, x, y);
  chart.draw_axes();
  std::vector<Point> training, held_out;
  for (const CurvePoint& point : curve) {
    training.push_back(chart.at(std::log2(point.rows), point.training));
    held_out.push_back(chart.at(std::log2(point.rows), point.held_out));
  }
  canvas.polyline(training, "class=\"curve\"");
  canvas.polyline(held_out, "class=\"second\"");
  for (const Point& point : training) canvas.circle(point.x, point.y, 3.5, "class=\"mark\"");
  for (const Point& point : held_out) canvas.circle(point.x, point.y, 3.5, "class=\"hot\"");
  chart.legend({chart.right() - 200, chart.bottom() - 48},
               {{"training rows", "class=\"mark\""}, {"held-out rows", "class=\"hot\""}}, 196);
  return canvas.finish(width, height, "Learning curve",
                       "Error on training and held-out rows by the number of training rows.");
}

}  // namespace softwood::render
