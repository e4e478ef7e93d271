// The three impurities of two classes over the share of one, with the nodes of the tree on them, as
// textbooks draw them (Hastie, Tibshirani & Friedman 2009, figure 9.3).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/svg/chart.h"
#include "render/svg/plot.h"
#include "softwood/error.h"

namespace softwood::render {
namespace {

double gini(double p) { return 2 * p * (1 - p); }
double half_entropy(double p) {
  const auto part = [](double q) { return q > 0 ? -q * std::log2(q) : 0.0; };
  return (part(p) + part(1 - p)) / 2;
}
double misclassification(double p) { return std::min(p, 1 - p); }

}  // namespace

std::string plot_impurity(const PlotTask& task) {
  const LoweredTarget& target = task.tree.target;
  if (target.classes.size() != 2) {
    throw Error(ErrorKind::failure, "impurity is drawn for two classes", {},
                target.classes.empty()
                    ? "this model predicts a number"
                    : fmt::format("this model has {} classes", target.classes.size()));
  }
  constexpr double width = 720, height = 480;
  Canvas canvas;
  canvas.text(16, 24, "Impurity of the nodes", {15, Anchor::start, "strong"});
  Chart chart(canvas, {80, 48}, width - 110, height - 120,
              {0, 1, "share of " + target.classes[target.positive]}, {0, 0.55, "impurity"});
  chart.draw_axes();
  struct Curve {
    std::string name, colour;
    double (*of)(double);
  };
  const std::vector<Curve> curves = {{"entropy / 2", "#009e73", half_entropy},
                                     {"Gini index", "#0072b2", gini},
                                     {"misclassification", "#d55e00", misclassification}};
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Curve& curve : curves) {
    std::vector<Point> points;
    for (int i = 0; i <= 200; ++i) points.push_back({i / 200.0, curve.of(i / 200.0)});
    canvas.polyline(chart.at(points),
                    fmt::format("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", curve.colour));
    entries.emplace_back(curve.name, fmt::format("fill=\"{}\"", curve.colour));
  }
  for (uint32_t i = 0; i < task.tree.nodes.size(); ++i) {
    const LoweredNode& node = task.tree.nodes[i];
    if (node.weight <= 0) continue;
    const double p = node.class_weights[target.positive] / node.weight;
    const Point place = chart.at(p, gini(p));
    canvas.open_group("");
    canvas.title(fmt::format("node {}: {} of {}, Gini index {}", i, short_number(p, 3),
                             short_number(node.weight, 6), short_number(gini(p), 3)));
    canvas.circle(place.x, place.y, 2.5 + 9 * std::sqrt(node.share),
                  node.is_leaf() ? "class=\"mark\" opacity=\"0.6\""
                                 : "class=\"ring\" style=\"stroke-width:1\" opacity=\"0.8\"");
    canvas.close_group();
  }
  entries.emplace_back("leaves, as large as their rows", "class=\"mark\" opacity=\"0.6\"");
  entries.emplace_back("inner nodes", "class=\"ring\" style=\"stroke-width:1\"");
  chart.legend({chart.left() + (chart.right() - chart.left()) / 2 - 120, chart.bottom() - 104},
               entries, 240);
  return canvas.finish(width, height, "Impurity of the nodes",
                       "Gini index, entropy and misclassification over the share of a class.");
}

}  // namespace softwood::render
