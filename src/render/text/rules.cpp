// A tree as rules: one per leaf, each complete in itself.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/names.h"
#include "base/text.h"
#include "data/convert.h"
#include "render/renderer.h"
#include "render/text/answers.h"
#include "render/text/condition.h"
#include "render/text/paths.h"
#include "render/text/words.h"
#include "tree/costs.h"

namespace softwood::render {

namespace {

// Leaves in the order in which their rules are read: of one class together, those of many rows
// first; numbers from low to high.
std::vector<uint32_t> ordered_leaves(const LoweredTree& tree, const NodeAnswers& answers) {
  std::vector<uint32_t> leaves;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].is_leaf()) leaves.push_back(i);
  }
  std::stable_sort(leaves.begin(), leaves.end(), [&](uint32_t a, uint32_t b) {
    if (!tree.is_classifier()) return answers.number(a) < answers.number(b);
    const size_t class_a = answers.decided(a);
    const size_t class_b = answers.decided(b);
    return class_a != class_b ? class_a < class_b : tree.nodes[a].weight > tree.nodes[b].weight;
  });
  return leaves;
}

// "bad (P = 44.2 %, expected cost 0.56; good 2.21)": what the other answers would cost after that
// of the class, the cheapest first.
std::string costed_text(const LoweredTree& tree, const NodeAnswers& answers, uint32_t i) {
  constexpr size_t most_others = 3;
  const auto cost = [&](size_t k) { return cost_of_answer(answers.of(i), tree.decision.costs, k); };
  const auto name = [&](size_t k) { return shown_name(tree.target.classes[k], NamePlace::set); };
  const size_t decided = answers.decided(i);
  std::vector<size_t> others(tree.target.classes.size());
  std::iota(others.begin(), others.end(), size_t{0});
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(decided));
  std::stable_sort(others.begin(), others.end(),
                   [&](size_t a, size_t b) { return cost(a) < cost(b); });
  std::vector<std::string> parts;
  for (const size_t k : others) {
    if (parts.size() == most_others) {
      parts.emplace_back("...");
      break;
    }
    parts.push_back(fmt::format("{} {}", name(k), short_number(cost(k), 3)));
  }
  return fmt::format("{} (P = {:.1f} %, expected cost {}; {})", name(decided),
                     100 * answers.share(i), short_number(cost(decided), 3), join(parts, ", "));
}

std::string answer_text(const LoweredTree& tree, const NodeAnswers& answers, uint32_t i) {
  if (!tree.is_classifier()) {
    return fmt::format("{} ± {}", shown_number(answers.number(i)),
                       short_number(standard_deviation(tree.nodes[i])));
  }
  if (!tree.decision.costs.empty()) return costed_text(tree, answers, i);
  return fmt::format("{}, {:.1f} %",
                     shown_name(tree.target.classes[answers.decided(i)], NamePlace::set),
                     100 * answers.share(i));
}

// "Rule 2 (node 3, 54 of 150 rows, 36.0 %)"
std::string rule_head(const LoweredTree& tree, size_t number, uint32_t i) {
  const double weight = tree.nodes[i].weight, all = tree.nodes[0].weight;
  const bool weights = counts_weights(tree);
  return fmt::format("Rule {} (node {}, {}{} of {}{}, {})\n", number, i, weights ? "weight " : "",
                     shown_weight(weight), shown_weight(all), weights ? "" : " rows",
                     shown_percent(weight, all));
}

std::string rule_body(const LoweredTree& tree, const NodeAnswers& answers, PathConditions& paths,
                      uint32_t i, size_t width) {
  std::string text;
  std::string_view word = "if";
  for (const std::string& condition : paths.of(i)) {
    text += wrapped(fmt::format("  {:>4}  ", word), condition, width) + '\n';
    word = "and";
  }
  const std::string then = "  then  ";
  if (!tree.nodes[i].formula) {
    return text + fmt::format("{}{} = {}\n", then,
                              shown_name(tree.target.name, NamePlace::comparison),
                              answer_text(tree, answers, i));
  }
  for (const std::string& output : formula_lines(tree, *tree.nodes[i].formula, no_limit)) {
    text += wrapped(then, output, width) + '\n';
  }
  return text;
}

}  // namespace

std::string rules_text(const LoweredTree& tree, const RenderOptions& options) {
  const NodeAnswers answers(tree);
  const size_t width = std::min(options.width, widest_text);
  std::string text;
  PathConditions paths(tree);
  size_t number = 0, unreached = 0;
  for (const uint32_t i : ordered_leaves(tree, answers)) {
    // A level that no row had here is answered as above it.
    if (tree.nodes[i].weight <= 0 && tree.nodes[0].weight > 0) {
      ++unreached;
      continue;
    }
    if (number > 0) text += '\n';
    text += rule_head(tree, ++number, i) + rule_body(tree, answers, paths, i, width);
  }
  if (unreached > 0) {
    text += fmt::format("\n{} that no training row reached {} left out.\n",
                        counted(unreached, "leaf", "leaves"), unreached == 1 ? "is" : "are");
  }
  if (has_soft_splits(tree)) {
    text += '\n' +
            wrapped("",
                    "Between the ends of a soft condition a row follows several rules in part; " +
                        mixing_text(tree) + ".",
                    width) +
            '\n';
  }
  return text;
}

}  // namespace softwood::render
