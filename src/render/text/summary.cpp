// Origin, size, importance of the inputs, and all that is known of every node.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/names.h"
#include "base/text.h"
#include "render/renderer.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/impurity.h"
#include "render/text/words.h"

namespace softwood::render {

namespace {

constexpr size_t label_width = 12;
constexpr size_t bar_width = 40;

class Summary {
 public:
  Summary(const LoweredTree& tree, size_t width)
      : tree_(tree), answers_(tree), width_(std::min(width, widest_text)) {}

  std::string text() {
    add_facts();
    add_origin();
    add_importance();
    if (const std::string reading = reading_text(tree_, width_); !reading.empty()) {
      text_ += '\n' + reading;
    }
    if (tree_.complexity) text_ += "\nCost-complexity table\n" + pruning_table_text(tree_);
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) add_node(i);
    return std::move(text_);
  }

 private:
  void add_line(std::string_view label, const std::string& value) {
    text_ += wrapped(fmt::format("{:<{}}", label, label_width), value, width_) + '\n';
  }
  // The same within a node.
  void add_node_line(std::string_view label, const std::string& value) {
    text_ += wrapped(fmt::format("  {:<{}}", label, label_width - 2), value, width_) + '\n';
  }
  // Each line of the table that is not empty with its text, broken where it is long.
  void add_table(std::string_view label, const TextTable& table,
                 std::span<const std::string> texts) {
    size_t widest = 0, next = 0;
    const std::vector<std::string> lines = table.lines();
    for (const std::string& line : lines) widest = std::max(widest, display_width(line));
    for (const std::string& line : lines) {
      if (line.empty()) continue;
      const std::string lead = fmt::format("  {:<{}}{}{:{}}", label, label_width - 2, line, "",
                                           widest + 2 - display_width(line));
      text_ += wrapped(lead, texts[next++], width_) + '\n';
      label = "";
    }
  }

  void add_facts();
  void add_origin();
  void add_class_weights();
  void add_costs();
  void add_importance();
  void add_node(uint32_t i);
  void add_classes(const LoweredNode& node);
  void add_errors(uint32_t i);
  void add_impurity(const LoweredNode& node);
  void add_split(const LoweredNode& node);
  void add_softness(const LoweredSplit& split);
  void add_competitors(const LoweredSplit& split);
  void add_surrogates(const LoweredSplit& split);

  std::vector<std::string> used_inputs() const;
  std::string split_worth(const LoweredNode& node) const;
  std::string gain_text(const LoweredNode& node) const;
  std::string missing_rule(const LoweredSplit& split) const;
  std::string imputation(const LoweredSplit& split) const;
  std::string input_name(size_t input) const {
    return shown_name(tree_.inputs[input].name, NamePlace::set);
  }
  std::string class_name(size_t k) const {
    return shown_name(tree_.target.classes[k], NamePlace::set);
  }
  std::string value_text(uint32_t input, double value) const {
    const LoweredInput& of = tree_.inputs[input];
    return of.kind == InputKind::numeric
               ? shown_number(value)
               : shown_name(of.levels[static_cast<size_t>(value)], NamePlace::set);
  }

  const LoweredTree& tree_;
  NodeAnswers answers_;
  size_t width_;
  std::string text_;
};

std::vector<std::string> Summary::used_inputs() const {
  std::vector<bool> used(tree_.inputs.size(), false);
  const auto use = [&](const std::vector<uint32_t>& inputs) {
    for (const uint32_t input : inputs) used[input] = true;
  };
  for (const LoweredNode& node : tree_.nodes) {
    if (node.split) use(condition_inputs(node.split->condition));
    if (node.formula) use(term_inputs(node.formula->terms));
  }
  std::vector<std::string> names;
  for (size_t input = 0; input < used.size(); ++input) {
    if (used[input]) names.push_back(input_name(input));
  }
  return names;
}

void Summary::add_facts() {
  const std::string target = shown_name(tree_.target.name, NamePlace::set);
  const std::vector<std::string>& classes = tree_.target.classes;
  const std::string positive =
      classes.size() == 2 ? "; positive: " + classes[tree_.target.positive] : "";
  add_line("target", tree_.is_classifier()
                         ? fmt::format("{} (classification, {} classes: {}{})", target,
                                       classes.size(), join(classes, ", "), positive)
                         : target + " (regression)");
  add_line("tree", size_text(tree_));
  const std::vector<std::string> used = used_inputs();
  add_line("features", fmt::format("{} of {} used{}{}", used.size(), tree_.inputs.size(),
                                   used.empty() ? "" : ": ", join(used, ", ")));
  if (tree_.formulas != FormulaKind::none) {
    add_line("models",
             fmt::format("in {} of {} leaves", count_formulas(tree_).all(), tree_.leaves));
  }
}

void Summary::add_origin() {
  const LoweredOrigin& origin = tree_.origin;
  if (!origin.method.empty()) add_line("method", origin.method);
  add_line("recipe", origin.recipe);
  if (!origin.chosen.empty()) add_line("chosen", origin.chosen);
  if (!origin.stopped.empty()) {
    add_line("stopped",
             fmt::format("by {} before its end: the recipe does not give this tree again",
                         origin.stopped == "budget" ? "the budget" : "a signal"));
  }
  const std::string monotone = monotone_text(tree_);
  if (!monotone.empty()) add_line("monotone", monotone);
  // Validation rows that a stage also fits the tree to are in the sums, but not in the table.
  const double weight = tree_.nodes[0].weight;
  const bool differ = std::fabs(weight - static_cast<double>(origin.rows)) >= 1;
  add_line("rows",
           fmt::format("{}{}{}", origin.rows,
                       origin.fingerprint.empty() ? "" : ", fingerprint " + origin.fingerprint,
                       !counts_weights(tree_) && differ
                           ? fmt::format("; the tree counts {}", shown_weight(weight))
                           : ""));
  if (!origin.weight_column.empty()) add_line("weights", origin.weight_column);
  add_class_weights();
  add_costs();
  add_line("seed", fmt::format("{}", origin.seed));
  add_line("version", origin.version);
}

void Summary::add_class_weights() {
  const std::vector<double>& weights = tree_.origin.class_weights;
  if (weights.empty()) return;
  std::vector<std::string> factors;
  for (size_t k = 0; k < weights.size(); ++k) {
    factors.push_back(fmt::format("{} x {}", class_name(k), short_number(weights[k])));
  }
  add_line("weighting", join(factors, ", ") + " (rows of a class weigh that many times as much)");
}

void Summary::add_costs() {
  const std::vector<double>& costs = tree_.decision.costs;
  if (costs.empty()) return;
  const size_t classes = tree_.target.classes.size();
  std::vector<std::string> errors;
  for (size_t actual = 0; actual < classes; ++actual) {
    for (size_t predicted = 0; predicted < classes; ++predicted) {
      const double cost = costs[actual * classes + predicted];
      if (cost == 0) continue;
      errors.push_back(fmt::format("{} predicted as {} {}", class_name(actual),
                                   class_name(predicted), shown_number(cost)));
    }
  }
  add_line("costs", join(errors, "; ") + "; gains weigh the rows of a class by its costs");
}

void Summary::add_importance() {
  std::vector<const LoweredInput*> order;
  for (const LoweredInput& input : tree_.inputs) {
    if (input.importance > 0) order.push_back(&input);
  }
  if (order.empty()) return;
  std::stable_sort(order.begin(), order.end(), [](const LoweredInput* a, const LoweredInput* b) {
    return a->importance > b->importance;
  });
  TextTable table({"Importance", "%", ""});
  for (const LoweredInput* const input : order) {
    const auto cells =
        static_cast<size_t>(std::lround(bar_width * input->importance / order[0]->importance));
    std::string bar;
    for (size_t c = 0; c < std::max<size_t>(cells, 1); ++c) bar += "█";
    table.add({shown_name(input->name, NamePlace::set),
               fmt::format("{:.1f}", 100 * input->importance), bar});
  }
  text_ += '\n' + table.text();
  if (count_formulas(tree_).all() > 0) text_ += "(of the splits, without the models of leaves)\n";
}

void Summary::add_node(uint32_t i) {
  const LoweredNode& node = tree_.nodes[i];
  text_ += fmt::format(
      "\nNode {}{}: {} ({} of all), {} = {}\n", i, node.is_leaf() ? ", leaf" : "",
      shown_rows(tree_, node.weight), shown_percent(node.weight, tree_.nodes[0].weight),
      shown_name(tree_.target.name, NamePlace::comparison),
      tree_.is_classifier() ? class_name(answers_.decided(i)) : shown_number(answers_.number(i)));
  if (tree_.is_classifier()) {
    add_classes(node);
    add_errors(i);
  } else {
    add_node_line("deviance",
                  fmt::format("{} (sum of squared deviations), sd {}", short_number(node.deviation),
                              short_number(standard_deviation(node))));
  }
  add_impurity(node);
  if (node.split) add_split(node);
  if (!node.formula) return;
  std::string_view label = "model";
  for (const std::string& output : formula_lines(tree_, *node.formula, no_limit)) {
    add_node_line(label, output);
    label = "";
  }
}

void Summary::add_classes(const LoweredNode& node) {
  std::vector<std::string> parts;
  for (size_t k = 0; k < node.class_weights.size(); ++k) {
    const double weight = node.class_weights[k];
    if (weight <= 0) continue;
    parts.push_back(fmt::format("{} {} ({})", class_name(k), shown_weight(weight),
                                shown_percent(weight, node.weight)));
  }
  if (!parts.empty()) add_node_line("classes", join(parts, ", "));
}

void Summary::add_errors(uint32_t i) {
  const LoweredNode& node = tree_.nodes[i];
  const double errors = answers_.errors(i);
  add_node_line(
      "errors",
      fmt::format("{} ({}){}", shown_weight(errors), shown_percent(errors, node.weight),
                  tree_.decision.costs.empty()
                      ? ""
                      : fmt::format(", cost {}, per row {}", short_number(node.risk),
                                    short_number(node.weight > 0 ? node.risk / node.weight : 0))));
}

void Summary::add_impurity(const LoweredNode& node) {
  if (!tree_.is_classifier()) return;  // sd stands beside the deviance
  std::vector<std::string> parts;
  for (const Impurity& impurity : impurities_of(tree_, node)) {
    if (std::isnan(impurity.value)) continue;
    parts.push_back(fmt::format("{} {}{}{}", impurity.name, short_number(impurity.value),
                                impurity.unit.empty() ? "" : " ", impurity.unit));
  }
  if (!parts.empty()) add_node_line("impurity", join(parts, ", "));
}

// ", information gain 0.247 bits", or ", gain ratio 0.53 (information gain 0.247 bits, 0.29 before
// its correction, by split information 0.466 bits)".
std::string Summary::gain_text(const LoweredNode& node) const {
  const LoweredOrigin& origin = tree_.origin;
  const double gain = node.split->gain;
  if (std::isnan(gain)) return {};
  const std::string text =
      fmt::format("{} {}{}{}", origin.gain_name.empty() ? "gain" : origin.gain_name,
                  short_number(gain), origin.gain_unit.empty() ? "" : " ", origin.gain_unit);
  if (!origin.by_gain_ratio) return ", " + text;
  const GainRatio ratio = gain_ratio_of(tree_, node);
  return fmt::format(
      ", gain ratio {} ({}{}, by split information {} bits)", short_number(ratio.ratio), text,
      std::isnan(ratio.plain_gain)
          ? ""
          : fmt::format(", {} before its correction", short_number(ratio.plain_gain)),
      short_number(ratio.split_information));
}

// What the split is worth, with the criterion and the unit of each number.
std::string Summary::split_worth(const LoweredNode& node) const {
  const LoweredSplit& split = *node.split;
  std::string text = tree_.is_classifier()
                         ? fmt::format("Gini decrease (times n) {}", short_number(split.decrease))
                         : fmt::format("decrease of the deviance {}", short_number(split.decrease));
  text += gain_text(node);
  if (!std::isnan(split.alpha)) {
    text += fmt::format(", pruned when alpha ≥ {}", short_number(split.alpha));
  }
  if (!std::isnan(split.statistic)) {
    text += fmt::format(", statistic {}", short_number(split.statistic));
  }
  if (!std::isnan(split.log_p)) text += ", p " + p_value_text(split.log_p);
  return text;
}

void Summary::add_split(const LoweredNode& node) {
  const LoweredSplit& split = *node.split;
  add_node_line("split", split_worth(node));
  TextTable children({"", ""});
  const BranchTexts texts(tree_, split);
  std::vector<std::string> conditions;
  for (uint32_t c = 0; c < split.children; ++c) {
    const uint32_t child = split.first_child + c;
    children.add({fmt::format("node {}", child), shown_rows(tree_, tree_.nodes[child].weight)});
    conditions.push_back(texts.of(c));
  }
  add_table("", children, conditions);
  add_softness(split);
  add_competitors(split);
  const LoweredMissing& missing = split.missing;
  const std::string rows =
      missing.weight > 0 ? shown_rows(tree_, missing.weight) : "no rows in training";
  const std::string before = !missing.surrogates.empty() ? ", by the surrogates; else "
                             : missing.weight > 0        ? ", "
                                                         : ", else ";
  add_node_line("missing", rows + before + missing_rule(split));
  add_surrogates(split);
}

void Summary::add_softness(const LoweredSplit& split) {
  const auto* const score = std::get_if<LoweredScore>(&split.condition);
  // Conditions on ordinal inputs show the part of every level themselves.
  if (score == nullptr || names_levels(tree_, *score)) return;
  const std::optional<SoftInterval> soft = soft_range(*score);
  if (!soft) return;
  const uint32_t below = split.first_child + (soft->falling ? 1 : 0);
  const uint32_t above = split.first_child + (soft->falling ? 0 : 1);
  const std::string part = soft->share < 1 ? fmt::format("{:.0f} %", 100 * soft->share) : "all";
  add_node_line("soft",
                fmt::format("{}: {} to node {} below {}, {} to node {} above {}, half each at {}",
                            sum_text(tree_, *score, no_limit), part, below, shown_number(soft->low),
                            part, above, shown_number(soft->high), shown_number(soft->half)));
}

std::string Summary::imputation(const LoweredSplit& split) const {
  std::vector<std::string> parts;
  for (const uint32_t input : condition_inputs(split.condition)) {
    const double typical = tree_.inputs[input].typical;
    if (std::isnan(typical)) continue;
    parts.push_back(input_name(input) + " = " + value_text(input, typical));
  }
  return parts.empty() ? "" : "taken as " + join(parts, ", ") + ", else ";
}

// What the node's rule does with rows without a value.
std::string Summary::missing_rule(const LoweredSplit& split) const {
  const LoweredMissing& missing = split.missing;
  const uint32_t first = split.first_child;
  switch (missing.action) {
    case MissingAction::child:
      return fmt::format("to node {}", first + missing.child);
    case MissingAction::own_child:
      return fmt::format("to node {}, a child of their own", first + split.children - 1);
    case MissingAction::stay:
      return "stay here and get this node's answer";
    case MissingAction::shares: {
      std::vector<std::string> parts;
      for (uint32_t c = 0; c < missing.shares.size(); ++c) {
        parts.push_back(fmt::format("{:.0f} % to node {}", 100 * missing.shares[c], first + c));
      }
      return join(parts, ", ");
    }
    case MissingAction::impute:
      return fmt::format("{}to node {}", imputation(split), first + missing.child);
  }
  return {};
}

void Summary::add_competitors(const LoweredSplit& split) {
  if (split.competitors.empty()) return;
  const LoweredOrigin& origin = tree_.origin;
  const std::string gain = origin.gain_name.empty() ? "gain" : origin.gain_name;
  TextTable table({origin.gain_unit.empty() ? gain : gain + " (" + origin.gain_unit + ")"});
  std::vector<std::string> conditions = {"split"};
  for (const LoweredCompetitor& other : split.competitors) {
    table.add({short_number(other.gain)});
    conditions.push_back(condition_text(tree_, other.condition, 0));
  }
  add_table("next best", table, conditions);
}

void Summary::add_surrogates(const LoweredSplit& split) {
  if (split.missing.surrogates.empty()) return;
  TextTable table({"agrees", "adjusted"});
  std::vector<std::string> conditions = {fmt::format("to node {}", split.first_child)};
  for (const LoweredSurrogate& surrogate : split.missing.surrogates) {
    table.add(
        {fmt::format("{:.3f}", surrogate.agreement), fmt::format("{:.3f}", surrogate.adjusted)});
    conditions.push_back(condition_text(tree_, surrogate.condition, 0));
  }
  add_table("surrogate", table, conditions);
}

}  // namespace

std::string summary_text(const LoweredTree& tree, const RenderOptions& options) {
  return Summary(tree, options.width).text();
}

}  // namespace softwood::render
