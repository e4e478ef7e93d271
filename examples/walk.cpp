// Walks a tree: prints every node with its condition and its statistics, from plain data. Build it
// against the installed library; see CMakeLists.txt beside it.
#include <softwood/softwood.h>

#include <iostream>
#include <string>

namespace {

using softwood::LoweredNode;
using softwood::LoweredTree;

// A probability per class, or one number.
void print_answer(const LoweredTree& tree, const LoweredNode& node) {
  if (!tree.is_classifier()) {
    std::cout << tree.target.name << " = " << node.answer[0];
    return;
  }
  for (size_t k = 0; k < tree.target.classes.size(); ++k) {
    std::cout << (k > 0 ? ", " : "") << "P(" << tree.target.classes[k] << ") = " << node.answer[k];
  }
}

void walk(const softwood::TreeModel& model) {
  const LoweredTree& tree = model.tree();
  const std::vector<std::string> conditions = model.branch_texts();
  // Nodes are in breadth-first order; from the root down they are read along their children.
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    const uint32_t number = open.back();
    open.pop_back();
    const LoweredNode& node = tree.nodes[number];
    std::cout << std::string(2 * node.depth, ' ') << number << ": "
              << (number == 0 ? "all rows" : conditions[number]) << ", " << 100 * node.share
              << " % of the rows, ";
    print_answer(tree, node);
    std::cout << "\n";
    if (node.is_leaf()) continue;
    for (uint32_t child = node.split->children; child-- > 0;) {
      open.push_back(node.split->first_child + child);
    }
  }
}

softwood::TreeModel small_tree(const softwood::DataColumns& columns) {
  softwood::TrainSettings settings;
  settings.recipe = "grow max-depth=3 | prune";
  return softwood::train(softwood::DataSet::from(columns), settings).model;
}

}  // namespace

int main() {
  try {
    // Artificial data that the library makes itself; the target is the last column. The first has
    // classes, the second numbers.
    for (const std::string name : {"twonorm", "friedman1"}) {
      const softwood::TreeModel model = small_tree(softwood::generate(name, {{"rows", "500"}}));
      const LoweredTree& tree = model.tree();
      std::cout << name << ", " << tree.origin.recipe << ": " << tree.nodes.size() << " nodes\n";
      walk(model);
      for (const softwood::LoweredInput& input : tree.inputs) {
        if (input.importance > 0.1) std::cout << input.name << " matters\n";
      }
    }
  } catch (const softwood::Error& error) {
    std::cerr << error.text() << "\n";
    return 1;
  }
}
