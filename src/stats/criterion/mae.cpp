#include "stats/criterion/mae.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace softwood::stats {
namespace {

// Weights of rows by the rank of their target, in a tree of partial sums (Fenwick 1994): a row is
// added or taken out, and the median found, in O(log n).
class Ladder {
 public:
  static size_t memory_for(size_t ranks) { return 2 * (ranks + 1); }

  // `values` are the targets in ascending order, each once.
  Ladder(std::span<const double> values, double* memory)
      : values_(values), weight_(memory), sum_(memory + values.size() + 1) {
    std::fill_n(memory, memory_for(values.size()), 0.0);
  }

  void add(uint32_t rank, double weight) {
    const double amount = weight * values_[rank];
    total_weight_ += weight;
    total_sum_ += amount;
    for (size_t i = size_t{rank} + 1; i <= values_.size(); i += i & (~i + 1)) {
      weight_[i] += weight;
      sum_[i] += amount;
    }
  }
  double weight() const { return total_weight_; }
  double mean() const { return total_sum_ / total_weight_; }
  double median() const { return values_[middle().rank]; }

  // Sum of the absolute deviations from the median m: the weight below it counts m - y, the rest
  // y - m.
  double deviations() const {
    const Middle found = middle();
    return total_sum_ - 2 * found.sum_below -
           values_[found.rank] * (total_weight_ - 2 * found.weight_below);
  }

 private:
  struct Middle {
    size_t rank;
    double weight_below, sum_below;
  };
  // The first rank up to which there is at least half of the weight.
  Middle middle() const {
    Middle found{0, 0, 0};
    for (size_t step = std::bit_floor(values_.size()); step > 0; step /= 2) {
      const size_t next = found.rank + step;
      if (next < values_.size() && 2 * (found.weight_below + weight_[next]) < total_weight_) {
        found = {next, found.weight_below + weight_[next], found.sum_below + sum_[next]};
      }
    }
    return found;
  }

  std::span<const double> values_;
  double *weight_, *sum_;  // indices from 1
  double total_weight_ = 0, total_sum_ = 0;
};

// Slots of a node with their ranks.
struct Ranked {
  std::span<const uint32_t> rank;  // of each slot, in the order given
  std::span<const double> values;
  double* memory;  // for two ladders
};

class Side {
 public:
  // All rows on the right.
  template <class Weight>
  Side(const Ranked& ranked, const Weight& weight)
      : left_(ranked.values, ranked.memory),
        right_(ranked.values, ranked.memory + Ladder::memory_for(ranked.values.size())) {
    for (size_t i = 0; i < ranked.rank.size(); ++i) right_.add(ranked.rank[i], weight(i));
    whole_ = right_.deviations();
  }
  void move(uint32_t rank, double weight) {
    left_.add(rank, weight);
    right_.add(rank, -weight);
  }
  double left_weight() const { return left_.weight(); }
  double right_weight() const { return right_.weight(); }
  double whole() const { return whole_; }
  double score() const { return whole_ - left_.deviations() - right_.deviations(); }

 private:
  Ladder left_, right_;
  double whole_ = 0;
};

class MaeSearch final : public SplitSearch {
 public:
  explicit MaeSearch(const Target& target) : target_(target), format_(target.entry_format()) {}

  Cut best_threshold(std::span<const double>, std::span<const uint32_t> known,
                     std::span<const uint32_t> missing, double min_leaf, double,
                     Scratch& scratch) const override {
    const auto slot = [&](size_t i) {
      return i < known.size() ? format_.slot(known[i]) : missing[i - known.size()];
    };
    const auto weight = [&](size_t i) { return weight_of(slot(i)); };
    const Ranked ranked = rank_all(known.size() + missing.size(), slot, scratch);
    struct Rows {
      std::span<const uint32_t> known;
      const Ranked& ranked;
      const decltype(weight)& weight_at;
      size_t size() const { return known.size(); }
      bool can_cut_before(size_t i) const { return is_new_value(known[i]); }
      void move(size_t i, Side& side) const { side.move(ranked.rank[i], weight_at(i)); }
    };
    const Rows rows{known, ranked, weight};
    Cut best;
    scan(Side(ranked, weight), rows, {min_leaf, !missing.empty()}, false, best);
    if (!missing.empty()) {
      Side side(ranked, weight);
      for (size_t i = known.size(); i < ranked.rank.size(); ++i) {
        side.move(ranked.rank[i], weight(i));
      }
      scan(side, rows, {min_leaf, false}, true, best);
    }
    return best;
  }

  bool needs_rows() const override { return true; }

  LevelSplit best_levels_of_rows(std::span<const uint32_t> slots, std::span<const uint32_t> codes,
                                 size_t levels, NominalSplit kind, double min_leaf,
                                 Scratch& scratch) const override {
    const auto slot = [&](size_t i) { return slots[i]; };
    const auto weight = [&](size_t i) { return weight_of(slots[i]); };
    const Ranked ranked = rank_all(slots.size(), slot, scratch);
    // Positions in `slots`, level after level.
    std::vector<uint32_t> begin(levels + 1, 0), members(slots.size());
    for (const uint32_t code : codes) ++begin[code + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<uint32_t> next(begin);
    for (uint32_t i = 0; i < slots.size(); ++i) members[next[codes[i]]++] = i;
    const auto each_member = [&](uint32_t level, const auto& body) {
      for (uint32_t m = begin[level]; m < begin[level + 1]; ++m) body(members[m]);
    };
    std::vector<OfLevel> of_level(levels);
    Ladder ladder(ranked.values, ranked.memory);
    for (uint32_t level = 0; level < levels; ++level) {
      if (begin[level] == begin[level + 1]) continue;
      each_member(level, [&](uint32_t i) { ladder.add(ranked.rank[i], weight(i)); });
      of_level[level] = {ladder.weight(), ladder.median(), ladder.mean(), ladder.deviations()};
      each_member(level, [&](uint32_t i) { ladder.add(ranked.rank[i], -weight(i)); });
    }
    Side side(ranked, weight);
    if (!is_in_two(kind)) {
      const size_t enough = kind == NominalSplit::every_level ? 2 : levels;
      return one_child_each(of_level, side.whole(), min_leaf, enough);
    }
    const std::vector<uint32_t> order = by_median(of_level);
    const auto move_level = [&](size_t i, Side& to) {
      each_member(order[i], [&](uint32_t m) { to.move(ranked.rank[m], weight(m)); });
    };
    struct Items {
      size_t count;
      const decltype(move_level)& move_item;
      size_t size() const { return count; }
      static bool can_cut_before(size_t) { return true; }
      void move(size_t i, Side& to) const { move_item(i, to); }
    };
    Cut best;
    scan(side, Items{levels, move_level}, {min_leaf, false}, false, best);
    LevelSplit split{best.score, 2, std::vector<uint32_t>(levels, 1)};
    for (size_t i = 0; i < best.position; ++i) split.child[order[i]] = 0;
    return split;
  }

  // Not for this criterion: see needs_rows and the table of criteria.
  Cut best_bin(std::span<const double>, std::span<const double>, const double*, double,
               Scratch&) const override {
    return {};
  }
  LevelSplit best_levels(std::span<const double>, std::span<const double>, NominalSplit, double,
                         Scratch&) const override {
    return {};
  }
  void add_to_cells(std::span<const uint32_t>, std::span<const uint32_t>, double*) const override {}

  double improvement(double score, std::span<const double>) const override { return score; }
  double rounding(double magnitude) const override { return difference_rounding * magnitude; }

 private:
  struct OfLevel {
    double weight = 0, median = 0, mean = 0, deviations = 0;
  };

  double weight_of(uint32_t slot) const {
    return target_.weight.empty() ? 1.0 : target_.weight[slot];
  }

  template <class Slot>
  Ranked rank_all(size_t count, const Slot& slot, Scratch& scratch) const {
    scratch.ranks.resize(2 * count);
    const std::span<uint32_t> rank(scratch.ranks.data(), count),
        order(scratch.ranks.data() + count, count);
    const auto value = [&](uint32_t i) { return target_.value(slot(i)); };
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return value(a) < value(b); });
    scratch.side.resize(count + 2 * Ladder::memory_for(count));
    uint32_t distinct = 0;
    for (const uint32_t i : order) {
      if (distinct == 0 || value(i) != scratch.side[distinct - 1]) {
        scratch.side[distinct++] = value(i);
      }
      rank[i] = distinct - 1;
    }
    return {rank, {scratch.side.data(), distinct}, scratch.side.data() + count};
  }

  static std::vector<uint32_t> by_median(const std::vector<OfLevel>& levels) {
    std::vector<uint32_t> order(levels.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (levels[a].median != levels[b].median) return levels[a].median < levels[b].median;
      return levels[a].mean < levels[b].mean;
    });
    return order;
  }

  // At least `enough` of the children must have the least weight.
  static LevelSplit one_child_each(const std::vector<OfLevel>& levels, double whole,
                                   double min_leaf, size_t enough) {
    LevelSplit split{whole, static_cast<uint32_t>(levels.size()),
                     std::vector<uint32_t>(levels.size())};
    std::iota(split.child.begin(), split.child.end(), 0U);
    size_t with_enough = 0;
    for (const OfLevel& level : levels) {
      with_enough += level.weight >= least_weight(min_leaf) ? 1 : 0;
      split.score -= level.deviations;
    }
    return with_enough < enough ? LevelSplit{} : split;
  }

  const Target& target_;
  const EntryFormat format_;
};

}  // namespace

std::unique_ptr<SplitSearch> make_mae(const Target& target) {
  return std::make_unique<MaeSearch>(target);
}

}  // namespace softwood::stats
