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
  std::span<const double> factor;  // see rows_in

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

// A criterion that is no decrease of an impurity: it has of_sides(left, right) in place of purity.
template <class C>
concept OfTwoSides = requires(const double* cell) {
  C::of_sides(cell, cell, size_t{});
};

// Every way to divide the levels in two, in the order of a Gray code. Both sides are added up
// afresh for each: a running sum would drift by rounding and blur ties. The first level stays left:
// a split and its mirror image are one.
template <class C>
LevelSplit try_all_subsets(std::span<const double> node, std::span<const double> cells,
                           size_t width, const LeastRows& least) {
  const size_t levels = cells.size() / width;
  double node_purity = 0;
  if constexpr (!OfTwoSides<C>) node_purity = C::purity(node.data(), width);
  const auto score_of = [&](const std::vector<double>& left, const std::vector<double>& right) {
    if constexpr (OfTwoSides<C>) {
      return C::of_sides(left.data(), right.data(), width);
    } else {
      return C::purity(left.data(), width) + C::purity(right.data(), width) - node_purity;
    }
  };
  std::vector<double> left(width), right(width);
  double best_score = 0;
  uint32_t best_right = 0, in_right = 0;
  for (uint32_t step = 1; step < (1U << (levels - 1)); ++step) {
    in_right ^= 1U << (std::countr_zero(step) + 1);
    std::fill(left.begin(), left.end(), 0.0);
    std::fill(right.begin(), right.end(), 0.0);
    for (size_t level = 0; level < levels; ++level) {
      std::vector<double>& side = (in_right >> level & 1U) != 0 ? right : left;
      for (size_t k = 0; k < width; ++k) side[k] += cells[level * width + k];
    }
    if (!least.has(left.data(), width) || !least.has(right.data(), width)) continue;
    const double score = score_of(left, right);
    if (clearly_better(score, best_score)) {
      best_score = score;
      best_right = in_right;
    }
  }
  LevelSplit split{best_score, 2, std::vector<uint32_t>(levels, 0)};
  for (size_t level = 0; level < levels; ++level) split.child[level] = best_right >> level & 1U;
  return split;
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

// Scores of different kinds are made comparable through C::improvement by the caller: the scores of
// subsets by scan are the Side's, all others are improvements already.
template <class C>
LevelSplit best_level_split(std::span<const double> node, std::span<const double> cells,
                            size_t width, NominalSplit kind, const LeastRows& least,
                            double* side_memory) {
  const size_t levels = cells.size() / width;
  const double scale = C::improvement(1.0, node.data(), width);
  LevelSplit split;
  if (kind != NominalSplit::subset) {
    if constexpr (!OfTwoSides<C>) {
      split = one_child_each<C>(node, cells, width, least, kind == NominalSplit::every_level);
      split.score /= scale;
    }
  } else if (width == 2) {
    split = cut_in_order<C>(node, cells, width, one_dimensional_order(cells, C::counts_classes),
                            least, side_memory);
  } else if constexpr (C::counts_classes) {
    if (levels <= exhaustive_levels) {
      split = try_all_subsets<C>(node, cells, width, least);
      split.score /= scale;
    } else if (OfTwoSides<C> && width <= exhaustive_classes) {
      split = cut_by_groups<C>(node, cells, width, least, side_memory);
    } else {
      split =
          cut_in_order<C>(node, cells, width, principal_order(cells, width), least, side_memory);
    }
  }
  return split;
}

}  // namespace softwood::stats
