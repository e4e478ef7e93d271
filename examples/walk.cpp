// Walks a tree: prints every node with its condition and its statistics, from plain data. Build it
// against the installed library; see CMakeLists.txt beside it.
#include <softwood/softwood.h>

#include <iostream>
#include <string>
#include <variant>

namespace {

using softwood::LoweredLevels;
using softwood::LoweredNode;
using softwood::LoweredScore;
using softwood::LoweredTree;

// A weighted sum of inputs and where it is cut, or which levels go where.
std::string question(const LoweredTree& tree, const LoweredNode& node) {
  if (const auto* levels = std::get_if<LoweredLevels>(&node.split->condition)) {
    return "which " + tree.inputs[levels->input].name + "?";
  }
  const auto& score = std::get<LoweredScore>(node.split->condition);
  std::string sum;
  for (const softwood::LoweredTerm& term : score.terms) {
    if (!sum.empty()) sum += " + ";
    if (term.coefficient != 1) sum += std::to_string(term.coefficient) + " * ";
    sum += tree.inputs[term.input].name;
  }
  return sum + " <= " + std::to_string(score.cut) + "?";
}

void walk(const LoweredTree& tree, size_t number) {
  const LoweredNode& node = tree.nodes[number];
  std::cout << std::string(2 * node.depth, ' ') << number << ": " << 100 * node.share
            << " % of the rows, ";
  if (node.is_leaf()) {
    for (size_t k = 0; k < node.answer.size(); ++k) {
      std::cout << "P(" << tree.target.classes[k] << ") = " << node.answer[k] << "  ";
    }
    std::cout << "\n";
    return;
  }
  std::cout << question(tree, node) << "\n";
  for (uint32_t child = 0; child < node.split->children; ++child) {
    walk(tree, node.split->first_child + child);
  }
}

}  // namespace

int main() {
  try {
    // Artificial data that the library makes itself; the target is the last column.
    const softwood::DataColumns columns = softwood::generate("twonorm", {{"rows", "500"}});
    softwood::TrainSettings settings;
    settings.recipe = "grow max-depth=3 | prune";
    const softwood::TreeModel model =
        softwood::train(softwood::DataSet::from(columns), settings).model;
    const LoweredTree& tree = model.tree();
    std::cout << tree.origin.recipe << ": " << tree.nodes.size() << " nodes\n";
    walk(tree, 0);
    for (const softwood::LoweredInput& input : tree.inputs) {
      if (input.importance > 0.1) std::cout << input.name << " matters\n";
    }
  } catch (const softwood::Error& error) {
    std::cerr << error.text() << "\n";
    return 1;
  }
}
