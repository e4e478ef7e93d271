// Dividing the levels of a nominal feature.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <vector>

#include "stats/row_count.h"
#include "stats/split_search.h"

namespace softwood::stats {

// Position of each level in an order in which cutting is promising, for more classes than two.
std::vector<uint32_t> principal_order(std::span<const double> cells, size_t classes);

// Levels in ascending order of the share of the second class, or of the mean: the best subset is a
// prefix of this order for two classes and any concave criterion, and for the squared error
// (Breiman et al. 1984; Fisher 1958).
inline std::vector<uint32_t> one_dimensional_order(std::span<const double> cells, bool counts) {
  const size_t levels = cells.size() / 2;
  const auto position = [&](uint32_t level) {
    const double* cell = &cells[level * 2];
    return counts ? cell[1] / (cell[0] + cell[1]) : cell[1] / cell[0];
  };
  std::vector<uint32_t> order(levels);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return position(a) < position(b); });
  return order;
}

// The rows that a child needs.
struct LeastRows {
  double min_leaf;
  std::span<const double> factor = {};  // see rows_in

  bool has(const double* cell, size_t width) const {
    return rows_in(cell, width, factor) >= least_weight(min_leaf);
  }
};

// Cuts the levels in the given order.
template <class C>
LevelSplit cut_in_order(std::span<const double> node, std::span<const double> cells, size_t width,
                        std::span<const uint32_t> order, const LeastRows& least,
                        double* side_memory) {
  struct Items {
    std::span<const double> cells;
    std::span<const uint32_t> order;
    size_t width;
    size_t size() const { return order.size(); }
    static bool can_cut_before(size_t) { return true; }
    void move(size_t i, typename C::Side& side) const { side.move_cell(&cells[order[i] * width]); }
    void move(size_t i, RowCountSide<typename C::Side>& side) const {
      side.move_cell(&cells[order[i] * width]);
    }
  };
  Cut best;
  const CutLimits limits{least.min_leaf, false};
  typename C::Side side(node.data(), width, side_memory);
  if constexpr (C::counts_classes) {
    if (!least.factor.empty()) {
      scan(RowCountSide<typename C::Side>(side, node.data(), least.factor),
           Items{cells, order, width}, limits, false, best);
    }
  }
  if (least.factor.empty()) scan(side, Items{cells, order, width}, limits, false, best);
  LevelSplit split{best.score, 2, std::vector<uint32_t>(order.size(), 1)};
  for (size_t i = 0; i < best.position; ++i) split.child[order[i]] = 0;
  return split;
}

// A criterion that is no decrease of an impurity: it has of_sides(left, right) instead of purity.
template <class C>
concept OfTwoSides = requires(const double* cell) {
  C::of_sides(cell, cell, size_t{});
};

// Divisions of the levels in two, each scored afresh from the sums of its left side: a running sum
// would drift by rounding and blur ties.
template <class C>
class LevelDivisions {
 public:
  LevelDivisions(std::span<const double> node, std::span<const double> cells, size_t width,
                 const LeastRows& least, double* side_memory)
      : node_(node), cells_(cells), width_(width), least_(least), side_memory_(side_memory) {}

  size_t levels() const { return cells_.size() / width_; }

  // The sums of the levels that child 0 gets.
  void set_left(std::span<const uint32_t> child, std::vector<double>& left) const {
    left.assign(width_, 0.0);
    for (size_t level = 0; level < levels(); ++level) {
      if (child[level] == 0) move(level, 1, left);
    }
  }
  void move(size_t level, double sign, std::vector<double>& left) const {
    for (size_t k = 0; k < width_; ++k) left[k] += sign * cells_[level * width_ + k];
  }
  // The rows of the lighter side; those above the least that a child needs do not count.
  double lighter(const std::vector<double>& left) const {
    const double rows = rows_of(left.data());
    return std::min({rows, rows_of(node_.data()) - rows, least_weight(least_.min_leaf)});
  }
  bool is_allowed(const std::vector<double>& left) const {
    return lighter(left) >= least_weight(least_.min_leaf);
  }
  double score(const std::vector<double>& left) const {
    typename C::Side side(node_.data(), width_, side_memory_);
    side.move_cell(left.data());
    return side.score();
  }

 private:
  double rows_of(const double* cell) const {
    return rows_in(cell, C::counts_classes ? width_ : 1, least_.factor);
  }

  std::span<const double> node_, cells_;
  size_t width_;
  const LeastRows& least_;
  double* side_memory_;
};

// Every division, in the order of a Gray code. The first level stays left: a split and its mirror
// image are one.
template <class C>
LevelSplit try_all_subsets(const LevelDivisions<C>& divisions) {
  const size_t levels = divisions.levels();
  std::vector<uint32_t> child(levels, 0);
  std::vector<double> left;
  LevelSplit best{0, 2, child};
  for (uint32_t step = 1; step < (1U << (levels - 1)); ++step) {
    child[static_cast<size_t>(std::countr_zero(step)) + 1] ^= 1U;
    divisions.set_left(child, left);
    if (!divisions.is_allowed(left)) continue;
    const double score = divisions.score(left);
    if (clearly_better(score, best.score)) best = {score, 2, child};
  }
  return best;
}

// From a division to the best that is reached by steps, each of which moves one level to the other
// side or exchanges two, and is the best of its kind: first the one that makes the lighter side
// heavier, until it has enough rows, then the one that scores more.
template <class C>
LevelSplit exchange_levels(const LevelDivisions<C>& divisions, std::vector<uint32_t> child) {
  const size_t levels = divisions.levels();
  const bool in_pairs = levels <= exchanged_levels;
  std::vector<double> left, next;
  divisions.set_left(child, left);
  double lighter = divisions.lighter(left);
  LevelSplit split{divisions.is_allowed(left) ? divisions.score(left) : 0, 2, std::move(child)};
  for (bool moved = true; moved;) {
    moved = false;
    size_t first = 0, second = 0;  // the levels of the best step; the same: it moves one
    const auto consider = [&](size_t i, size_t j) {
      next = left;
      divisions.move(i, split.child[i] == 0 ? -1 : 1, next);
      if (i != j) divisions.move(j, split.child[j] == 0 ? -1 : 1, next);
      const double rows = divisions.lighter(next);
      if (!clearly_better(rows, lighter) && clearly_better(lighter, rows)) return;
      const double score = divisions.is_allowed(next) ? divisions.score(next) : 0;
      if (!clearly_better(rows, lighter) && !clearly_better(score, split.score)) return;
      lighter = rows;
      split.score = score;
      first = i;
      second = j;
      moved = true;
    };
    for (size_t i = 0; i < levels; ++i) {
      consider(i, i);
      for (size_t j = i + 1; in_pairs && j < levels; ++j) {
        if (split.child[i] != split.child[j]) consider(i, j);
      }
    }
    if (!moved) break;
    split.child[first] ^= 1U;
    if (second != first) split.child[second] ^= 1U;
    divisions.set_left(split.child, left);
  }
  return split;
}

// The best subset of the levels with one sum beside the weight. Where no side may have too few rows
// it need not be a prefix of their order.
template <class C>
LevelSplit best_of_ordered(std::span<const double> node, std::span<const double> cells,
                           size_t width, const LeastRows& least, double* side_memory) {
  const std::vector<uint32_t> order = one_dimensional_order(cells, C::counts_classes);
  const LevelDivisions<C> divisions(node, cells, width, least, side_memory);
  LevelSplit split = cut_in_order<C>(node, cells, width, order, {0, least.factor}, side_memory);
  if (!(split.score > 0)) return split;
  std::vector<double> left;
  divisions.set_left(split.child, left);
  if (divisions.is_allowed(left)) return split;
  if (divisions.levels() <= exhaustive_levels) return try_all_subsets<C>(divisions);
  return exchange_levels<C>(divisions,
                            cut_in_order<C>(node, cells, width, order, least, side_memory).child);
}

// For a criterion of two groups of classes, with every choice of these: the best subset of levels
// is a prefix of their order by the share of one group (Breiman et al. 1984).
template <class C>
LevelSplit cut_by_groups(std::span<const double> node, std::span<const double> cells, size_t width,
                         const LeastRows& least, double* side_memory) {
  const size_t levels = cells.size() / width;
  LevelSplit best;
  std::vector<double> of_groups(2 * levels);  // weights of the rest and of the group
  for (uint32_t group = 1; group < (1U << (width - 1)); ++group) {
    std::fill(of_groups.begin(), of_groups.end(), 0.0);
    for (size_t level = 0; level < levels; ++level) {
      for (size_t k = 0; k < width; ++k) {
        of_groups[2 * level + (group >> k & 1U)] += cells[level * width + k];
      }
    }
    LevelSplit split = cut_in_order<C>(node, cells, width, one_dimensional_order(of_groups, true),
                                       least, side_memory);
    if (clearly_better(split.score, best.score)) best = std::move(split);
  }
  return best;
}

// One child per level. All need enough rows, or with `two_suffice` two of them.
template <class C>
LevelSplit one_child_each(std::span<const double> node, std::span<const double> cells, size_t width,
                          const LeastRows& least, bool two_suffice) {
  const size_t levels = cells.size() / width;
  size_t enough = 0;
  LevelSplit split{0, static_cast<uint32_t>(levels), std::vector<uint32_t>(levels)};
  std::iota(split.child.begin(), split.child.end(), 0U);
  for (size_t level = 0; level < levels; ++level) {
    const double* cell = &cells[level * width];
    enough += least.has(cell, C::counts_classes ? width : 1) ? 1 : 0;
    if constexpr (C::counts_classes) {
      split.score += C::purity(cell, width);
    } else {
      split.score += C::part_purity(cell, node.data());
    }
  }
  if (enough < (two_suffice ? 2 : levels)) return {};
  if constexpr (C::counts_classes) split.score -= C::purity(node.data(), width);
  return split;
}

// Scores of different kinds are made comparable through C::improvement by the caller: those of one
// child per level are improvements already, all others are the Side's.
template <class C>
LevelSplit best_level_split(std::span<const double> node, std::span<const double> cells,
                            size_t width, NominalSplit kind, const LeastRows& least,
                            double* side_memory) {
  const size_t levels = cells.size() / width;
  if (!is_in_two(kind)) {
    LevelSplit split;
    if constexpr (!OfTwoSides<C>) {
      split = one_child_each<C>(node, cells, width, least, kind == NominalSplit::every_level);
      split.score /= C::improvement(1.0, node.data(), width);
    }
    return split;
  }
  if (width == 2) {
    return kind == NominalSplit::prefix
               ? cut_in_order<C>(node, cells, width,
                                 one_dimensional_order(cells, C::counts_classes), least,
                                 side_memory)
               : best_of_ordered<C>(node, cells, width, least, side_memory);
  }
  if constexpr (C::counts_classes) {
    if (levels <= exhaustive_levels) {
      return try_all_subsets<C>({node, cells, width, least, side_memory});
    }
    if (OfTwoSides<C> && width <= exhaustive_classes) {
      return cut_by_groups<C>(node, cells, width, least, side_memory);
    }
    return cut_in_order<C>(node, cells, width, principal_order(cells, width), least, side_memory);
  }
  return {};
}

}  // namespace softwood::stats
