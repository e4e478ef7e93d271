// The one left-to-right scan that finds the best cut of an ordered sequence of items, whatever the
// items are: rows sorted by a value, bins of a histogram, levels put into an order.
//
// A Side (one for each criterion) knows the node's totals and what has moved to the left so far:
//   move(item…)       moves one item from right to left
//   left_weight(), right_weight()
//   score()           grows with the criterion's improvement, comparable within one node
// An Items says where a cut is possible and moves item i:
//   size(), can_cut_before(i), move(i, side)
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace softwood::grow {

struct Cut {
  double score = 0;     // 0: no cut was found
  size_t position = 0;  // items before it go left
  bool missing_left = false;
};

// A later candidate must be better by more than rounding noise, so that ties go to the first.
constexpr double tie_margin = 1e-11;
inline bool clearly_better(double score, double best) { return score > best * (1 + tie_margin); }

struct CutLimits {
  double min_leaf = 1;      // least weight on each side
  bool cut_at_end = false;  // there are missing rows on the right: "all known | missing" is a cut
};

// Weights are sums of rounded numbers: allow for that in the comparison with min_leaf. A side
// without any weight is never one.
inline double least_weight(double min_leaf) {
  return std::max(min_leaf * (1 - 1e-12), std::numeric_limits<double>::min());
}

template <class Side, class Items>
void scan(Side side, const Items& items, const CutLimits& limits, bool missing_left, Cut& best) {
  const double least = least_weight(limits.min_leaf);
  const size_t count = items.size();
  double to_beat = best.score * (1 + tie_margin);
  const auto consider = [&](size_t position) {
    const double score = side.score();
    if (score > to_beat) {
      best = {score, position, missing_left};
      to_beat = score * (1 + tie_margin);
    }
  };
  for (size_t i = 0; i < count; ++i) {
    if (items.can_cut_before(i) && i > 0 && side.left_weight() >= least) {
      if (side.right_weight() < least) return;
      consider(i);
    }
    items.move(i, side);
  }
  if (limits.cut_at_end && side.left_weight() >= least && side.right_weight() >= least) {
    consider(count);
  }
}

}  // namespace softwood::grow
