// Pictures of answers on rows with known classes: ROC curve, calibration, thresholds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/svg/chart.h"
#include "render/svg/curves.h"
#include "render/svg/plot.h"
#include "render/text/words.h"
#include "softwood/error.h"
#include "use/evaluate.h"
#include "use/roc.h"

namespace softwood::render {
namespace {

constexpr double width = 620, height = 560, margin = 80;

struct Judged {
  std::vector<RowIndex> rows;
  Predictions predictions;
};

Judged judged(const PlotTask& task, const std::string& view) {
  if (!task.tree.is_classifier()) {
    throw Error(ErrorKind::usage, fmt::format("{} is for classification", view), {},
                "this model predicts a number");
  }
  Judged result;
  result.rows = all_rows(*task.rows);
  result.predictions = predict(task.model.tree, *task.rows, result.rows, task.parallel);
  return result;
}

Chart square_chart(Canvas& canvas, const std::string& title, Axis x, Axis y) {
  canvas.text(16, 24, title, {15, Anchor::start, "strong"});
  return {canvas, {margin, 48}, width - margin - 30, height - 120, std::move(x), std::move(y)};
}

}  // namespace

std::string plot_roc(const PlotTask& task) {
  constexpr size_t most_classes = 8;
  const Judged data = judged(task, "roc");
  const std::vector<std::string>& classes = task.tree.target.classes;
  Canvas canvas;
  Chart chart = square_chart(canvas, "ROC curve", {0, 1, "false positive rate"},
                             {0, 1, "true positive rate"});
  chart.draw_axes();
  canvas.line(chart.at(0, 0), chart.at(1, 1), "class=\"axis\" stroke-dasharray=\"4 4\"");
  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<uint32_t> shown;
  if (classes.size() == 2) {
    shown = {task.tree.target.positive};
  } else {
    for (uint32_t k = 0; k < std::min(classes.size(), most_classes); ++k) shown.push_back(k);
  }
  for (const uint32_t k : shown) {
    std::vector<ScoredRow> rows = scored_rows(data.predictions, *task.rows, data.rows, k);
    const double area = area_under_curve(rows).area;
    const std::string colour = class_colour(classes.size() == 2 ? 0 : k);
    canvas.polyline(thinned(chart.at(roc_points(std::move(rows)))),
                    fmt::format("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", colour));
    entries.emplace_back(
        fmt::format("{}: AUC {}", printable(classes[k], 24),
                    std::isnan(area) ? "not defined" : fmt::format("{:.3f}", area)),
        fmt::format("fill=\"{}\"", colour));
  }
  if (shown.size() < classes.size() && classes.size() > 2) {
    entries.emplace_back(fmt::format("{} more classes", classes.size() - shown.size()),
                         "fill=\"none\"");
  }
  chart.legend(
      {chart.right() - 260, chart.bottom() - 18.0 * static_cast<double>(entries.size()) - 8},
      entries, 256);
  return canvas.finish(width, height, "ROC curve",
                       "True positive rate against false positive rate over all thresholds.");
}

std::string plot_calibration(const PlotTask& task) {
  constexpr double strip_height = 30, strip_bottom = 96;
  const Judged data = judged(task, "calibration");
  const std::vector<CalibrationBin> bins = calibration(data.predictions, *task.rows, data.rows);
  const LoweredTarget& target = task.tree.target;
  const std::string of =
      target.classes.size() == 2 ? target.classes[target.positive] : "the answered class";
  Canvas canvas;
  canvas.text(16, 24, "Calibration", {15, Anchor::start, "strong"});
  canvas.text(margin, 44, "bars: rows per tenth of the predictions",
              {12, Anchor::start, "muted", width - margin - 30});
  Chart chart(canvas, {margin, strip_bottom + 12}, width - margin - 30, height - strip_bottom - 84,
              {0, 1, "predicted probability of " + of}, {0, 1, "observed share"});
  chart.draw_axes();
  canvas.line(chart.at(0, 0), chart.at(1, 1), "class=\"axis\" stroke-dasharray=\"4 4\"");
  double heaviest = 0;
  for (const CalibrationBin& bin : bins) heaviest = std::max(heaviest, bin.weight);
  std::vector<Point> points;
  for (const CalibrationBin& bin : bins) {
    if (!(bin.weight > 0)) continue;
    // Over the chart, where no point can be.
    const double bar = std::max(1.0, strip_height * bin.weight / heaviest);
    const double left = chart.at(bin.low, 0).x, right = chart.at(bin.high, 0).x;
    canvas.rectangle(left + 1, strip_bottom - bar, right - left - 2, bar,
                     "class=\"shade\" opacity=\"0.35\"");
    canvas.text((left + right) / 2, strip_bottom - bar - 4, shown_weight(bin.weight),
                {10, Anchor::middle, "muted", right - left - 2});
    points.push_back(chart.at(bin.predicted, bin.observed));
  }
  canvas.polyline(points, "class=\"curve\"");
  for (const Point& point : points) canvas.circle(point.x, point.y, 4, "class=\"mark\"");
  return canvas.finish(width, height, "Calibration",
                       "Observed share of the class against its predicted probability.");
}

std::string plot_threshold(const PlotTask& task) {
  const Judged data = judged(task, "threshold");
  const ThresholdTable table =
      threshold_table(data.predictions, *task.rows, data.rows, task.options.costs);
  // Without costs every error costs 1, and is called an error.
  const bool has_costs = !task.options.costs.empty() || !data.predictions.costs.empty();
  double largest_cost = 0;
  for (const ThresholdPoint& point : table.points)
    largest_cost = std::max(largest_cost, point.cost);
  Canvas canvas;
  Chart chart = square_chart(canvas, "Thresholds", {0, 1, "threshold on P(" + table.positive + ")"},
                             {0, 1, has_costs ? "rate; cost as a share of the largest" : "rate"});
  chart.draw_axes();
  struct Curve {
    std::string name, colour;
    double (*of)(const ThresholdPoint&, double);
  };
  std::vector<Curve> curves = {
      {"true positive rate (recall)", "#0072b2",
       [](const ThresholdPoint& p, double) { return p.true_positive_rate; }},
      {"false positive rate", "#e69f00",
       [](const ThresholdPoint& p, double) { return p.false_positive_rate; }},
      {"precision", "#009e73", [](const ThresholdPoint& p, double) { return p.precision; }},
      {"error", "#d55e00", [](const ThresholdPoint& p, double) { return p.error; }}};
  if (has_costs) {
    curves[3].name = fmt::format("cost (largest {})", short_number(largest_cost, 4));
    curves[3].of = [](const ThresholdPoint& p, double most) {
      return most > 0 ? p.cost / most : 0;
    };
  }
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Curve& curve : curves) {
    // A value holds from the next milder threshold up to its own.
    std::vector<Point> points;
    for (size_t i = table.points.size(); i-- > 0;) {
      const double value = curve.of(table.points[i], largest_cost);
      if (std::isnan(value)) continue;
      const double from = points.empty() ? 0 : points.back().x;
      points.push_back({from, value});
      points.push_back({std::min(1.0, table.points[i].threshold), value});
    }
    // Steps that pixels can show stay steps.
    constexpr size_t few = 400;
    const std::vector<Point> places = chart.at(points);
    canvas.polyline(places.size() > few ? last_per_column(places) : places,
                    fmt::format("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", curve.colour));
    entries.emplace_back(curve.name, fmt::format("fill=\"{}\"", curve.colour));
  }
  const double best = std::min(1.0, table.points[table.least_cost].threshold);
  canvas.line(chart.at(best, 0), chart.at(best, 1), "class=\"cut\" stroke-dasharray=\"5 3\"");
  entries.emplace_back(
      fmt::format("least {} at {}", has_costs ? "cost" : "error", short_number(best, 3)),
      "fill=\"none\" class=\"cut\"");
  chart.legend({chart.right() + 24, chart.top() + 8}, entries, 240);
  return canvas.finish(width + 240, height, "Thresholds",
                       has_costs ? "Rates and cost against the threshold on the probability."
                                 : "Rates and error against the threshold on the probability.");
}

}  // namespace softwood::render
