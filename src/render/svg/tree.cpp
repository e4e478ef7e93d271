// The tree itself: cards for nodes, edges as wide as their rows, and the path of one row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lower/condition.h"
#include "render/svg/node_card.h"
#include "render/svg/plot.h"
#include "render/text/words.h"
#include "softwood/error.h"
#include "use/predict.h"

namespace softwood::render {
namespace {

constexpr size_t most_ends = 48;
constexpr double margin = 20, heading_height = 64, widest_edge = 14;

// Bins of the inputs that numeric thresholds ask about, filled by the rows that come to the node
// with the largest part of them.
std::vector<std::optional<NodeHistogram>> histograms(const PlotTask& task) {
  constexpr size_t bins = 24;
  const LoweredTree& tree = task.tree;
  std::vector<std::optional<NodeHistogram>> result(tree.nodes.size());
  if (task.rows == nullptr || task.rows->rows() == 0) return result;
  const Table& table = *task.rows;
  const std::vector<RowIndex> rows = all_rows(table);
  const std::vector<NodeIndex> ends = predict_nodes(task.model.tree, table, rows, task.parallel);
  std::vector<std::vector<RowIndex>> of_node(tree.nodes.size());
  for (const RowIndex row : rows) {
    for (uint32_t node = ends[row];; node = tree.nodes[node].parent) {
      of_node[node].push_back(row);
      if (node == 0) break;
    }
  }
  const bool classes = tree.is_classifier() && !table.target().codes.empty();
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const auto& split = tree.nodes[i].split;
    const auto* const score = split ? std::get_if<LoweredScore>(&split->condition) : nullptr;
    if (score == nullptr || score->terms.size() != 1 || score->terms[0].kind != TermKind::value ||
        score->cut == cut_above_all_values) {
      continue;
    }
    const Column& column = table.input(score->terms[0].input);
    NodeHistogram bars;
    bars.low = INFINITY;
    bars.high = -INFINITY;
    for (const RowIndex row : of_node[i]) {
      const double value = column.value(row);
      if (std::isnan(value)) continue;
      bars.low = std::min(bars.low, value);
      bars.high = std::max(bars.high, value);
    }
    if (!(bars.high > bars.low) || !std::isfinite(bars.high - bars.low)) continue;
    bars.bins.assign(bins, std::vector<double>(classes ? tree.target.classes.size() : 1, 0.0));
    for (const RowIndex row : of_node[i]) {
      const double value = column.value(row);
      if (std::isnan(value)) continue;
      const double share = (value - bars.low) / (bars.high - bars.low);
      const auto bin = std::min(bins - 1, static_cast<size_t>(share * bins));
      const int32_t code = classes ? table.target().codes[row] : 0;
      if (code >= 0) bars.bins[bin][static_cast<size_t>(code)] += table.weight(row);
    }
    result[i] = std::move(bars);
  }
  return result;
}

// The share of the followed row that comes to each node; empty: none is followed.
std::vector<double> shares_of_row(const PlotTask& task) {
  if (!task.options.row) return {};
  if (task.rows == nullptr) {
    throw Error(ErrorKind::usage, "a row can be followed where there are data", {},
                "name DATA after MODEL");
  }
  if (*task.options.row >= task.rows->rows()) {
    throw Error(ErrorKind::usage, fmt::format("there is no row {}", *task.options.row + 1), {},
                fmt::format("the data have {} rows", task.rows->rows()));
  }
  const Predictor predictor(task.model.tree);
  const std::vector<RowIndex> rows = {static_cast<RowIndex>(*task.options.row)};
  std::vector<double> weights(predictor.end_nodes().size());
  predictor.weights(*task.rows, rows, weights, task.parallel);
  std::vector<double> shares(task.tree.nodes.size(), 0);
  for (size_t e = 0; e < weights.size(); ++e) {
    for (uint32_t node = predictor.end_nodes()[e];; node = task.tree.nodes[node].parent) {
      shares[node] += weights[e];
      if (node == 0) break;
    }
  }
  return shares;
}

void draw_edge(Canvas& canvas, const LoweredTree& tree, const NodeBox& from, const NodeBox& to,
               bool to_the_right, double followed) {
  const double width = 1 + (widest_edge - 1) * std::clamp(tree.nodes[to.node].share, 0.0, 1.0);
  const Point a = to_the_right ? Point{from.x + from.width, from.y + from.height / 2}
                               : Point{from.x + from.width / 2, from.y + from.height};
  const Point b =
      to_the_right ? Point{to.x, to.y + to.height / 2} : Point{to.x + to.width / 2, to.y};
  const double half = to_the_right ? (a.x + b.x) / 2 : (a.y + b.y) / 2;
  const std::string steps =
      to_the_right ? fmt::format("M{},{} C{},{} {},{} {},{}", coordinate(a.x), coordinate(a.y),
                                 coordinate(half), coordinate(a.y), coordinate(half),
                                 coordinate(b.y), coordinate(b.x), coordinate(b.y))
                   : fmt::format("M{},{} C{},{} {},{} {},{}", coordinate(a.x), coordinate(a.y),
                                 coordinate(a.x), coordinate(half), coordinate(b.x),
                                 coordinate(half), coordinate(b.x), coordinate(b.y));
  canvas.path(steps, fmt::format("class=\"edge{}\" stroke-width=\"{}\" opacity=\"{}\"",
                                 followed > 0 ? " on" : "", coordinate(width),
                                 followed > 0 ? coordinate(0.3 + 0.7 * followed) : "0.55"));
}

void draw_heading(Canvas& canvas, const PlotTask& task, double width) {
  const LoweredTree& tree = task.tree;
  canvas.text(margin, 26,
              tree.is_classifier() ? "Classification of " + tree.target.name
                                   : "Regression of " + tree.target.name,
              {16, Anchor::start, "strong", width - 2 * margin});
  double x = margin;
  if (!tree.is_classifier()) {
    canvas.text(x, 48, size_text(tree), {11.5, Anchor::start, "muted", width - 2 * margin});
    return;
  }
  for (size_t k = 0; k < tree.target.classes.size(); ++k) {
    const std::string name = fitted_text(printable(tree.target.classes[k]), 12, 140);
    const double needed = text_width(name, 12) + 34;
    if (x + needed > width - margin) break;
    canvas.rectangle(x, 38, 12, 12, fmt::format("fill=\"{}\"", class_colour(k)));
    canvas.text(x + 18, 48, name);
    x += needed;
  }
}

}  // namespace

std::string plot_tree(const PlotTask& task) {
  NodeCards cards(task.tree);
  cards.set_histograms(histograms(task));
  LayoutOptions layout_options;
  layout_options.depth = task.options.depth;
  layout_options.most_ends = most_ends;
  layout_options.to_the_right = task.options.to_the_right;
  if (task.options.to_the_right) layout_options.level_gap = 150;
  const TreeLayout layout = layout_tree(task.tree, layout_options, [&](uint32_t node, bool folded) {
    return cards.size(node, folded);
  });
  const std::vector<double> shares = shares_of_row(task);
  const auto share = [&](uint32_t node) { return shares.empty() ? 0 : shares[node]; };
  Canvas canvas;
  const double width = std::max(360.0, layout.width + 2 * margin);
  draw_heading(canvas, task, width);
  const double shift = (width - layout.width) / 2;
  std::vector<NodeBox> boxes = layout.boxes;
  for (NodeBox& box : boxes) {
    box.x += shift;
    box.y += heading_height;
  }
  for (size_t b = 1; b < boxes.size(); ++b) {
    draw_edge(canvas, task.tree, boxes[boxes[b].parent], boxes[b], task.options.to_the_right,
              share(boxes[b].node));
  }
  for (const NodeBox& box : boxes) cards.draw(canvas, box, share(box.node));
  for (size_t b = 1; b < boxes.size(); ++b) {
    const NodeBox& box = boxes[b];
    const std::string text = edge_text(task.tree, box.node);
    if (task.options.to_the_right) {
      canvas.text(box.x - 6, box.y + box.height / 2 - 6, text, {11, Anchor::end, "label", 136});
    } else {
      canvas.text(box.x + box.width / 2, box.y - 7, text,
                  {11, Anchor::middle, "label", box.width + 8});
    }
  }
  return canvas.finish(width, layout.height + heading_height + margin,
                       "Decision tree for " + task.tree.target.name, size_text(task.tree));
}

}  // namespace softwood::render
