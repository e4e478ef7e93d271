// The one left-to-right scan that finds the best cut of an ordered sequence of items, whatever the
// items are: rows sorted by a value, bins of a histogram, levels put into an order.
//
// A Side (one for each criterion) knows the node's totals and what has moved to the left so far:
//   move(item…)       moves one item from right to left
//   left_weight(), right_weight()
//   score()           grows with the criterion's improvement, comparable within one node
// An Items says where a cut is possible and moves item i:
//   size(), can_cut_before(i), move(i, side)
// Most cuts are far from the best. A Side whose score is distance^2 / product, where the product is
// smallest at the ends of any stretch of items, lets whole blocks of them be passed over:
//   product()         of the weights of the two sides
// and its Items
//   block              how many
//   walk(begin, side)  moves a block of items and returns a bound of the distances on the way;
//                      blocks begin at multiples of their size
// Where an exact score costs more than a bound of it, a Side moves items roughly, and
//   most_distance()            is at least distance()
//   settle(position, side)     of the Items makes the side exact
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/control.h"

namespace softwood::stats {

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
  double to_beat = 0;       // best score of another feature
  const Control* control = nullptr;  // asked every rows_between_asks items; null: nobody
};

// Cuts this far below the best of another feature may be passed over without any effect on the
// result: cuts that tie are apart by at most tie_margin each, and no table has as many rows as it
// takes of those to come from here to a score that is better.
constexpr double passable_share = 0.97;

// Weights are sums of rounded numbers: allow for that in the comparison with min_leaf. A side
// without any weight is never one.
inline double least_weight(double min_leaf) {
  return std::max(min_leaf * (1 - 1e-12), std::numeric_limits<double>::min());
}

template <class Side, class Items>
concept PassesBlocks = requires(const Items& items, Side& side) {
  items.walk(size_t{}, side);
};

template <class Side, class Items>
concept SettlesLater = requires(const Items& items, Side& side) {
  items.settle(size_t{}, side);
};

// Fayyad & Irani 1993: within a stretch of rows of one class the score is convex in the cut, so
// that the best one is at its ends, or the first or last that min_leaf allows. Items that know
// stretches let the cuts inside be passed over:
//   is_within_class(i)  whether the values before and after a cut have one class, and weight(i)
//                       is all that there is of the latter
template <class Items>
concept KnowsStretches = requires(const Items& items) {
  items.is_within_class(size_t{});
};

template <class Side, class Items>
void scan(Side side, const Items& items, const CutLimits& limits, bool missing_left, Cut& best) {
  const double least = least_weight(limits.min_leaf);
  const size_t count = items.size();
  double to_beat = std::max(best.score * (1 + tie_margin), limits.to_beat * passable_share);
  constexpr double rounding = 1e-9;
  const auto consider = [&](size_t position) {
    if constexpr (PassesBlocks<Side, Items>) {
      // Most scores need not be divided out to see that they are too small.
      const auto is_too_small = [&](double distance) {
        return distance * distance < to_beat * side.product() * (1 - rounding);
      };
      if constexpr (SettlesLater<Side, Items>) {
        if (is_too_small(side.most_distance())) return;
        items.settle(position, side);
      }
      if (is_too_small(static_cast<double>(side.distance()))) return;
    }
    const double score = side.score();
    if (score > to_beat) {
      best = {score, position, missing_left};
      to_beat = score * (1 + tie_margin);
    }
  };
  size_t i = 0;
  [[maybe_unused]] bool any = false;  // a cut was considered
  // Moves the items before `end`; false when what is left on the right is too light.
  const auto look = [&](size_t end) {
    for (; i < end; ++i) {
      if (items.can_cut_before(i) && i > 0 && side.left_weight() >= least) {
        if (side.right_weight() < least) return false;
        if constexpr (KnowsStretches<Items>) {
          if (any && items.is_within_class(i) && side.right_weight() - items.weight(i) >= least) {
            items.move(i, side);
            continue;
          }
          any = true;
        }
        consider(i);
      }
      items.move(i, side);
    }
    return true;
  };
  const auto ask = [&] {
    if (limits.control != nullptr) limits.control->throw_if_interrupted();
  };
  if constexpr (PassesBlocks<Side, Items>) {
    constexpr size_t block = Items::block;
    static_assert(rows_between_asks % block == 0);
    if (count >= block && !look(block)) return;  // a first block is never passed over
    while (i + block <= count) {
      if (i % rows_between_asks == 0) ask();
      Side after = side;
      const double farthest = items.walk(i, after);
      const double passable = to_beat * (1 - rounding);
      if (farthest * farthest < passable * std::min(side.product(), after.product())) {
        side = after;
        i += block;
      } else if (!look(i + block)) {
        return;
      }
    }
  }
  while (count - i > rows_between_asks) {
    if (!look(i + rows_between_asks)) return;
    ask();
  }
  if (!look(count)) return;
  if (limits.cut_at_end && side.left_weight() >= least && side.right_weight() >= least) {
    consider(count);
  }
}

}  // namespace softwood::stats
