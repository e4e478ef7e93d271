#include "cli/stability.h"

#include <fmt/format.h>

#include <cmath>

#include "base/names.h"
#include "base/text.h"
#include "cli/figures.h"
#include "render/text/condition.h"

namespace softwood {

std::string stability_text(const std::string& method, const Stability& stability) {
  constexpr size_t condition_width = 50;
  std::string text =
      fmt::format("Stability of {}: trees of {} bootstrap samples\n", method, stability.samples);
  TextTable table({"node", "split", "same place", "anywhere", "cut, 90 % of the samples"});
  for (const SplitStability& split : stability.splits) {
    const LoweredSplit& own = *stability.tree.nodes[split.node].split;
    const std::string indent(2 * stability.tree.nodes[split.node].depth, ' ');
    table.add({fmt::format("{}", split.node),
               indent + render::condition_text(stability.tree, own.condition, 0, condition_width),
               fmt::format("{:.0f} %", 100 * split.same_place),
               fmt::format("{:.0f} %", 100 * split.anywhere),
               std::isnan(split.cut_low) ? ""
                                         : fmt::format("{} to {}", shown_number(split.cut_low),
                                                       shown_number(split.cut_high))});
  }
  if (!stability.splits.empty()) text += printable_lines(table.text());
  text += fmt::format("leaves  {} here, {:.1f} ± {:.1f} in the samples\n", stability.tree.leaves,
                      stability.leaves, stability.leaves_deviation);
  if (stability.tree.is_classifier()) {
    return text + fmt::format("answers agree for {} of the rows, on average\n",
                              percent(stability.agreement));
  }
  return text + fmt::format("answers differ by {} (root mean square), {} of the spread of {}\n",
                            short_number(stability.difference),
                            percent(stability.relative_difference),
                            printable(stability.tree.target.name));
}

Json stability_json(const Stability& stability) {
  Json object;
  object["samples"] = stability.samples;
  object["splits"] = Json::array();
  for (const SplitStability& split : stability.splits) {
    Json entry;
    entry["node"] = split.node;
    entry["condition"] = render::condition_text(
        stability.tree, stability.tree.nodes[split.node].split->condition, 0);
    entry["same_place"] = split.same_place;
    entry["anywhere"] = split.anywhere;
    entry["cut_range"] =
        std::isnan(split.cut_low) ? Json(nullptr) : Json({split.cut_low, split.cut_high});
    object["splits"].push_back(std::move(entry));
  }
  object["leaves"] = {{"tree", stability.tree.leaves},
                      {"mean", stability.leaves},
                      {"sd", stability.leaves_deviation}};
  if (stability.tree.is_classifier()) {
    object["agreement"] = stability.agreement;
  } else {
    object["difference"] = json_number(stability.difference);
    object["relative_difference"] = json_number(stability.relative_difference);
  }
  return object;
}

}  // namespace softwood
