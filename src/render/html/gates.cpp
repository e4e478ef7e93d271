// Soft splits as curves: which share of a row goes to the first child.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "lower/condition.h"
#include "render/html/sections.h"
#include "render/svg/chart.h"
#include "render/svg/curves.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {
namespace {

constexpr size_t most_open = 24;  // gates that are seen at once

struct SoftGate {
  uint32_t node;
  const LoweredScore* score;
  SoftInterval range;
};

std::string gate_picture(const LoweredTree& tree, const SoftGate& gate) {
  constexpr double width = 300, height = 170, left = 76, top = 44;
  constexpr size_t points = 96;
  const double factor = value_factor(*gate.score);
  const bool by_value = gate.score->terms.size() == 1 && !names_levels(tree, *gate.score) &&
                        gate.score->terms[0].kind == TermKind::value;
  const double reach =
      std::max(gate.range.high - gate.range.low, 1e-9 * std::fabs(gate.range.half));
  double low = gate.range.low - 0.6 * reach, high = gate.range.high + 0.6 * reach;
  if (!(high > low)) {
    low = gate.range.half - 1;
    high = gate.range.half + 1;
  }
  const std::string name =
      by_value ? tree.inputs[gate.score->terms[0].input].name : sum_text(tree, *gate.score, 48);
  Canvas canvas;
  Chart chart(canvas, {left, top}, width, height, {low, high, name}, {0, 1, "share"});
  canvas.text(12, 22, fmt::format("Node {}", gate.node), {14, Anchor::start, "strong"});
  canvas.text(left + width, 22, shown_rows(tree, tree.nodes[gate.node].weight),
              {12, Anchor::end, "muted"});
  const Point from = chart.at(gate.range.low, 1), to = chart.at(gate.range.high, 0);
  canvas.rectangle(from.x, from.y, to.x - from.x, to.y - from.y,
                   "class=\"shade\" opacity=\"0.18\"");
  chart.draw_axes();
  std::vector<Point> curve;
  for (size_t i = 0; i <= points; ++i) {
    const double x = low + (high - low) * static_cast<double>(i) / points;
    curve.push_back({x, first_child_weight(*gate.score, x * factor)});
  }
  canvas.polyline(simplified(chart.at(curve)), "class=\"curve\"");
  canvas.line(chart.at(gate.range.half, 0), chart.at(gate.range.half, 1),
              "class=\"cut\" stroke-dasharray=\"4 3\"");
  return canvas.finish(left + width + 20, top + height + 52,
                       fmt::format("Curve of the gate of node {}", gate.node),
                       "Share of a row that goes to the first child.");
}

std::string gallery(const LoweredTree& tree, std::span<const SoftGate> gates) {
  Markup out;
  out.open("div", " class=\"gallery\"");
  for (const SoftGate& gate : gates) {
    out.raw(figure(gate_picture(tree, gate),
                   "First child: " + branch_text(tree, *tree.nodes[gate.node].split, 0)));
  }
  return out.close().done();
}

}  // namespace

std::string gates_section(const ReportFacts& facts) {
  const LoweredTree& tree = facts.tree;
  std::vector<SoftGate> gates;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const auto& split = tree.nodes[i].split;
    const auto* const score = split ? std::get_if<LoweredScore>(&split->condition) : nullptr;
    if (score == nullptr) continue;
    if (const auto range = soft_range(*score)) gates.push_back({i, score, *range});
  }
  if (gates.empty()) return "";
  std::stable_sort(gates.begin(), gates.end(), [&](const SoftGate& a, const SoftGate& b) {
    return tree.nodes[a.node].weight > tree.nodes[b.node].weight;
  });
  Markup out;
  out.paragraph(
      "At a soft split a row is divided: the curve is the share of it that goes to the first "
      "child. It passes through one half at the dashed line; the shaded range is where the split "
      "is soft. Splits with the most rows come first.");
  const std::span<const SoftGate> all = gates;
  const size_t open = std::min(all.size(), most_open);
  out.raw(gallery(tree, all.first(open)));
  if (open < all.size()) {
    out.open("details").element("summary", fmt::format("{} more soft splits", all.size() - open));
    out.raw(gallery(tree, all.subspan(open))).close();
  }
  return out.done();
}

}  // namespace softwood::render
