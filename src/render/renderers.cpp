#include <algorithm>
#include <vector>

#include "base/text.h"
#include "render/renderer.h"
#include "softwood/error.h"

namespace softwood::render {

std::span<const Renderer> renderers() {
  static const std::vector<Renderer> table = {
      {"softwood", RendererRole::layout, "One line per node, indented, with a table beside it.",
       tree_text},
      {"rpart", RendererRole::layout, "As R prints an rpart object.", rpart_text},
      {"c50", RendererRole::layout, "As C5.0 prints a tree.", c50_text},
      {"rules", RendererRole::view, "One rule per leaf, with coverage and confidence.", rules_text},
      {"table", RendererRole::view, "The cost-complexity table of pruning.", pruning_table_text},
      {"summary", RendererRole::view,
       "Origin, size, importance of the inputs, and every node with its split, surrogates and rows "
       "without a value.",
       summary_text},
      {"competitors", RendererRole::view,
       "Every split beside the best splits by other inputs, which grow competitors=N keeps.",
       competitors_text},
      {"json", RendererRole::view,
       "One JSON object: tree, rules, importance and the cost-complexity table.", tree_json},
  };
  return table;
}

const Renderer& find_renderer(std::string_view name) {
  const auto all = renderers();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [=](const Renderer& renderer) { return renderer.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Renderer& renderer : all) names.push_back(renderer.name);
  throw Error(ErrorKind::usage, "there is no renderer '" + std::string(name) + "'", {},
              known_names_hint(name, names));
}

}  // namespace softwood::render
