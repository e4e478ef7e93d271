// A tree as rules: one a leaf, each complete in itself.
#include <fmt/format.h>

#include <numeric>

#include "base/text.h"
#include "tree/gates/kinds.h"
#include "tree/show.h"
#include "tree/show_parts.h"

namespace softwood {

namespace {

// Leaves in the order in which their rules are read: of one class together, those of many rows
// first; numbers from low to high.
std::vector<NodeIndex> ordered_leaves(const Tree& tree, std::span<const double> answers) {
  std::vector<NodeIndex> leaves;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) leaves.push_back(i);
  }
  std::stable_sort(leaves.begin(), leaves.end(), [&](NodeIndex a, NodeIndex b) {
    if (tree.task() == Task::regression) return answers[a] < answers[b];
    const size_t class_a = answered_class(tree, answers, a);
    const size_t class_b = answered_class(tree, answers, b);
    return class_a != class_b ? class_a < class_b : tree.weight(a) > tree.weight(b);
  });
  return leaves;
}

std::string answer_text(const Model& model, std::span<const double> answers, NodeIndex i) {
  const Tree& tree = model.tree;
  if (tree.task() == Task::regression) {
    return fmt::format("{} ± {}", shown_number(answers[i]), short_number(spread_at(tree, i)));
  }
  const size_t top = answered_class(tree, answers, i);
  return fmt::format("{}, {:.1f} %", shown_name(model.schema.target.levels[top], NamePlace::set),
                     100 * shown_share(tree, answers, i, top));
}

}  // namespace

std::string show_rules(const Model& model, size_t width) {
  const Tree& tree = model.tree;
  const std::vector<double> answers = shown_answers(tree);
  const std::string target = shown_name(model.schema.target.name, NamePlace::comparison);
  const std::vector<NodeIndex> parents = parents_of(tree);
  const size_t wide = std::min(width, widest_text);
  const double all = tree.weight(0);
  std::string text;
  size_t number = 0, unreached = 0;
  for (const NodeIndex i : ordered_leaves(tree, answers)) {
    const double weight = tree.weight(i);
    if (weight <= 0 && all > 0) {  // a level that no row had here: answered as above it
      ++unreached;
      continue;
    }
    const bool weights = counts_weights(model);
    text +=
        fmt::format("{}Rule {} (node {}, {}{} of {}{}, {:.1f} %)\n", number == 0 ? "" : "\n",
                    number + 1, i, weights ? "weight " : "", shown_weight(weight),
                    shown_weight(all), weights ? "" : " rows", all > 0 ? 100 * weight / all : 0.0);
    ++number;
    std::string word = "if";
    for (const std::string& condition : path_conditions(model, parents, i)) {
      text += wrapped(fmt::format("  {:>4}  ", word), condition, wide) + '\n';
      word = "and";
    }
    const std::string then = "  then  ";
    if (!tree.node(i).model) {
      text += fmt::format("{}{} = {}\n", then, target, answer_text(model, answers, i));
      continue;
    }
    for (const std::string& output :
         leaf_model_lines(*tree.node(i).model, model.schema, tree.leaf_plan().mixing, no_limit)) {
      text += wrapped(then, output, wide) + '\n';
    }
  }
  if (unreached > 0) {
    text += fmt::format("\n{} that no training row reached {} left out.\n",
                        unreached == 1 ? "1 leaf" : fmt::format("{} leaves", unreached),
                        unreached == 1 ? "is" : "are");
  }
  if (has_soft_gates(model)) {
    text += '\n' +
            wrapped("",
                    "Between the ends of a soft condition a row follows several rules in "
                    "part; " +
                        mixing_text(tree) + ".",
                    wide) +
            '\n';
  }
  return text;
}

}  // namespace softwood
