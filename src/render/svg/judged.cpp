// Pictures of answers on rows with known classes: ROC curve, calibration, thresholds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/svg/chart.h"
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
    throw Error(ErrorKind::failure, fmt::format("{} is for classification", view), {},
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

// Points of one class against the rest, from (0, 0) to (1, 1).
std::vector<Point> roc_points(std::vector<ScoredRow> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const ScoredRow& a, const ScoredRow& b) { return a.score > b.score; });
  double positive = 0, negative = 0;
  for (const ScoredRow& row : rows) {
    positive += row.positive;
    negative += row.negative;
  }
  std::vector<Point> points = {{0, 0}};
  double true_weight = 0, false_weight = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    true_weight += rows[i].positive;
    false_weight += rows[i].negative;
    if (i + 1 < rows.size() && rows[i + 1].score == rows[i].score) continue;
    points.push_back(
        {negative > 0 ? false_weight / negative : 0, positive > 0 ? true_weight / positive : 0});
  }
  return points;
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
    canvas.polyline(chart.at(roc_points(std::move(rows))),
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
  const Judged data = judged(task, "calibration");
  const std::vector<CalibrationBin> bins = calibration(data.predictions, *task.rows, data.rows);
  const LoweredTarget& target = task.tree.target;
  const std::string of =
      target.classes.size() == 2 ? target.classes[target.positive] : "the answered class";
  Canvas canvas;
  Chart chart = square_chart(canvas, "Calibration", {0, 1, "predicted probability of " + of},
                             {0, 1, "observed share"});
  chart.draw_axes();
  canvas.line(chart.at(0, 0), chart.at(1, 1), "class=\"axis\" stroke-dasharray=\"4 4\"");
  double heaviest = 0;
  for (const CalibrationBin& bin : bins) heaviest = std::max(heaviest, bin.weight);
  std::vector<Point> points;
  for (const CalibrationBin& bin : bins) {
    const double share = heaviest > 0 ? bin.weight / heaviest : 0;
    const Point low = chart.at(bin.low, 0.12 * share), high = chart.at(bin.high, 0);
    canvas.rectangle(low.x + 1, low.y, high.x - low.x - 2, high.y - low.y,
                     "class=\"shade\" opacity=\"0.35\"");
    if (bin.weight > 0) {
      canvas.text((low.x + high.x) / 2, low.y - 4, shown_weight(bin.weight),
                  {10, Anchor::middle, "muted", high.x - low.x - 2});
    }
    if (bin.weight > 0) points.push_back(chart.at(bin.predicted, bin.observed));
  }
  canvas.polyline(points, "class=\"curve\"");
  for (const Point& point : points) canvas.circle(point.x, point.y, 4, "class=\"mark\"");
  chart.legend({chart.left() + 12, chart.top() + 8},
               {{"observed share per tenth of the predictions", "class=\"mark\""},
                {"rows in each tenth", "class=\"shade\" opacity=\"0.35\""}},
               340);
  return canvas.finish(width, height, "Calibration",
                       "Observed share of the class against its predicted probability.");
}

std::string plot_threshold(const PlotTask& task) {
  const Judged data = judged(task, "threshold");
  const ThresholdTable table =
      threshold_table(data.predictions, *task.rows, data.rows, task.options.costs);
  double largest_cost = 0;
  for (const ThresholdPoint& point : table.points)
    largest_cost = std::max(largest_cost, point.cost);
  Canvas canvas;
  Chart chart = square_chart(canvas, "Thresholds", {0, 1, "threshold on P(" + table.positive + ")"},
                             {0, 1, "rate; cost as a share of the largest"});
  chart.draw_axes();
  struct Curve {
    std::string name, colour;
    double (*of)(const ThresholdPoint&, double);
  };
  const std::vector<Curve> curves = {
      {"true positive rate (recall)", "#0072b2",
       [](const ThresholdPoint& p, double) { return p.true_positive_rate; }},
      {"false positive rate", "#e69f00",
       [](const ThresholdPoint& p, double) { return p.false_positive_rate; }},
      {"precision", "#009e73", [](const ThresholdPoint& p, double) { return p.precision; }},
      {fmt::format("cost (largest {})", short_number(largest_cost, 4)), "#d55e00",
       [](const ThresholdPoint& p, double most) { return most > 0 ? p.cost / most : 0; }}};
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Curve& curve : curves) {
    // A value holds from the next milder threshold up to its own.
    std::vector<Point> points;
    for (auto point = table.points.rbegin(); point != table.points.rend(); ++point) {
      const double value = curve.of(*point, largest_cost);
      if (std::isnan(value)) continue;
      const double from = points.empty() ? 0 : points.back().x;
      points.push_back({from, value});
      points.push_back({std::min(1.0, point->threshold), value});
    }
    canvas.polyline(chart.at(points),
                    fmt::format("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", curve.colour));
    entries.emplace_back(curve.name, fmt::format("fill=\"{}\"", curve.colour));
  }
  const double best = std::min(1.0, table.points[table.least_cost].threshold);
  canvas.line(chart.at(best, 0), chart.at(best, 1), "class=\"cut\" stroke-dasharray=\"5 3\"");
  entries.emplace_back(fmt::format("least cost at {}", short_number(best, 3)),
                       "fill=\"none\" class=\"cut\"");
  chart.legend({chart.right() + 24, chart.top() + 8}, entries, 240);
  return canvas.finish(width + 240, height, "Thresholds",
                       "Rates and cost against the threshold on the probability.");
}

}  // namespace softwood::render
