#include "stages/grow/fractional.h"

#include <limits>
#include <utility>

namespace softwood::grow {
ChildRows::ChildRows(const NodeData& data, std::span<const uint32_t> own,
                     std::span<const uint32_t> divided, double share) {
  if (!(share > 0)) divided = {};
  slots.reserve(own.size() + divided.size());
  std::vector<double> weight;
  weight.reserve(slots.capacity());
  auto next = divided.begin();
  const auto add_divided_before = [&](uint32_t slot) {
    for (; next != divided.end() && *next < slot; ++next) {
      slots.push_back(*next);
      weight.push_back(data.target.search_weight(*next) * share);
    }
  };
  for (const uint32_t slot : own) {
    add_divided_before(slot);
    slots.push_back(slot);
    weight.push_back(data.target.search_weight(slot));
  }
  add_divided_before(std::numeric_limits<uint32_t>::max());
  target = target_at(data.target, slots);
  target.weight = std::move(weight);
  target.whole = {};  // nor are these weights
}

OpenNode open_child(const OpenNode& open, NodeIndex node, uint32_t c, ChildRows rows,
                    const DividedLists& divided, const Options& options,
                    std::vector<uint32_t>& buffer) {
  const bool with_shared = rows.slots.size() > divided.parts[c].size();
  RowLists lists(open.data->lists, divided, c, with_shared, open.active, rows.slots, rows.target,
                 buffer);
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
