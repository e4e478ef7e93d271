#include "render/svg/node_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lower/condition.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {
namespace {

constexpr double card_width = 172, leaf_width = 132, pad = 8;
constexpr double line_height = 17, chart_height = 40, bar_height = 9;
constexpr size_t most_terms = 4;

const LoweredScore* score_of(const LoweredTree& tree, uint32_t node) {
  const auto& split = tree.nodes[node].split;
  return split ? std::get_if<LoweredScore>(&split->condition) : nullptr;
}

// Terms by their effect, the largest first.
std::vector<const LoweredTerm*> by_effect(const LoweredScore& score) {
  std::vector<const LoweredTerm*> terms;
  for (const LoweredTerm& term : score.terms) terms.push_back(&term);
  std::stable_sort(terms.begin(), terms.end(), [](const LoweredTerm* a, const LoweredTerm* b) {
    const auto effect = [](const LoweredTerm* t) {
      return std::fabs(t->coefficient * (t->spread > 0 ? t->spread : 1));
    };
    return effect(a) > effect(b);
  });
  return terms;
}

double term_lines(const LoweredScore& score) {
  return static_cast<double>(std::min(score.terms.size(), most_terms));
}

bool is_sum(const LoweredScore& score) {
  return score.terms.size() > 1 || score.terms[0].kind != TermKind::value;
}

}  // namespace

std::string edge_text(const LoweredTree& tree, uint32_t child) {
  const uint32_t parent = tree.nodes[child].parent;
  const LoweredSplit& split = *tree.nodes[parent].split;
  const std::string text = branch_text(tree, split, child - split.first_child);
  const std::vector<uint32_t> inputs = condition_inputs(split.condition);
  if (inputs.size() != 1) return text;
  const std::string& name = tree.inputs[inputs[0]].name;
  const bool named = text.size() > name.size() + 1 && text.compare(0, name.size(), name) == 0;
  return named ? text.substr(name.size() + 1) : text;
}

const NodeHistogram* NodeCards::histogram(uint32_t node) const {
  if (node >= histograms_.size() || !histograms_[node]) return nullptr;
  return &*histograms_[node];
}

bool NodeCards::has_chart(uint32_t node) const {
  const LoweredScore* const score = score_of(tree_, node);
  if (score == nullptr) return false;
  return histogram(node) != nullptr || score->link != LinkKind::step;
}

BoxSize NodeCards::size(uint32_t node, bool folded) const {
  if (tree_.nodes[node].is_leaf()) return {leaf_width, 2 * line_height + bar_height + 2 * pad};
  double height = 2 * line_height + bar_height + 2 * pad;
  const LoweredScore* const score = score_of(tree_, node);
  if (score != nullptr && is_sum(*score)) height += term_lines(*score) * 14 + 4;
  if (has_chart(node)) height += chart_height + 6;
  if (folded) height += line_height;
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

std::string NodeCards::details(uint32_t node) const {
  const LoweredNode& one = tree_.nodes[node];
  const std::string rows = shown_rows(tree_, one.weight);
  if (!tree_.is_classifier()) {
    return fmt::format("{} ± {}, {}", short_number(one.mean, 4),
                       short_number(standard_deviation(one), 3), rows);
  }
  return fmt::format("{}: {:.0f} %, {}", tree_.target.classes[answers_.decided(node)],
                     100 * answers_.share(node), rows);
}

void NodeCards::draw(Canvas& canvas, const NodeBox& box, double share) const {
  const LoweredNode& node = tree_.nodes[box.node];
  canvas.open_group(fmt::format("class=\"node\" data-node=\"{}\"", box.node));
  std::string title = fmt::format("node {}: {}", box.node, details(box.node));
  if (node.split) {
    title += "; " + condition_text(tree_, node.split->condition, 0) + " to the first child";
  }
  canvas.title(title);
  canvas.rectangle(box.x, box.y, box.width, box.height,
                   share > 0 ? "class=\"box\" rx=\"6\" style=\"stroke:#d55e00;stroke-width:2.5\""
                             : "class=\"box\" rx=\"6\"");
  const double room = box.width - 2 * pad;
  const double middle = box.x + box.width / 2;
  double y = box.y + pad + 12;
  canvas.text(middle, y, heading(box.node), {12.5, Anchor::middle, "strong", room});
  y += 5;
  const LoweredScore* const score = score_of(tree_, box.node);
  if (score != nullptr && is_sum(*score)) {
    draw_terms(canvas, box, y, *score);
    y += term_lines(*score) * 14 + 4;
  }
  if (has_chart(box.node)) {
    draw_split_chart(canvas, box, y);
    y += chart_height + 6;
  }
  draw_answer(canvas, box, y);
  y += bar_height + 14;
  const std::string followed =
      share > 0 && share < 1 ? fmt::format("{:.0f} % of the row, ", 100 * share) : "";
  canvas.text(middle, y, followed + details(box.node), {10.5, Anchor::middle, "muted", room});
  if (box.folded) {
    canvas.text(middle, y + line_height, fmt::format("▾ {} leaves below", box.hidden_leaves),
                {10.5, Anchor::middle, "strong", room});
  }
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
  double low = tree_.nodes[0].mean, high = low;
  for (const LoweredNode& other : tree_.nodes) {
    const double spread = standard_deviation(other);
    low = std::min(low, other.mean - spread);
    high = std::max(high, other.mean + spread);
  }
  const auto place = [&](double value) {
    return left + room * (high > low ? (value - low) / (high - low) : 0.5);
  };
  const double spread = standard_deviation(node);
  canvas.line({left, y + bar_height / 2}, {left + room, y + bar_height / 2}, "class=\"grid\"");
  canvas.rectangle(place(node.mean - spread), y + 2,
                   place(node.mean + spread) - place(node.mean - spread), bar_height - 4,
                   "class=\"mark\" opacity=\"0.45\"");
  canvas.circle(place(node.mean), y + bar_height / 2, 4, "class=\"mark\"");
}

void NodeCards::draw_split_chart(Canvas& canvas, const NodeBox& box, double y) const {
  const LoweredScore& score = *score_of(tree_, box.node);
  if (const NodeHistogram* const bars = histogram(box.node)) {
    draw_histogram(canvas, box, y, *bars, score);
  } else {
    draw_link(canvas, box, y, score);
  }
}

void NodeCards::draw_histogram(Canvas& canvas, const NodeBox& box, double y,
                               const NodeHistogram& bars, const LoweredScore& score) const {
  const double left = box.x + pad, room = box.width - 2 * pad;
  double most = 0;
  for (const std::vector<double>& bin : bars.bins) {
    double sum = 0;
    for (const double count : bin) sum += count;
    most = std::max(most, sum);
  }
  const double width = room / static_cast<double>(bars.bins.size());
  for (size_t b = 0; b < bars.bins.size(); ++b) {
    double base = y + chart_height;
    for (size_t k = 0; k < bars.bins[b].size(); ++k) {
      const double height = most > 0 ? chart_height * bars.bins[b][k] / most : 0;
      if (height < 0.05) continue;
      base -= height;
      canvas.rectangle(left + static_cast<double>(b) * width, base, std::max(0.5, width - 0.5),
                       height,
                       tree_.is_classifier() ? fmt::format("fill=\"{}\"", class_colour(k))
                                             : "class=\"mark\" opacity=\"0.6\"");
    }
  }
  canvas.line({left, y + chart_height}, {left + room, y + chart_height}, "class=\"axis\"");
  const auto place = [&](double value) {
    const double share = bars.high > bars.low ? (value - bars.low) / (bars.high - bars.low) : 0.5;
    return left + room * std::clamp(share, 0.0, 1.0);
  };
  const double cut = score.cut / value_factor(score);
  canvas.line({place(cut), y}, {place(cut), y + chart_height}, "class=\"cut\"");
  if (const auto soft = soft_range(score)) {
    canvas.rectangle(place(soft->low), y, place(soft->high) - place(soft->low), chart_height,
                     "fill=\"#d55e00\" opacity=\"0.15\"");
  }
}

// The weight of the first child over the score, with the range in which a row is divided.
void NodeCards::draw_link(Canvas& canvas, const NodeBox& box, double y,
                          const LoweredScore& score) const {
  const auto soft = soft_range(score);
  if (!soft) return;
  const double left = box.x + pad, room = box.width - 2 * pad;
  const double factor = value_factor(score);
  double width = soft->high - soft->low;
  if (!(width > 0)) width = std::max(1.0, std::fabs(soft->half));
  const double low = soft->low - 0.4 * width, high = soft->high + 0.4 * width;
  const auto place = [&](double value) { return left + room * (value - low) / (high - low); };
  canvas.rectangle(place(soft->low), y, place(soft->high) - place(soft->low), chart_height - 12,
                   "fill=\"#d55e00\" opacity=\"0.15\"");
  std::vector<Point> points;
  constexpr int steps = 40;
  for (int i = 0; i <= steps; ++i) {
    const double value = low + (high - low) * i / steps;
    const double weight = first_child_weight(score, value * factor);
    points.push_back({place(value), y + (chart_height - 12) * (1 - weight)});
  }
  canvas.polyline(points, "class=\"curve\"");
  canvas.text(left, y + chart_height - 1, short_number(soft->low, 3),
              {9.5, Anchor::start, "muted", room / 2 - 4});
  canvas.text(left + room, y + chart_height - 1, short_number(soft->high, 3),
              {9.5, Anchor::end, "muted", room / 2 - 4});
}

void NodeCards::draw_terms(Canvas& canvas, const NodeBox& box, double y,
                           const LoweredScore& score) const {
  const std::vector<const LoweredTerm*> terms = by_effect(score);
  const double left = box.x + pad, room = box.width - 2 * pad, names = room * 0.55;
  const auto effect = [](const LoweredTerm& term) {
    return term.coefficient * (term.spread > 0 ? term.spread : 1);
  };
  const double most = std::fabs(effect(*terms[0]));
  const double zero = left + names + (room - names) / 2;
  for (size_t t = 0; t < std::min(terms.size(), most_terms); ++t, y += 14) {
    LoweredTerm plain = *terms[t];
    plain.coefficient = 1;
    std::string name = terms_text(tree_, std::vector<LoweredTerm>{plain}, true);
    if (t + 1 == most_terms && terms.size() > most_terms) {
      name = fmt::format("… {} more", terms.size() - most_terms + 1);
      canvas.text(left, y + 10, name, {10, Anchor::start, "muted", room});
      break;
    }
    canvas.text(left, y + 10, name, {10, Anchor::start, "", names - 4});
    const double width = most > 0 ? (room - names) / 2 * effect(*terms[t]) / most : 0;
    canvas.rectangle(std::min(zero, zero + width), y + 3, std::fabs(width), 8,
                     width < 0 ? "fill=\"#d55e00\"" : "fill=\"#0072b2\"");
    canvas.line({zero, y + 1}, {zero, y + 13}, "class=\"axis\"");
  }
}

}  // namespace softwood::render
