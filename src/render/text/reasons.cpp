#include "render/text/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/names.h"
#include "base/text.h"
#include "tree/costs.h"

namespace softwood::render {
namespace {

constexpr size_t longest_cell = 40;

// Of the class that was to be reached, or else of the one that is answered.
std::string answer_text(const LoweredTree& tree, const std::vector<double>& answer,
                        const ChangeGoal& goal) {
  if (!tree.is_classifier()) {
    return fmt::format("{} = {}", printable(tree.target.name), short_number(answer[0]));
  }
  const std::vector<std::string>& classes = tree.target.classes;
  size_t shown = cheapest_answer(answer, tree.decision.costs);
  if (!goal.to.empty()) {
    shown =
        static_cast<size_t>(std::find(classes.begin(), classes.end(), goal.to) - classes.begin());
  } else if (!std::isnan(goal.reach)) {
    shown = tree.target.positive;
  }
  return fmt::format("P({}) = {:.3f}", printable(classes[shown]), answer[shown]);
}

}  // namespace

std::string cell_text(const LoweredInput& input, double cell) {
  if (std::isnan(cell)) return "missing";
  if (input.kind == InputKind::numeric) return shown_number(cell, input.digits);
  return printable(input.levels[static_cast<size_t>(cell)], longest_cell);
}

std::string quantity_text(const LoweredTree& tree, AnswerScale scale, const std::string& output) {
  const std::string name = printable(output, longest_cell);
  if (!tree.is_classifier()) return name;
  return scale == AnswerScale::log_odds ? "log odds of " + name : fmt::format("P({})", name);
}

std::string quantity_number(AnswerScale scale, double value) {
  return scale == AnswerScale::value ? short_number(value) : fmt::format("{:.3f}", value);
}

std::string effect_number(AnswerScale scale, double value) {
  if (scale != AnswerScale::value) return fmt::format("{:+.3f}", value);
  return (value < 0 ? "" : "+") + short_number(value, 3);
}

double ExplainedRow::effect(size_t input) const {
  const double value = explanation.value(row, input, output);
  return other_class ? -value : value;
}

double ExplainedRow::base() const {
  const double base = explanation.base_values[output];
  if (!other_class) return base;
  return explanation.scale == AnswerScale::probability ? 1 - base : -base;
}

double ExplainedRow::answer() const {
  const double answer = explanation.answers[row * explanation.outputs.size() + output];
  if (!other_class) return answer;
  return explanation.scale == AnswerScale::probability ? 1 - answer : -answer;
}

std::string ExplainedRow::name() const {
  const std::string& output_name =
      other_class ? tree.target.classes[1 - tree.target.positive] : explanation.outputs[output];
  return quantity_text(tree, explanation.scale, output_name);
}

std::vector<uint32_t> ExplainedRow::ranked() const {
  std::vector<uint32_t> inputs;
  // What is left of an input that makes no difference is rounding.
  const double least = 1e-12 * std::max({1.0, std::abs(base()), std::abs(answer())});
  for (uint32_t f = 0; f < explanation.feature_names.size(); ++f) {
    if (std::abs(effect(f)) > least) inputs.push_back(f);
  }
  std::stable_sort(inputs.begin(), inputs.end(), [&](uint32_t a, uint32_t b) {
    return std::abs(effect(a)) > std::abs(effect(b));
  });
  return inputs;
}

std::string reasons_text(const ExplainedRow& row, size_t top) {
  const std::vector<uint32_t> ranked = row.ranked();
  std::vector<std::pair<std::string, std::string>> lines;
  double rest = 0;
  for (size_t i = 0; i < ranked.size(); ++i) {
    const uint32_t f = ranked[i];
    if (i >= top) {
      rest += row.effect(f);
      continue;
    }
    const LoweredInput& input = row.tree.inputs[f];
    const std::string cell = cell_text(input, row.cells[f]);
    std::string reason = fmt::format("{} {}", printable(input.name, longest_cell), cell);
    if (!std::isnan(row.typical[f])) {
      const std::string usual = cell_text(input, row.typical[f]);
      reason += usual == cell ? " (typical)" : fmt::format(" (typical {})", usual);
    }
    lines.emplace_back(reason, effect_number(row.explanation.scale, row.effect(f)));
  }
  if (ranked.size() > top) {
    lines.emplace_back(fmt::format("{} more {}", ranked.size() - top,
                                   ranked.size() - top == 1 ? "input" : "inputs"),
                       effect_number(row.explanation.scale, rest));
  }
  size_t width = 0, numbers = 0;
  for (const auto& [reason, effect] : lines) {
    width = std::max(width, display_width(reason));
    numbers = std::max(numbers, effect.size());
  }
  std::string text;
  for (const auto& [reason, effect] : lines) {
    text +=
        fmt::format("  {}:{} {:>{}} to {}\n", reason,
                    std::string(width - display_width(reason), ' '), effect, numbers, row.name());
  }
  return text.empty() ? "  no input makes a difference\n" : text;
}

std::string change_text(const LoweredTree& tree, const Change& change, const ChangeGoal& goal) {
  if (change.reached_already) return "it is so already";
  if (!change.found) {
    const bool free = goal.fixed.empty() && goal.only_up.empty() && goal.only_down.empty();
    if (change.is_exact) {
      return free ? "none: no values of the inputs reach it" : "none: no allowed change reaches it";
    }
    return fmt::format("none found by changing up to {} inputs within the range of the data",
                       goal.most_inputs);
  }
  std::vector<std::string> parts;
  for (const InputChange& one : change.inputs) {
    const LoweredInput& input = tree.inputs[one.input];
    // A value to follow is shown to the last digit.
    const std::string to =
        input.kind == InputKind::numeric ? number_text(one.to) : cell_text(input, one.to);
    parts.push_back(fmt::format("{} {} -> {}", printable(input.name, longest_cell),
                                cell_text(input, one.from), to));
  }
  return fmt::format("{}; then {}", join(parts, ", "), answer_text(tree, change.answer, goal));
}

}  // namespace softwood::render
