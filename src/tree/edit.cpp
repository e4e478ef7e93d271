#include "tree/edit.h"

#include <algorithm>
#include <utility>

namespace softwood {

void graft(Tree& tree, NodeIndex leaf, Tree& fragment) {
  std::vector<std::pair<NodeIndex, NodeIndex>> open = {{leaf, 0}};  // place in tree, in fragment
  while (!open.empty()) {
    const auto [to, from] = open.back();
    open.pop_back();
    std::copy_n(fragment.sums(from).begin(), fragment.width(), tree.sums(to).begin());
    Node& node = fragment.node(from);
    if (node.is_leaf()) continue;
    const uint32_t children = fragment.children(from);
    const NodeIndex first = tree.split(to, std::move(node.gate()), std::move(node.missing()));
    tree.node(to).notes() = node.notes();
    for (uint32_t c = 0; c < children; ++c) open.emplace_back(first + c, node.first_child + c);
  }
}

}  // namespace softwood
