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

constexpr double width = 720, height = 500, top = 68;
using Entries = std::vector<std::pair<std::string, std::string>>;

// Grey and dashed where the colours are those of classes.
void draw_curves(Canvas& canvas, const Chart& chart, bool coloured, Entries& entries) {
  struct Curve {
    std::string name, colour, dashes;
    double (*of)(double);
  };
  const std::vector<Curve> curves = {{"entropy / 2", "#009e73", "8 3", half_entropy},
                                     {"Gini index", "#0072b2", "none", gini},
                                     {"misclassification", "#d55e00", "2 3", misclassification}};
  for (const Curve& curve : curves) {
    std::vector<Point> points;
    for (int i = 0; i <= 200; ++i) points.push_back({i / 200.0, curve.of(i / 200.0)});
    const std::string line =
        coloured ? fmt::format("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", curve.colour)
                 : fmt::format(
                       "fill=\"none\" stroke-width=\"2\" stroke=\"#808080\" "
                       "stroke-dasharray=\"{}\"",
                       curve.dashes);
    canvas.polyline(chart.at(points), line);
    entries.emplace_back(curve.name, coloured ? fmt::format("fill=\"{}\"", curve.colour) : line);
  }
}

// Of two classes by the share of the positive one; of more each node by its most frequent class
// against the rest, in the colour of that class.
void draw_nodes(const LoweredTree& tree, Canvas& canvas, const Chart& chart) {
  const std::vector<std::string>& classes = tree.target.classes;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const LoweredNode& node = tree.nodes[i];
    if (node.weight <= 0) continue;
    const auto most = std::max_element(node.class_weights.begin(), node.class_weights.end());
    const bool two = classes.size() == 2;
    const size_t k =
        two ? tree.target.positive : static_cast<size_t>(most - node.class_weights.begin());
    const double p = node.class_weights[k] / node.weight;
    const Point place = chart.at(p, gini(p));
    const std::string filled = two ? "class=\"mark\"" : fmt::format("fill=\"{}\"", class_colour(k));
    const std::string ring =
        two ? "class=\"ring\" style=\"stroke-width:1\""
            : fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"", class_colour(k));
    canvas.open_group("");
    canvas.title(fmt::format("node {}: {} of {}{}, Gini index {}{}", i, short_number(p, 3),
                             short_number(node.weight, 6), two ? "" : " are " + classes[k],
                             short_number(gini(p), 3), two ? "" : " against the rest"));
    canvas.circle(place.x, place.y, 2.5 + 9 * std::sqrt(node.share),
                  (node.is_leaf() ? filled + " opacity=\"0.6\"" : ring + " opacity=\"0.8\""));
    canvas.close_group();
  }
}

}  // namespace

std::string plot_impurity(const PlotTask& task) {
  const LoweredTarget& target = task.tree.target;
  if (target.classes.empty()) {
    throw Error(ErrorKind::usage, "impurity is for classification", {},
                "this model predicts a number");
  }
  const bool two = target.classes.size() == 2;
  Canvas canvas;
  canvas.text(16, 24, "Impurity of the nodes", {15, Anchor::start, "strong"});
  if (!two) draw_class_names(canvas, {16, 38}, target.classes, width - 32);
  Chart chart(canvas, {80, top}, width - 110, height - top - 72,
              {0, 1,
               two ? "share of " + target.classes[target.positive]
                   : "share of the most frequent class of the node, against the rest"},
              {0, 0.55, "impurity"});
  chart.draw_axes();
  Entries entries;
  draw_curves(canvas, chart, two, entries);
  draw_nodes(task.tree, canvas, chart);
  entries.emplace_back("leaves, as large as their rows",
                       two ? "class=\"mark\" opacity=\"0.6\"" : "class=\"ink\" opacity=\"0.6\"");
  entries.emplace_back("inner nodes", "class=\"ring\" style=\"stroke-width:1\"");
  chart.legend({chart.left() + (chart.right() - chart.left()) / 2 - 120, chart.bottom() - 104},
               entries, 240);
  return canvas.finish(width, height, "Impurity of the nodes",
                       "Gini index, entropy and misclassification over the share of a class.");
}

}  // namespace softwood::render
