#include "render/svg/node_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "lower/condition.h"
#include "render/svg/split_chart.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {
namespace {

constexpr double card_width = 172, leaf_width = 132, pad = 8;
constexpr double line_height = 17, bar_height = 9, details_size = 10.5;

const LoweredScore* score_of(const LoweredTree& tree, uint32_t node) {
  const auto& split = tree.nodes[node].split;
  return split ? std::get_if<LoweredScore>(&split->condition) : nullptr;
}

}  // namespace

NodeCards::NodeCards(const LoweredTree& tree, NodeRows rows)
    : tree_(tree), answers_(tree), rows_(std::move(rows)) {
  low_ = high_ = tree.nodes[0].mean;
  if (tree.is_classifier()) return;
  for (const LoweredNode& node : tree.nodes) {
    const double spread = standard_deviation(node);
    low_ = std::min(low_, node.mean - spread);
    high_ = std::max(high_, node.mean + spread);
  }
}

std::string edge_text(const LoweredTree& tree, EdgeTexts& edges, uint32_t child) {
  const uint32_t parent = tree.nodes[child].parent;
  const LoweredSplit& split = *tree.nodes[parent].split;
  std::string text = edges.of(child);
  const std::vector<uint32_t> inputs = condition_inputs(split.condition);
  const std::string name = tree.inputs[inputs[0]].name;
  const LoweredScore* const score = score_of(tree, parent);
  if (score != nullptr && is_sum(*score)) {
    const size_t sign = std::min(text.rfind(" <= "), text.rfind(" > "));
    if (sign != std::string::npos) text = "sum" + text.substr(sign);
  } else if (text.size() > name.size() + 1 && text.compare(0, name.size(), name) == 0) {
    text = text.substr(name.size() + 1);
  }
  // Where a row is divided stands in the node, too.
  const size_t soft = text.find(" (soft"), end = text.find(')', soft);
  return soft == std::string::npos || end == std::string::npos ? text
                                                               : text.erase(soft, end + 1 - soft);
}

const NodeHistogram* NodeCards::histogram(uint32_t node) const {
  if (node >= rows_.histograms.size() || !rows_.histograms[node]) return nullptr;
  return &*rows_.histograms[node];
}

bool NodeCards::has_chart(uint32_t node) const {
  if (histogram(node) != nullptr) return true;
  const LoweredScore* const score = score_of(tree_, node);
  return score != nullptr && score->link != LinkKind::step;
}

BoxSize NodeCards::size(uint32_t node, bool folded) const {
  double height = 2 * line_height + bar_height + 2 * pad;
  if (folded) return {leaf_width, height};
  if (tree_.nodes[node].is_leaf()) return {leaf_width, height};
  const LoweredScore* const score = score_of(tree_, node);
  if (score != nullptr && is_sum(*score)) {
    height += static_cast<double>(term_lines(*score)) * term_height + 4;
  }
  if (has_chart(node)) height += split_chart_height + 4;
  return {card_width, height};
}

std::string NodeCards::heading(uint32_t node) const {
  const LoweredNode& one = tree_.nodes[node];
  if (one.is_leaf()) {
    return tree_.is_classifier() ? tree_.target.classes[answers_.decided(node)]
                                 : short_number(answers_.number(node), 5);
  }
  const std::vector<uint32_t> inputs = condition_inputs(one.split->condition);
  if (inputs.size() == 1) return tree_.inputs[inputs[0]].name;
  return fmt::format("sum of {} inputs", inputs.size());
}

std::string NodeCards::details(uint32_t node, double room) const {
  const LoweredNode& one = tree_.nodes[node];
  const std::string rows = shown_rows(tree_, one.weight);
  if (!tree_.is_classifier()) {
    const std::string spread = "± " + short_number(standard_deviation(one), 3);
    return one.is_leaf() ? fmt::format("{}, {}", spread, rows)
                         : fmt::format("{} {}, {}", short_number(one.mean, 4), spread, rows);
  }
  const std::string share = fmt::format("{:.0f} %, {}", 100 * answers_.share(node), rows);
  if (one.is_leaf()) return share;
  // Rather a part of the name than of the numbers.
  const std::string name = printable(tree_.target.classes[answers_.decided(node)]);
  const double for_name = room - text_width(": " + share, details_size);
  return fmt::format("{}: {}", room > 0 ? fitted_text(name, details_size, for_name) : name, share);
}

std::string NodeCards::title(uint32_t node) const {
  const LoweredNode& one = tree_.nodes[node];
  std::string text = fmt::format("node {}: {}, {}", node, heading(node), details(node));
  if (one.split) {
    text += "; " + branch_text(tree_, *one.split, 0) + " to the first child";
    const LoweredScore* const score = score_of(tree_, node);
    const auto soft = score == nullptr ? std::nullopt : soft_range(*score);
    if (soft) {
      text += fmt::format("; divided between {} and {}", short_number(soft->low, 4),
                          short_number(soft->high, 4));
    }
  }
  if (one.formula) {
    for (const std::string& line : formula_lines(tree_, *one.formula)) text += "; " + line;
  }
  return text;
}

void NodeCards::draw(Canvas& canvas, const NodeBox& box) const {
  const double share = followed(box.node);
  canvas.open_group(fmt::format("class=\"node\" data-node=\"{}\"", box.node));
  canvas.title(title(box.node));
  canvas.rectangle(box.x, box.y, box.width, box.height,
                   fmt::format("class=\"box{}\" rx=\"6\"{}", share > 0 ? " on" : "",
                               box.folded ? " stroke-dasharray=\"5 3\"" : ""));
  const ChartFrame inside{box.x + pad, box.y + pad, box.width - 2 * pad};
  const double middle = box.x + box.width / 2;
  double y = inside.y + 12;
  canvas.text(middle, y,
              box.folded ? fmt::format("▾ {} leaves", box.hidden_leaves) : heading(box.node),
              {12.5, Anchor::middle, "strong", inside.width});
  y += 5;
  const LoweredScore* const score = box.folded ? nullptr : score_of(tree_, box.node);
  if (score != nullptr && is_sum(*score)) {
    draw_terms(canvas, {inside.x, y, inside.width}, tree_, *score);
    y += static_cast<double>(term_lines(*score)) * term_height + 4;
  }
  if (!box.folded && has_chart(box.node)) {
    draw_split_chart(canvas, {inside.x, y, inside.width}, tree_, box.node, rows_);
    y += split_chart_height + 4;
  }
  draw_answer(canvas, box, y);
  y += bar_height + 14;
  const std::string part =
      share > 0 && share < 1 ? fmt::format("{:.0f} % of the row", 100 * share) : "";
  canvas.text(middle, y, part.empty() ? details(box.node, inside.width) : part,
              {details_size, Anchor::middle, part.empty() ? "muted" : "strong", inside.width});
  canvas.close_group();
}

// Shares of the classes as one bar; the mean and its spread within the range of all nodes.
void NodeCards::draw_answer(Canvas& canvas, const NodeBox& box, double y) const {
  const LoweredNode& node = tree_.nodes[box.node];
  const double left = box.x + pad, room = box.width - 2 * pad;
  if (tree_.is_classifier()) {
    double x = left;
    for (size_t k = 0; k < node.class_weights.size(); ++k) {
      const double width = node.weight > 0 ? room * node.class_weights[k] / node.weight : 0;
      if (width < 0.05) continue;
      canvas.rectangle(x, y, width, bar_height, fmt::format("fill=\"{}\"", class_colour(k)));
      x += width;
    }
    return;
  }
  const auto place = [&](double value) {
    return left + room * (high_ > low_ ? (value - low_) / (high_ - low_) : 0.5);
  };
  const double spread = standard_deviation(node);
  canvas.line({left, y + bar_height / 2}, {left + room, y + bar_height / 2}, "class=\"grid\"");
  canvas.rectangle(place(node.mean - spread), y + 2,
                   place(node.mean + spread) - place(node.mean - spread), bar_height - 4,
                   "class=\"mark\" opacity=\"0.45\"");
  canvas.circle(place(node.mean), y + bar_height / 2, 4, "class=\"mark\"");
}

}  // namespace softwood::render
