// The tree itself: cards for nodes, edges as wide as their rows, and the path of one row.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "lower/condition.h"
#include "render/svg/chart.h"
#include "render/svg/node_card.h"
#include "render/svg/plot.h"
#include "render/text/words.h"
#include "softwood/error.h"
#include "use/predict.h"

namespace softwood::render {
namespace {

// What is drawn unless the user says how deep; and what no picture goes beyond.
constexpr size_t most_ends = 48, most_ends_asked = 400;
constexpr double margin = 20, heading_height = 64, widest_edge = 14;

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

// "row 7: virginica, P = 0.97".
std::string row_text(const PlotTask& task) {
  const std::vector<RowIndex> rows = {static_cast<RowIndex>(*task.options.row)};
  const Predictions found = predict(task.model.tree, *task.rows, rows, task.parallel);
  const std::string answer =
      found.width == 1 ? short_number(found.answers[0], 5)
                       : fmt::format("{}, P = {:.3f}", task.tree.target.classes[found.top_class(0)],
                                     found.answers[found.top_class(0)]);
  return fmt::format("row {}: {}", *task.options.row + 1, answer);
}

void draw_heading(Canvas& canvas, const PlotTask& task, double width) {
  const LoweredTree& tree = task.tree;
  std::string heading = (tree.is_classifier() ? "Classification of " : "Regression of ") +
                        printable(tree.target.name);
  if (task.options.row) heading += "; " + row_text(task);
  canvas.text(margin, 26, heading, {16, Anchor::start, "strong", width - 2 * margin});
  double x = margin;
  if (tree.is_classifier()) {
    x = draw_class_names(canvas, {margin, 38}, tree.target.classes, width - 2 * margin);
  }
  const bool soft = has_soft_splits(tree);
  const std::string size = size_text(tree) + (soft ? "; shaded: rows are divided, 10 to 90 %" : "");
  const double room = width - margin - x;
  if (text_width(size, 11.5) <= room || !tree.is_classifier()) {
    canvas.text(x, 48, size, {11.5, Anchor::start, "muted", room});
  }
}

}  // namespace

std::string plot_tree(const PlotTask& task) {
  const NodeCards cards(task.tree, node_rows(task));
  LayoutOptions layout_options;
  layout_options.depth = task.options.depth;
  layout_options.most_ends = task.options.depth == full_depth ? most_ends : most_ends_asked;
  layout_options.to_the_right = task.options.to_the_right;
  if (task.options.to_the_right) layout_options.level_gap = 150;
  const TreeLayout layout = layout_tree(task.tree, layout_options, [&](uint32_t node, bool folded) {
    return cards.size(node, folded);
  });
  Canvas canvas;
  const double least_width = task.options.row ? 560 : 360;
  const double width = std::max(least_width, layout.width + 2 * margin);
  draw_heading(canvas, task, width);
  const double shift = (width - layout.width) / 2;
  std::vector<NodeBox> boxes = layout.boxes;
  for (NodeBox& box : boxes) {
    box.x += shift;
    box.y += heading_height;
  }
  for (size_t b = 1; b < boxes.size(); ++b) {
    draw_edge(canvas, task.tree, boxes[boxes[b].parent], boxes[b], task.options.to_the_right,
              cards.followed(boxes[b].node));
  }
  for (const NodeBox& box : boxes) cards.draw(canvas, box);
  EdgeTexts edges(task.tree);
  for (size_t b = 1; b < boxes.size(); ++b) {
    const NodeBox& box = boxes[b];
    const std::string text = edge_text(task.tree, edges, box.node);
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
