// The cost-complexity table like rpart's printcp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/renderer.h"
#include "render/text/words.h"

namespace softwood::render {

std::string pruning_table_text(const LoweredTree& tree, const RenderOptions& /*options*/) {
  if (!tree.complexity)
    return "There is no cost-complexity table: the tree was not pruned by it.\n";
  const LoweredComplexity& table = *tree.complexity;
  const auto known = [](double value) {
    return std::isnan(value) ? std::string() : short_number(value, 5);
  };
  const bool crossed = std::any_of(table.trees.begin(), table.trees.end(),
                                   [](const auto& row) { return !std::isnan(row.cv_error); });
  std::vector<std::string> head{"", "CP", "nsplit", "rel error"};
  if (crossed) head.insert(head.end(), {"xerror", "xstd"});
  head.emplace_back("");
  TextTable text(std::move(head));
  for (size_t i = 0; i < table.trees.size(); ++i) {
    const LoweredPruning& row = table.trees[i];
    std::vector<std::string> cells{fmt::format("{}", i + 1), known(row.alpha),
                                   fmt::format("{}", row.splits), known(row.error)};
    if (crossed) cells.insert(cells.end(), {known(row.cv_error), known(row.cv_deviation)});
    cells.emplace_back(i == table.chosen ? "<- chosen" : "");
    text.add(std::move(cells));
  }
  const double rate = table.root_weight > 0 ? table.root_risk / table.root_weight : 0.0;
  return fmt::format("Root node {}: {}/{} = {}\n\nn = {}\n\n{}",
                     tree.decision.costs.empty() ? "error" : "cost",
                     short_number(table.root_risk, 5), shown_weight(table.root_weight),
                     short_number(rate, 5), shown_weight(table.root_weight), text.text());
}

}  // namespace softwood::render
