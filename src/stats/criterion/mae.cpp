#include "stats/criterion/mae.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/sort.h"

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

// A row takes longer here than in other searches: asks more often. Few rows need no question.
void ask_at(size_t row, const Scratch& scratch) {
  constexpr size_t rows = rows_between_asks / 16;
  if ((row + 1) % rows == 0 && scratch.control != nullptr) scratch.control->throw_if_interrupted();
}

class Side {
 public:
  // All rows on the right.
  template <class Weight>
  Side(const Ranked& ranked, const Weight& weight, const Scratch& scratch)
      : left_(ranked.values, ranked.memory),
        right_(ranked.values, ranked.memory + Ladder::memory_for(ranked.values.size())) {
    for (size_t i = 0; i < ranked.rank.size(); ++i) {
      ask_at(i, scratch);
      right_.add(ranked.rank[i], weight(i));
    }
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

// Sums of absolute deviations of any union of levels. Of each level the rows in ascending order of
// their ranks are kept with running sums, so that a union costs no pass over its rows; nothing is
// taken out of a sum again, which would leave rounding behind.
class LevelUnions {
 public:
  template <class Weight>
  LevelUnions(const Ranked& ranked, std::span<const uint32_t> codes, size_t levels,
              const Weight& weight, const Scratch& scratch)
      : values_(ranked.values), begin_(levels + 1, 0) {
    const size_t rows = codes.size();
    for (const uint32_t code : codes) ++begin_[code + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    const std::vector<uint32_t> order = by_rank(ranked);
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    rank_.resize(rows);
    weight_.resize(rows);
    sum_.resize(rows);
    for (size_t i = 0; i < rows; ++i) {
      ask_at(i, scratch);
      const uint32_t row = order[i];
      const size_t at = next[codes[row]]++;
      const bool first = at == begin_[codes[row]];
      rank_[at] = ranked.rank[row];
      weight_[at] = (first ? 0 : weight_[at - 1]) + weight(row);
      sum_[at] = (first ? 0 : sum_[at - 1]) + weight(row) * values_[ranked.rank[row]];
    }
  }

  size_t levels() const { return begin_.size() - 1; }

  struct Part {
    double weight = 0, sum = 0;
  };
  // Bit l of `levels` stands for level l.
  Part total(uint32_t levels) const { return below(levels, values_.size()); }
  double deviations(uint32_t levels) const {
    const Part all = total(levels);
    // The first rank up to which there is at least half of the weight.
    size_t low = 0, high = values_.size() - 1;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (2 * below(levels, middle + 1).weight < all.weight) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const Part lower = below(levels, low);
    return all.sum - 2 * lower.sum - values_[low] * (all.weight - 2 * lower.weight);
  }

 private:
  static std::vector<uint32_t> by_rank(const Ranked& ranked) {
    std::vector<size_t> next(ranked.values.size() + 1, 0);
    for (const uint32_t rank : ranked.rank) ++next[rank + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<uint32_t> order(ranked.rank.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[next[ranked.rank[i]]++] = i;
    return order;
  }
  Part below(uint32_t levels, size_t rank) const {
    Part part;
    for (size_t level = 0; level + 1 < begin_.size(); ++level) {
      if ((levels >> level & 1U) == 0) continue;
      const auto first = rank_.begin() + static_cast<std::ptrdiff_t>(begin_[level]);
      const auto last = rank_.begin() + static_cast<std::ptrdiff_t>(begin_[level + 1]);
      const auto end = std::lower_bound(first, last, rank);
      if (end == first) continue;
      const auto at = static_cast<size_t>(end - rank_.begin()) - 1;
      part.weight += weight_[at];
      part.sum += sum_[at];
    }
    return part;
  }

  std::span<const double> values_;
  std::vector<size_t> begin_;  // of each level's rows
  std::vector<uint32_t> rank_;
  std::vector<double> weight_, sum_;  // of the rows of the level up to this one
};

// Replaces a split by the best of all divisions in two, if that is clearly better.
void try_all_divisions(const LevelUnions& unions, double min_leaf, LevelSplit& best) {
  const uint32_t all = (1U << unions.levels()) - 1;
  const double whole = unions.deviations(all), least = least_weight(min_leaf);
  uint32_t found = 0;
  // The first level stays left: a division and its mirror image are one.
  for (uint32_t right = 2; right <= all; right += 2) {
    const uint32_t left = all & ~right;
    if (unions.total(left).weight < least || unions.total(right).weight < least) continue;
    const double score = whole - unions.deviations(left) - unions.deviations(right);
    if (!clearly_better(score, best.score)) continue;
    best.score = score;
    found = right;
  }
  if (found == 0) return;
  best.children = 2;
  for (size_t level = 0; level < unions.levels(); ++level) best.child[level] = found >> level & 1U;
}

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
      const Scratch& scratch;
      size_t size() const { return known.size(); }
      bool can_cut_before(size_t i) const { return is_new_value(known[i]); }
      void move(size_t i, Side& side) const {
        ask_at(i, scratch);
        side.move(ranked.rank[i], weight_at(i));
      }
    };
    const Rows rows{known, ranked, weight, scratch};
    Cut best;
    scan(Side(ranked, weight, scratch), rows, {min_leaf, !missing.empty()}, false, best);
    if (!missing.empty()) {
      Side side(ranked, weight, scratch);
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
      for (uint32_t m = begin[level]; m < begin[level + 1]; ++m) {
        ask_at(m, scratch);
        body(members[m]);
      }
    };
    std::vector<OfLevel> of_level(levels);
    Ladder ladder(ranked.values, ranked.memory);
    for (uint32_t level = 0; level < levels; ++level) {
      if (begin[level] == begin[level + 1]) continue;
      each_member(level, [&](uint32_t i) { ladder.add(ranked.rank[i], weight(i)); });
      of_level[level] = {ladder.weight(), ladder.median(), ladder.mean(), ladder.deviations()};
      each_member(level, [&](uint32_t i) { ladder.add(ranked.rank[i], -weight(i)); });
    }
    Side side(ranked, weight, scratch);
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
    if (kind == NominalSplit::subset && levels > 2 && levels <= exhaustive_levels) {
      try_all_divisions({ranked, codes, levels, weight, scratch}, min_leaf, split);
    }
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

  // Among all rows of the fit. They are found by the first search, which can be stopped.
  struct AllRanks {
    std::vector<uint32_t> rank;  // of each slot
    std::vector<double> values;  // ascending, each once
  };
  const AllRanks& all_ranks(const Scratch& scratch) const {
    const std::lock_guard lock(mutex_);
    if (all_) return *all_;
    const Control nobody;
    const Control& control = scratch.control != nullptr ? *scratch.control : nobody;
    const size_t count = target_.number.size();
    std::vector<std::pair<double, uint32_t>> items(count);
    for (uint32_t slot = 0; slot < count; ++slot) items[slot] = {target_.value(slot), slot};
    sort_unless_stopped(items.begin(), items.end(), std::less<>(), control);
    AllRanks found;
    found.rank.resize(count);
    for (const auto& [value, slot] : items) {
      if (found.values.empty() || value != found.values.back()) found.values.push_back(value);
      found.rank[slot] = static_cast<uint32_t>(found.values.size() - 1);
    }
    return all_.emplace(std::move(found));
  }

  // Ranks among the rows of a node follow from those among all.
  template <class Slot>
  Ranked rank_all(size_t count, const Slot& slot, Scratch& scratch) const {
    constexpr size_t many = 16;  // of this many rows it pays to look at all values
    const AllRanks& all = all_ranks(scratch);
    const bool look_at_all = count >= all.values.size() / many;
    const size_t listed = look_at_all ? all.values.size() : count;
    scratch.ranks.resize(count + listed);
    const std::span<uint32_t> rank(scratch.ranks.data(), count),
        list(scratch.ranks.data() + count, listed);
    scratch.side.resize(count + 2 * Ladder::memory_for(count));
    double* const values = scratch.side.data();
    uint32_t distinct = 0;
    if (look_at_all) {
      // Which values the node has, then their number among these.
      std::fill(list.begin(), list.end(), 0U);
      for (size_t i = 0; i < count; ++i) list[all.rank[slot(i)]] = 1;
      for (size_t r = 0; r < listed; ++r) {
        if (list[r] == 0) continue;
        list[r] = distinct;
        values[distinct++] = all.values[r];
      }
      for (size_t i = 0; i < count; ++i) rank[i] = list[all.rank[slot(i)]];
    } else {
      for (size_t i = 0; i < count; ++i) list[i] = all.rank[slot(i)];
      std::sort(list.begin(), list.end());
      distinct = static_cast<uint32_t>(std::unique(list.begin(), list.end()) - list.begin());
      const auto kept = list.first(distinct);
      for (uint32_t r = 0; r < distinct; ++r) values[r] = all.values[kept[r]];
      for (size_t i = 0; i < count; ++i) {
        const auto at = std::lower_bound(kept.begin(), kept.end(), all.rank[slot(i)]);
        rank[i] = static_cast<uint32_t>(at - kept.begin());
      }
    }
    return {rank, {values, distinct}, values + count};
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
  mutable std::mutex mutex_;
  mutable std::optional<AllRanks> all_;
};

}  // namespace

std::unique_ptr<SplitSearch> make_mae(const Target& target) {
  return std::make_unique<MaeSearch>(target);
}

}  // namespace softwood::stats
