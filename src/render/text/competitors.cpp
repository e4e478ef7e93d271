// Every split beside the best splits by other inputs that it won against.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/renderer.h"
#include "render/text/condition.h"
#include "render/text/words.h"

namespace softwood::render {

std::string competitors_text(const LoweredTree& tree, const RenderOptions& options) {
  const bool kept = std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const LoweredNode& node) {
    return node.split && !node.split->competitors.empty();
  });
  if (!kept) {
    return "The tree keeps no competing splits. Train it with 'grow competitors=5' to keep the "
           "best\n"
           "splits by 5 other inputs at every node.\n";
  }
  const size_t width = std::min(options.width, widest_text);
  const LoweredOrigin& origin = tree.origin;
  const std::string gain = origin.gain_name.empty() ? "gain" : origin.gain_name;
  const auto number = [](double value) {
    return std::isnan(value) ? std::string("-") : short_number(value);
  };
  std::string text =
      fmt::format("Splits and their competitors, by {}{}\n", gain,
                  origin.gain_unit.empty() ? "" : fmt::format(" in {}", origin.gain_unit));
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const LoweredNode& node = tree.nodes[i];
    if (!node.split) continue;
    text += fmt::format("\nNode {} ({})\n", i, shown_rows(tree, node.weight));
    std::vector<std::string> gains = {number(node.split->gain)};
    std::vector<std::string> conditions = {condition_text(tree, node.split->condition, 0)};
    for (const LoweredCompetitor& other : node.split->competitors) {
      gains.push_back(number(other.gain));
      conditions.push_back(condition_text(tree, other.condition, 0));
    }
    size_t widest = 0;
    for (const std::string& cell : gains) widest = std::max(widest, cell.size());
    for (size_t c = 0; c < gains.size(); ++c) {
      text += wrapped(fmt::format("  {} {:<{}}  ", c == 0 ? '*' : ' ', gains[c], widest),
                      conditions[c], width) +
              '\n';
    }
  }
  return text + "\n* the split of the tree; each condition is that of the first child\n";
}

}  // namespace softwood::render
