// Loss on held-out rows against size, of the trees that this one was chosen from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "softwood/error.h"

namespace softwood::render {
namespace {

constexpr double width = 760, height = 480;

double log_size(const FrontierPoint& point) {
  return std::log2(static_cast<double>(std::max<size_t>(1, point.parameters)));
}

class FrontierPlot {
 public:
  explicit FrontierPlot(const Frontier& frontier) : frontier_(frontier) {}

  std::string draw() {
    canvas_.text(16, 24, "Frontier of loss and size", {15, Anchor::start, "strong"});
    Chart chart(canvas_, {80, 48}, width - 110, height - 114, sizes(), losses());
    chart.draw_axes();
    draw_curve(chart);
    draw_choices(chart);
    chart.legend({chart.right() - 290, chart.top() + 8}, entries_, 286);
    return canvas_.finish(width, height, "Frontier of loss and size",
                          "Loss on held-out rows against the numbers that a person has to read.");
  }

 private:
  // Sizes by their logarithm: there are many small trees and few large ones.
  Axis sizes() const {
    Axis axis{log_size(frontier_.points.front()) - 0.3, log_size(frontier_.points.back()) + 0.3,
              "parameters"};
    double last = -1e9;
    for (const FrontierPoint& point : frontier_.points) {
      const double at = log_size(point);
      if (at - last < (axis.high - axis.low) / 14) continue;
      last = at;
      axis.ticks.emplace_back(at, std::to_string(point.parameters));
    }
    return axis;
  }

  Axis losses() const {
    std::vector<double> values;
    for (const FrontierPoint& point : frontier_.points) {
      values.push_back(point.loss - point.standard_error);
      values.push_back(point.loss + point.standard_error);
    }
    return axis_over(values, frontier_.metric == "auc" ? "1 - auc" : frontier_.metric);
  }

  void draw_curve(const Chart& chart) {
    std::vector<Point> points;
    for (const FrontierPoint& point : frontier_.points) {
      canvas_.line(chart.at(log_size(point), point.loss - point.standard_error),
                   chart.at(log_size(point), point.loss + point.standard_error), "class=\"cut\"");
      if (!point.dominated) points.push_back(chart.at(log_size(point), point.loss));
    }
    canvas_.polyline(points, "class=\"curve\"");
    for (const FrontierPoint& point : frontier_.points) {
      const Point at = chart.at(log_size(point), point.loss);
      canvas_.circle(at.x, at.y, 3, "class=\"mark\"");
    }
    entries_.emplace_back("held-out rows ± standard error", "class=\"mark\"");
  }

  void draw_choices(const Chart& chart) {
    const FrontierChoices& choices = frontier_.choices;
    std::vector<std::pair<size_t, std::string>> names;
    for (const auto& [point, name] :
         {std::pair{choices.accuracy, "accuracy"}, std::pair{choices.balanced, "balanced"},
          std::pair{choices.readable, "readable"}}) {
      const auto same = std::find_if(names.begin(), names.end(),
                                     [at = point](const auto& entry) { return entry.first == at; });
      if (same == names.end()) {
        names.emplace_back(point, name);
      } else {
        same->second += fmt::format(", {}", name);
      }
    }
    for (const auto& [point, name] : names) {
      const FrontierPoint& one = frontier_.points[point];
      draw_name(chart.at(log_size(one), one.loss), name, (chart.left() + chart.right()) / 2);
    }
    const FrontierPoint& chosen = frontier_.points[frontier_.chosen];
    const Point at = chart.at(log_size(chosen), chosen.loss);
    canvas_.circle(at.x, at.y, 7, "class=\"ring\"");
    entries_.emplace_back(fmt::format("this tree: {} parameters, {}", chosen.parameters,
                                      short_number(chosen.loss, 3)),
                          "class=\"ring\"");
  }

  // Beside its point, towards the middle; lower where another name stands.
  void draw_name(Point at, const std::string& name, double middle) {
    constexpr double size = 12, line = 15, gap = 8;
    const bool left = at.x > middle;
    const double room = text_width(name, size) + 4;
    const double begin = left ? at.x - gap - room : at.x + gap, end = begin + room;
    double y = at.y - gap;
    const auto is_over = [&](const NameBox& other) {
      return begin < other.end && other.begin < end && std::abs(y - other.y) < line;
    };
    while (std::any_of(names_.begin(), names_.end(), is_over)) y += line;
    names_.push_back({begin, end, y});
    canvas_.text(at.x + (left ? -gap : gap), y, name,
                 {size, left ? Anchor::end : Anchor::start, ""});
  }

  struct NameBox {
    double begin, end, y;
  };

  const Frontier& frontier_;
  Canvas canvas_;
  std::vector<NameBox> names_;
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace

std::string plot_frontier(const PlotTask& task) {
  if (!task.model.frontier) {
    throw Error(ErrorKind::usage, "the model was not chosen from a frontier", {},
                "the method auto makes one");
  }
  return FrontierPlot(*task.model.frontier).draw();
}

}  // namespace softwood::render
