#include "render/text/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/math.h"
#include "base/names.h"
#include "base/text.h"
#include "render/text/condition.h"
#include "tree/costs.h"

namespace softwood::render {

namespace {

// What a formula without terms answers for every row.
std::vector<double> constant_answer(const LoweredTree& tree, const LoweredFormula& formula) {
  if (!tree.is_classifier()) {
    return {std::clamp(formula.outputs[0].constant, formula.low, formula.high)};
  }
  std::vector<double> shares;
  for (const LoweredOutput& output : formula.outputs) shares.push_back(output.constant);
  math::softmax(shares);
  std::vector<double> answer(tree.target.classes.size(), 0.0);
  for (size_t o = 0; o < shares.size(); ++o) {
    answer[formula.outputs[o].class_index] = shares[o];
  }
  return answer;
}

std::string class_name(const LoweredTree& tree, size_t index) {
  return shown_name(tree.target.classes[index], NamePlace::comparison);
}

std::string target_name(const LoweredTree& tree) {
  return shown_name(tree.target.name, NamePlace::comparison);
}

// "3 + 0.5*a - 2*b": an output less another one (null: the output itself).
std::string output_text(const LoweredTree& tree, const LoweredFormula& formula,
                        const LoweredOutput& output, const LoweredOutput* less, size_t most_terms) {
  std::vector<LoweredTerm> terms;
  for (size_t t = 0; t < formula.terms.size(); ++t) {
    const double coefficient =
        output.coefficients[t] - (less != nullptr ? less->coefficients[t] : 0);
    if (coefficient == 0) continue;
    terms.push_back(formula.terms[t]);
    terms.back().coefficient = coefficient;
  }
  // "1 more term" would be as long as the term.
  const bool all = terms.size() <= most_terms || terms.size() == most_terms + 1;
  const size_t shown = all ? terms.size() : most_terms;
  std::string text = shown_number(output.constant - (less != nullptr ? less->constant : 0));
  text += terms_text(tree, std::span(terms).first(shown), false);
  if (shown < terms.size()) text += fmt::format(" + {} more terms", terms.size() - shown);
  return text;
}

// The output whose numbers are all 0, if there is one; else the first.
const LoweredOutput& reference_output(const LoweredFormula& formula) {
  const auto is_zero = [](double value) { return value == 0; };
  for (const LoweredOutput& output : formula.outputs) {
    if (output.constant == 0 &&
        std::all_of(output.coefficients.begin(), output.coefficients.end(), is_zero)) {
      return output;
    }
  }
  return formula.outputs[0];
}

// "g 93.6 %, h 6.4 %", the most likely first, of a formula without terms; classes that would be
// printed as 0.0 % are left out.
std::string constant_shares(const LoweredTree& tree, const LoweredFormula& formula) {
  constexpr double least_shown = 5e-4;
  const std::vector<double> answer = constant_answer(tree, formula);
  std::vector<std::pair<double, size_t>> shares;
  for (const LoweredOutput& output : formula.outputs) {
    shares.emplace_back(answer[output.class_index], output.class_index);
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (const auto& [share, index] : shares) {
    if (share < least_shown) break;
    parts.push_back(fmt::format("{} {:.1f} %", class_name(tree, index), 100 * share));
  }
  return join(parts, ", ");
}

// What the leaves of a soft tree mix, of a formula without terms: "log odds of g to h = 2.7; this
// leaf by itself: g 93.6 %, h 6.4 %"; of more classes "scores of g 2.7, h 0, i -8; this leaf ...".
std::string constant_scores(const LoweredTree& tree, const LoweredFormula& formula) {
  const std::vector<LoweredOutput>& outputs = formula.outputs;
  const std::string by_itself = "; this leaf by itself: " + constant_shares(tree, formula);
  if (outputs.size() == 2) {
    return fmt::format("log odds of {} to {} = {}{}", class_name(tree, outputs[1].class_index),
                       class_name(tree, outputs[0].class_index),
                       shown_number(outputs[1].constant - outputs[0].constant), by_itself);
  }
  std::vector<std::string> parts;
  for (const LoweredOutput& output : outputs) {
    parts.push_back(class_name(tree, output.class_index) + " " + shown_number(output.constant));
  }
  return "scores of " + join(parts, ", ") + by_itself;
}

std::vector<std::string> number_lines(const LoweredTree& tree, const LoweredFormula& formula,
                                      size_t most_terms) {
  std::string text =
      fmt::format("{} = {}", target_name(tree),
                  output_text(tree, formula, formula.outputs[0], nullptr, most_terms));
  if (!formula.terms.empty()) {
    text += fmt::format(", from {} to {}", shown_number(formula.low), shown_number(formula.high));
  }
  return {text};
}

}  // namespace

NodeAnswers::NodeAnswers(const LoweredTree& tree)
    : tree_(tree), width_(tree.nodes[0].answer.size()) {
  const bool plain = tree.is_classifier() && tree.formulas != FormulaKind::none;
  for (const LoweredNode& node : tree.nodes) {
    std::vector<double> answer = node.answer;
    if (node.formula && node.formula->terms.empty()) {
      answer = constant_answer(tree, *node.formula);
    } else if (plain && (node.formula || !node.is_leaf()) && node.weight > 0) {
      for (size_t k = 0; k < width_; ++k) answer[k] = node.class_weights[k] / node.weight;
    }
    answers_.insert(answers_.end(), answer.begin(), answer.end());
  }
}

size_t NodeAnswers::decided(uint32_t node) const {
  return cheapest_answer(of(node), tree_.decision.costs);
}

double NodeAnswers::share(uint32_t node) const {
  if (tree_.formulas != FormulaKind::none || tree_.estimate != EstimateKind::majority)
    return of(node)[decided(node)];
  const LoweredNode& at = tree_.nodes[node];
  return at.weight > 0 ? at.class_weights[decided(node)] / at.weight : 0.0;
}

double NodeAnswers::errors(uint32_t node) const {
  return tree_.nodes[node].weight - tree_.nodes[node].class_weights[decided(node)];
}

double standard_deviation(const LoweredNode& node) {
  return node.weight > 0 ? std::sqrt(std::max(0.0, node.deviation / node.weight)) : 0.0;
}

std::vector<std::string> formula_lines(const LoweredTree& tree, const LoweredFormula& formula,
                                       size_t most_terms) {
  if (!tree.is_classifier()) return number_lines(tree, formula, most_terms);
  if (formula.terms.empty()) {
    if (tree.mixing.kind == MixingKind::scores) return {constant_scores(tree, formula)};
    return {fmt::format("{} = {}", target_name(tree), constant_shares(tree, formula))};
  }
  const LoweredOutput& reference = reference_output(formula);
  std::vector<std::string> lines;
  for (const LoweredOutput& output : formula.outputs) {
    if (&output == &reference) continue;
    lines.push_back(fmt::format("log odds of {} to {} = {}", class_name(tree, output.class_index),
                                class_name(tree, reference.class_index),
                                output_text(tree, formula, output, &reference, most_terms)));
  }
  return lines;
}

FormulaCount count_formulas(const LoweredTree& tree) {
  FormulaCount count;
  for (const LoweredNode& node : tree.nodes) {
    if (!node.formula) continue;
    ++(node.formula->terms.empty() ? count.constants : count.sums);
  }
  return count;
}

std::string mixing_text(const LoweredTree& tree) {
  if (tree.mixing.kind == MixingKind::answers) {
    return "its answer is their mean, weighted by these parts" +
           (std::isfinite(tree.mixing.low)
                ? fmt::format(", held between {} and {}", short_number(tree.mixing.low),
                              short_number(tree.mixing.high))
                : "");
  }
  if (tree.target.classes.size() == 2) {
    return "its log odds are the mean of theirs, weighted by these parts, and its probability is "
           "1 / (1 + exp(-log odds))";
  }
  return fmt::format(
      "its {} are the mean of theirs, weighted by these parts, and its probabilities are the "
      "softmax of that: exp(score) of a class over the sum for all classes",
      count_formulas(tree).sums > 0 ? "log odds" : "scores");
}

std::string reading_text(const LoweredTree& tree, size_t width) {
  const bool numbers = !tree.is_classifier();
  const bool soft = has_soft_splits(tree);
  const bool trained = tree.formulas == FormulaKind::trained;
  if (!soft && !trained) return {};
  std::string text;
  if (soft) text = "A row goes to several leaves in part; " + mixing_text(tree) + ". ";
  if (!trained) {
    // Annealing and intervals move the widths of ramps and nothing else.
    text += fmt::format(
        "Nodes count the rows of the hard tree, before its thresholds became soft: every row "
        "once, on its own side; leaves answer the {} of these rows.",
        numbers ? "mean" : "shares");
  } else if (count_formulas(tree).constants > 0) {
    text += "Leaves have trained answers";
    if (numbers) {
      text += soft ? ", of which one by itself may lie beyond all values of the target"
                   : ", which are not the means of their rows";
    } else {
      text += ": their shares are not those of their rows, which are counted beside them";
    }
    text += fmt::format("; at inner nodes the {} of their rows.",
                        numbers ? "mean is that" : "shares are those");
  } else {
    text += fmt::format("The {} in a line {} of the node's rows; leaves answer by their models.",
                        numbers ? "mean" : "shares", numbers ? "is that" : "are those");
  }
  return wrapped("", text, width) + '\n';
}

std::string last_lines(const LoweredTree& tree, size_t width) {
  std::string text;
  if (const size_t sums = count_formulas(tree).sums; sums > 0) {
    text = fmt::format(
        "\n{} of {} leaves answer by a model of their own, which this style does not show.\n", sums,
        tree.leaves);
  }
  const std::string reading = reading_text(tree, width);
  return reading.empty() ? text : text + '\n' + reading;
}

}  // namespace softwood::render
