// Loss on held-out rows against size, of the trees that this one was chosen from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "softwood/error.h"
#include "tree/shown_frontier.h"

namespace softwood::render {
namespace {

constexpr double width = 760, height = 480;

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Whether a line from a to b goes through the box: by its parts, which are shorter than a box.
bool meets(const Box& box, Point a, Point b) {
  constexpr int parts = 64;
  for (int i = 0; i <= parts; ++i) {
    const double share = static_cast<double>(i) / parts;
    const double x = a.x + share * (b.x - a.x), y = a.y + share * (b.y - a.y);
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
  }
  return false;
}

class FrontierPlot {
 public:
  explicit FrontierPlot(const Frontier& frontier) : frontier_(frontier), shown_(shown(frontier)) {}

  std::string draw() {
    canvas_.text(16, 24, "Frontier of loss and size", {15, Anchor::start, "strong"});
    Chart chart(canvas_, {80, 48}, width - 110, height - 114, sizes(), losses());
    chart.draw_axes();
    draw_curve(chart);
    draw_choices(chart);
    // Above the chart, where no point is.
    chart.legend({chart.right() - legend_width, 10}, entries_, legend_width);
    return canvas_.finish(width, height, "Frontier of loss and size",
                          "Loss on held-out rows against the numbers that a person has to read.");
  }

 private:
  static double log_size(const ShownPoint& point) {
    return std::log2(static_cast<double>(std::max<size_t>(1, point.size.parameters)));
  }
  const FrontierPoint& judged(const ShownPoint& point) const {
    return frontier_.points[point.number];
  }
  Point place(const Chart& chart, const ShownPoint& point) const {
    return chart.at(log_size(point), judged(point).loss);
  }
  Point place(const Chart& chart, size_t number) const {
    const auto found =
        std::find_if(shown_.points.begin(), shown_.points.end(),
                     [&](const ShownPoint& point) { return point.number == number; });
    return place(chart, *found);
  }

  // Sizes by their logarithm: there are many small trees and few large ones.
  Axis sizes() const {
    Axis axis{log_size(shown_.points.front()) - 0.3, log_size(shown_.points.back()) + 0.3,
              shown_.of_saved_trees
                  ? "parameters of the saved trees, logarithmic scale"
                  : "parameters of the trees that were judged, logarithmic scale"};
    double last = -1e9;
    for (const ShownPoint& point : shown_.points) {
      const double at = log_size(point);
      if (at - last < (axis.high - axis.low) / 14) continue;
      last = at;
      axis.ticks.emplace_back(at, std::to_string(point.size.parameters));
    }
    return axis;
  }

  Axis losses() const {
    std::vector<double> values;
    for (const FrontierPoint& point : frontier_.points) {
      values.push_back(point.loss - point.standard_error);
      values.push_back(point.loss + point.standard_error);
    }
    return axis_over(values, loss_name(frontier_.metric));
  }

  // The curve is that of the sizes that are shown.
  void draw_curve(const Chart& chart) {
    for (const ShownPoint& point : shown_.points) {
      const double loss = judged(point).loss, error = judged(point).standard_error;
      const Point low = chart.at(log_size(point), loss - error);
      const Point high = chart.at(log_size(point), loss + error);
      canvas_.line(low, high, "class=\"cut\"");
      lines_.emplace_back(low, high);
      if (!point.dominated) curve_.push_back(place(chart, point));
    }
    canvas_.polyline(curve_, "class=\"curve\"");
    for (size_t i = 1; i < curve_.size(); ++i) lines_.emplace_back(curve_[i - 1], curve_[i]);
    for (const ShownPoint& point : shown_.points) {
      const Point at = place(chart, point);
      const double radius = point.number == frontier_.chosen ? ring : mark;
      canvas_.circle(at.x, at.y, mark, "class=\"mark\"");
      taken_.push_back({at.x - radius, at.y - radius, at.x + radius, at.y + radius});
    }
    entries_.emplace_back("held-out rows ± standard error", "class=\"mark\"");
  }

  void draw_choices(const Chart& chart) {
    for (const ShownPoint& point : shown_.points) {
      const std::string names = join(preferences_of(frontier_, point.number), ", ");
      if (!names.empty()) draw_name(chart, place(chart, point), names);
    }
    const FrontierPoint& chosen = frontier_.points[frontier_.chosen];
    const Point at = place(chart, frontier_.chosen);
    canvas_.circle(at.x, at.y, ring, "class=\"ring\"");
    entries_.emplace_back(fmt::format("this tree: {} parameters, {}", chosen.shown_parameters(),
                                      short_number(chosen.loss, 3)),
                          "class=\"ring\"");
  }

  // Where it covers no point and no other name, and as few lines as possible; the nearer, the
  // better.
  void draw_name(const Chart& chart, Point at, const std::string& name) {
    constexpr double size = 12, above = 10, below = 4, gap = 9, step = 14;
    constexpr int most_steps = 8;
    const double room = text_width(name, size);
    const Box inside{chart.left(), chart.top(), chart.right(), chart.bottom()};
    double least = -1;
    Box best{};
    for (int i = 0; i <= most_steps; ++i) {
      for (const double up : {1.0, -1.0}) {
        for (const double share : {0.0, 1.0, 0.5}) {  // of the name to the left of the point
          const double left = at.x + (share == 0 ? gap : share == 1 ? -gap : 0) - share * room;
          const double y = at.y - up * (i * step + (share == 0.5 ? gap + below : 0)) +
                           (up < 0 && share == 0.5 ? above : 0);
          const Box box{left, y - above, left + room, y + below};
          double cost = std::abs(y - at.y) / step + (share == 0.5 ? 0.5 : 0);
          for (const Box& other : taken_) cost += box.meets(other) ? 100 : 0;
          for (const auto& [a, b] : lines_) cost += meets(box, a, b) ? 3 : 0;
          if (left < inside.left || box.right > inside.right || box.top < inside.top ||
              box.bottom > inside.bottom) {
            cost += 100;
          }
          if (least >= 0 && cost >= least) continue;
          least = cost;
          best = box;
        }
      }
    }
    taken_.push_back(best);
    canvas_.text(best.left, best.bottom - below, name, {size, Anchor::start, ""});
  }

  static constexpr double mark = 3, ring = 7;
  static constexpr double legend_width = 286;

  const Frontier& frontier_;
  ShownFrontier shown_;
  Canvas canvas_;
  std::vector<Point> curve_;
  std::vector<Box> taken_;  // by points and names
  std::vector<std::pair<Point, Point>> lines_;
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
