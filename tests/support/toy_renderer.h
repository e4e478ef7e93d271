// A renderer that a test adds to the table: the tree as nested ifs. All of it is this file, and the
// line of the table below.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "render/renderer.h"
#include "render/text/condition.h"
#include "softwood/error.h"

namespace softwood::test {

inline void append_toy_node(const LoweredTree& tree, uint32_t i, std::string& text) {
  const LoweredNode& node = tree.nodes[i];
  const std::string margin(2 * node.depth, ' ');
  if (node.is_leaf()) {
    text += fmt::format("{}return {}\n", margin, node.answer[0]);
    return;
  }
  for (uint32_t c = 0; c < node.split->children; ++c) {
    text += fmt::format("{}if {}:\n", margin, render::branch_text(tree, *node.split, c));
    append_toy_node(tree, node.split->first_child + c, text);
  }
}

// Nested ifs take one way only.
inline std::string toy_text(const LoweredTree& tree, const render::RenderOptions&) {
  if (has_soft_splits(tree)) throw Error(ErrorKind::failure, "toy cannot express soft splits");
  if (tree.formulas != FormulaKind::none) {
    throw Error(ErrorKind::failure, "toy cannot express formulas of leaves");
  }
  std::string text;
  append_toy_node(tree, 0, text);
  return text;
}

inline std::vector<render::Renderer> renderers_and_a_toy() {
  std::vector<render::Renderer> table(render::renderers().begin(), render::renderers().end());
  table.push_back({"toy", render::RendererRole::layout, "Nested ifs.", toy_text});
  return table;
}

}  // namespace softwood::test
