// What the script of the page works with, as JSON. Texts are shown texts: nothing in them is
// markup, and control characters are escaped.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lower/condition.h"
#include "render/html/sections.h"
#include "render/svg/canvas.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/words.h"
#include "use/roc.h"

namespace softwood::render {
namespace {

constexpr size_t most_thresholds = 400;
constexpr double slider_steps = 200;  // of threshold.js

Json printable_list(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(printable(name));
  return list;
}

// Between which values the form offers an input: as in the data, else as the model knows, else
// around the cuts.
std::pair<double, double> range_of(const ReportFacts& facts, uint32_t f) {
  double low = INFINITY, high = -INFINITY;
  const auto add = [&](double value) {
    if (!std::isfinite(value) || std::fabs(value) > 1e300) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  if (!facts.all.empty() && facts.tree.inputs[f].kind == InputKind::numeric) {
    for (const double value : facts.task.rows->input(f).numbers) add(value);
  }
  add(facts.tree.inputs[f].low);
  add(facts.tree.inputs[f].high);
  if (low < high) return {low, high};
  for (const LoweredNode& node : facts.tree.nodes) {
    const auto* const score =
        node.split ? std::get_if<LoweredScore>(&node.split->condition) : nullptr;
    if (score == nullptr || score->terms.size() != 1 || score->terms[0].input != f) continue;
    add(score->cut / value_factor(*score));
  }
  add(facts.typical[f]);
  if (!(low <= high)) return {0, 1};
  const double more = high > low ? (high - low) / 4 : std::max(1.0, std::fabs(high) / 2);
  return {low - more, high + more};
}

Json inputs_json(const ReportFacts& facts) {
  Json list = Json::array();
  for (const uint32_t f : facts.inputs) {
    const LoweredInput& input = facts.tree.inputs[f];
    Json one;
    one["name"] = printable(input.name);
    one["typical"] = json_number(facts.typical[f]);
    one["importance"] = json_number(input.importance);
    if (input.kind == InputKind::numeric) {
      const auto [low, high] = range_of(facts, f);
      one["low"] = json_number(low);
      one["high"] = json_number(high);
    } else {
      one["levels"] = printable_list(input.levels);
    }
    list.push_back(std::move(one));
  }
  return list;
}

// By its place among the inputs in use.
Json split_inputs(const ReportFacts& facts, const LoweredSplit& split) {
  Json list = Json::array();
  for (const uint32_t f : condition_inputs(split.condition)) {
    const auto place = std::find(facts.inputs.begin(), facts.inputs.end(), f);
    if (place != facts.inputs.end()) list.push_back(place - facts.inputs.begin());
  }
  return list;
}

// Six digits are enough to draw and to read.
Json short_json(double value) {
  double shortened = value;
  if (std::isfinite(value)) parse_number(short_number(value, 6), shortened);
  return json_number(shortened);
}

Json nodes_json(const ReportFacts& facts) {
  constexpr size_t room = 200;
  const LoweredTree& tree = facts.tree;
  const NodeAnswers answers(tree);
  EdgeTexts edges(tree);
  Json list = Json::array();
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const LoweredNode& node = tree.nodes[i];
    Json one;
    one["parent"] = node.parent;
    if (i > 0) one["text"] = printable(edges.of(i, room));
    one["rows"] = shown_rows(tree, node.weight);
    one["share"] = short_json(node.share);
    if (tree.is_classifier()) {
      one["class"] = answers.decided(i);
      one["certainty"] = short_json(answers.share(i));
      Json shares = Json::array();
      for (const double weight : node.class_weights) {
        shares.push_back(short_json(node.weight > 0 ? weight / node.weight : 0));
      }
      one["shares"] = std::move(shares);
    } else {
      one["value"] = short_json(answers.number(i));
      one["sd"] = short_json(standard_deviation(node));
    }
    if (node.formula) one["formula"] = printable_list(formula_lines(tree, *node.formula, 6));
    if (node.split) {
      one["children"] = {node.split->first_child, node.split->children};
      one["inputs"] = split_inputs(facts, *node.split);
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json rows_json(const ReportFacts& facts) {
  Json list = Json::array();
  if (facts.held.empty()) return list;
  const Table& table = *facts.task.rows;
  for (const RowIndex row : facts.held) {
    Json cells = Json::array();
    for (const uint32_t f : facts.inputs) cells.push_back(json_number(table.input(f).value(row)));
    Json one = {{"number", facts.number_of(row)}, {"cells", std::move(cells)}};
    if (facts.has_target()) {
      one["target"] = printable(observed_text(table, row));
      const double value = table.target().value(row);
      one["observed"] = json_number(value);
    }
    list.push_back(std::move(one));
  }
  return list;
}

// Whether a point lies on the upper convex hull of (false positives, true positives): whatever
// errors cost, the least cost is at one of these (Provost & Fawcett 2001).
std::vector<bool> on_hull(const std::vector<ThresholdPoint>& points) {
  std::vector<size_t> hull;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto is_below = [&] {
      const ThresholdPoint &from = points[hull[hull.size() - 2]], &over = points[hull.back()];
      return (over.false_positives - from.false_positives) *
                 (points[i].true_positives - from.true_positives) >=
             (points[i].false_positives - from.false_positives) *
                 (over.true_positives - from.true_positives);
    };
    while (hull.size() > 1 && is_below()) hull.pop_back();
    hull.push_back(i);
  }
  std::vector<bool> on(points.size(), false);
  for (const size_t i : hull) on[i] = true;
  return on;
}

// Points for the script: what each step of the slider gives is exact, and so is the least cost.
Json kept_points(const ThresholdTable& table) {
  const std::vector<ThresholdPoint>& points = table.points;
  const std::vector<bool> hull = on_hull(points);
  const auto steps_below = [&](size_t of) {
    return std::floor(std::min(2.0, points[of].threshold) * slider_steps);
  };
  Json kept = Json::array();
  for (size_t i = 0; i < points.size(); ++i) {
    const bool ends_step = i + 1 == points.size() || steps_below(i) > steps_below(i + 1);
    if (points.size() > most_thresholds && i != 0 && !ends_step && !hull[i] &&
        i != table.least_cost) {
      continue;
    }
    kept.push_back({json_number(points[i].threshold), json_number(points[i].true_positives),
                    json_number(points[i].false_positives)});
  }
  return kept;
}

Json thresholds_json(const ReportFacts& facts) {
  if (!facts.has_target() || facts.evaluation->classes.size() != 2) return nullptr;
  const std::vector<double>& costs = facts.task.model.tree.costs();
  double positive = 0, negative = 0;
  for (const RowIndex row : facts.all) {
    const int32_t code = facts.task.rows->target().codes[row];
    if (code < 0) continue;
    (static_cast<size_t>(code) == facts.evaluation->positive ? positive : negative) +=
        facts.task.rows->weight(row);
  }
  if (!(positive > 0 && negative > 0)) return nullptr;
  const size_t of = facts.evaluation->positive;
  const double missed = costs.empty() ? 1.0 : costs[of * 2 + (1 - of)];
  const double alarm = costs.empty() ? 1.0 : costs[(1 - of) * 2 + of];
  return {{"points",
           kept_points(threshold_table(*facts.predictions, *facts.task.rows, facts.all, costs))},
          {"positive", positive},
          {"negative", negative},
          {"missed", missed},
          {"alarm", alarm},
          {"decided", alarm / (alarm + missed)}};  // from where the model answers positive
}

}  // namespace

Json page_data(const ReportFacts& facts) {
  const LoweredTree& tree = facts.tree;
  Json data;
  data["target"] = printable(tree.target.name);
  data["classes"] = printable_list(tree.target.classes);
  data["positive"] = tree.target.positive;
  Json colours = Json::array();
  for (size_t k = 0; k < tree.target.classes.size(); ++k) colours.push_back(class_colour(k));
  data["colours"] = std::move(colours);
  data["low_colour"] = scale_colour(0);
  data["high_colour"] = scale_colour(1);
  data["inputs"] = inputs_json(facts);
  data["nodes"] = nodes_json(facts);
  data["rows"] = rows_json(facts);
  data["thresholds"] = thresholds_json(facts);
  return data;
}

}  // namespace softwood::render
