#include "stages/grow/fractional.h"

#include <utility>

namespace softwood::grow {
ChildRows::ChildRows(const OpenNode& open, uint32_t child, uint32_t children,
                     std::span<const uint32_t> missing, double share) {
  const NodeData& data = *open.data;
  std::vector<double> weight;
  auto next_missing = missing.begin();
  for (const uint32_t slot : open.slots()) {
    const bool divided = next_missing != missing.end() && *next_missing == slot;
    if (divided) ++next_missing;
    if (divided ? !(share > 0) : data.lists.child(slot, children == 2) != child) continue;
    slots.push_back(slot);
    weight.push_back(data.target.search_weight(slot) * (divided ? share : 1));
  }
  target = target_at(data.target, slots);
  target.weight = std::move(weight);
  target.whole = {};  // nor are these weights
}

OpenNode open_child(const OpenNode& open, NodeIndex node, ChildRows rows, const Options& options,
                    std::vector<uint32_t>& buffer) {
  RowLists lists(open.data->lists, open.range, open.active, rows.slots, rows.target, buffer);
  const auto data =
      std::make_shared<NodeData>(NodeData{std::move(lists), std::move(rows.target), nullptr});
  data->search = make_search(options, data->target);
  OpenNode child{node, data, {0, static_cast<uint32_t>(rows.slots.size())}, open.depth + 1, 0, {}};
  for (const ActiveFeature& active : open.active) {
    child.active.push_back({active.feature, data->lists.all_known(active.feature)});
  }
  return child;
}

}  // namespace softwood::grow
