#include "stages/grow/fractional.h"

#include <algorithm>

namespace softwood::grow {
namespace {

template <class T>
std::vector<T> at_slots(const std::vector<T>& all, std::span<const uint32_t> slots) {
  std::vector<T> some;
  if (all.empty()) return some;
  some.reserve(slots.size());
  for (const uint32_t slot : slots) some.push_back(all[slot]);
  return some;
}

}  // namespace

ChildRows::ChildRows(const OpenNode& open, uint32_t child, uint32_t children,
                     std::span<const uint32_t> missing, double share) {
  const World& world = *open.world;
  auto next_missing = missing.begin();
  for (const uint32_t slot : open.slots()) {
    const bool divided = next_missing != missing.end() && *next_missing == slot;
    if (divided) ++next_missing;
    if (divided ? !(share > 0) : world.lists.child(slot, children == 2) != child) continue;
    slots.push_back(slot);
    target.weight.push_back(world.target.search_weight(slot) * (divided ? share : 1));
  }
  target.task = world.target.task;
  target.classes = world.target.classes;
  target.centre = world.target.centre;
  target.factor = world.target.factor;
  target.small_class = at_slots(world.target.small_class, slots);
  target.large_class = at_slots(world.target.large_class, slots);
  target.number = at_slots(world.target.number, slots);
}

OpenNode open_child(const OpenNode& open, NodeIndex node, ChildRows rows, const Options& options,
                    std::vector<uint32_t>& buffer) {
  RowLists lists(open.world->lists, open.range, open.active, rows.slots, rows.target, buffer);
  const auto world =
      std::make_shared<World>(World{std::move(lists), std::move(rows.target), nullptr});
  world->search = make_search(options, world->target);
  OpenNode child{node, world, {0, static_cast<uint32_t>(rows.slots.size())}, open.depth + 1, {}};
  for (const ActiveFeature& active : open.active) {
    child.active.push_back({active.feature, world->lists.all_known(active.feature)});
  }
  return child;
}

}  // namespace softwood::grow
