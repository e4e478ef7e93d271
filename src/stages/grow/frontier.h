// Growth order: best first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "base/control.h"

namespace softwood::grow {

inline void report_leaves(const Control& control, size_t leaves, size_t max_leaves) {
  control.report("growing", static_cast<double>(leaves), static_cast<double>(max_leaves));
}

// Splits the leaf whose split improves most (ties: the one made first) until there are
// `max_leaves`.
//   find(open)         the best split of an open node: has improvement (0: none) and children
//   apply(open, found) splits it and returns the children that are open
//   children(open)     how many it has after that; none when the split was taken back
//   report(leaves)     told how many there are, for every hundredth of max_leaves
template <class Open, class Find, class Apply, class Children, class Report>
void grow_best_first(Open root, size_t max_leaves, const Find& find, const Apply& apply,
                     const Children& children_of, const Report& report) {
  using Split = decltype(find(root));
  struct Candidate {
    Open open;
    Split found;
    bool operator<(const Candidate& other) const {
      return found.improvement != other.found.improvement
                 ? found.improvement < other.found.improvement
                 : open.node > other.open.node;
    }
  };
  std::vector<Candidate> heap;
  const auto offer = [&](Open open) {
    Split found = find(open);
    if (!(found.improvement > 0)) return;
    heap.push_back({std::move(open), std::move(found)});
    std::push_heap(heap.begin(), heap.end());
  };
  offer(std::move(root));
  size_t leaves = 1;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    Candidate best = std::move(heap.back());
    heap.pop_back();
    // A multiway split may have more children than there is room for: others may still fit.
    const size_t more = best.found.children - 1;
    if (leaves + more > max_leaves) continue;
    // Finding a split may reuse the memory that the children were returned in.
    auto&& returned = apply(best.open, best.found);
    std::vector<Open> children(std::make_move_iterator(returned.begin()),
                               std::make_move_iterator(returned.end()));
    const size_t before = leaves, step = max_leaves / 100 + 1;
    leaves += std::max<size_t>(children_of(best.open), 1) - 1;
    if (before / step != leaves / step) report(leaves);
    for (Open& child : children) offer(std::move(child));
  }
}

}  // namespace softwood::grow
