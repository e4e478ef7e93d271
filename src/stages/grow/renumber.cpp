#include "stages/grow/renumber.h"

#include <algorithm>
#include <array>

namespace softwood::grow {

bool wants_renumbering(const OpenNode& open) {
  // The sides of so many rows, and their targets, fit in the second cache; in the first one.
  constexpr std::array<size_t, 3> sizes = {size_t{1} << 20, size_t{1} << 16, size_t{1} << 12};
  constexpr uint32_t too_small = 32;  // to gain anything
  const size_t rows = open.range.size(), numbered = open.data->lists.size();
  if (rows < too_small) return false;
  return std::any_of(sizes.begin(), sizes.end(),
                     [&](size_t size) { return rows <= size && size < numbered; });
}

void renumber(OpenNode& open, const Options& options, std::vector<uint32_t>& buffer) {
  Target target = target_at(open.data->target, open.slots());
  RowLists lists(open.data->lists, open.range, open.active, target, buffer);
  const auto data =
      std::make_shared<NodeData>(NodeData{std::move(lists), std::move(target), nullptr, open.data});
  data->search = make_search(options, data->target);
  open.data = data;
  open.range = {0, open.range.size()};
}

}  // namespace softwood::grow
