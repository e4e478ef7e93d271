// How to read trees whose leaves were trained together with their gates.
#include <algorithm>

#include "base/text.h"
#include "tree/show_parts.h"

namespace softwood {

std::string mixing_text(const Tree& tree) {
  if (!tree.leaf_plan().mixes_scores()) {
    const LeafPlan& plan = tree.leaf_plan();
    return "its answer is their mean, weighted by these parts" +
           (plan.has_range() ? fmt::format(", held between {} and {}", short_number(plan.low),
                                           short_number(plan.high))
                             : "");
  }
  if (tree.classes() == 2) {
    return "its log odds are the mean of theirs, weighted by these parts, and its probability is "
           "1 / (1 + exp(-log odds))";
  }
  return fmt::format(
      "its {} are the mean of theirs, weighted by these parts, and its probabilities are the "
      "softmax of that: exp(score) of a class over the sum for all classes",
      count_models(tree).sums > 0 ? "log odds" : "scores");
}

std::string trained_leaves_text(const Model& model, size_t width) {
  const Tree& tree = model.tree;
  if (!has_trained_leaves(tree)) return {};
  const ModelCount count = count_models(tree);
  const bool numbers = tree.task() == Task::regression;
  std::string text;
  if (has_soft_gates(model)) {
    text = "A row goes to several leaves in part; " + mixing_text(tree) + ". ";
  }
  if (count.models > count.sums) {
    text += "Leaves have trained answers";
    if (numbers) {
      text += has_soft_gates(model) ? ", of which one alone may lie beyond all values of the target"
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

std::string last_lines(const Model& model, size_t width) {
  const ModelCount count = count_models(model.tree);
  std::string text;
  if (count.sums > 0) {
    text = fmt::format(
        "\n{} of {} leaves answer by a model of their own, which this style does not show.\n",
        count.sums, count.leaves);
  }
  const std::string trained = trained_leaves_text(model, width);
  return trained.empty() ? text : text + '\n' + trained;
}

}  // namespace softwood
