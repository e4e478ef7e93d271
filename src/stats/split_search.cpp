#include "stats/split_search.h"

#include <algorithm>
#include <cmath>

#include "data/sorted.h"
#include "softwood/error.h"
#include "stats/class_counts.h"
#include "stats/criterion/chi_square.h"
#include "stats/criterion/entropy.h"
#include "stats/criterion/gini.h"
#include "stats/criterion/mae.h"
#include "stats/criterion/misclassification.h"
#include "stats/criterion/mse.h"
#include "stats/criterion/poisson.h"
#include "stats/criterion/twoing.h"
#include "stats/levels.h"

namespace softwood::stats {
namespace {

// Reads the target of a slot: class or number, and weight.
template <class Label, bool weighted>
struct Reader {
  const Label* label;
  const double* weight;
  double centre;

  auto value(uint32_t slot) const {
    if constexpr (std::is_same_v<Label, double>) {
      return label[slot] - centre;
    } else {
      return static_cast<size_t>(label[slot]);
    }
  }
  double row_weight(uint32_t slot) const {
    if constexpr (weighted) return weight[slot];
    return 1.0;
  }
};

template <class R>
struct SortedRows {
  std::span<const uint32_t> entries;
  EntryFormat format;
  R reader;

  size_t size() const { return entries.size(); }
  bool can_cut_before(size_t i) const { return is_new_value(entries[i]); }
  template <class Side>
  void move(size_t i, Side& side) const {
    prefetch_slot(reader.label, format, entries.data(), i, entries.size());
    const uint32_t slot = format.slot(entries[i]);
    side.move_row(reader.value(slot), reader.row_weight(slot));
  }
  static constexpr size_t block = 32;
  template <class Side>
  requires requires(const Side& side) { side.distance(); }
  double walk(size_t begin, Side& side) const {
    double farthest = std::abs(side.distance());
    for (size_t i = begin; i < begin + block; ++i) {
      move(i, side);
      farthest = std::max(farthest, std::abs(side.distance()));
    }
    return farthest;
  }
};

// Reads targets that are whole numbers.
template <bool weighted>
struct WholeReader {
  const WholeNumbers& numbers;
  const int64_t* label;  // the upper halves
  const double* weight;

  WholeReader(const WholeNumbers& whole, const double* weights)
      : numbers(whole), label(whole.high()), weight(weights) {}
  Whole value(uint32_t slot) const { return numbers[slot]; }
  double row_weight(uint32_t slot) const {
    if constexpr (weighted) return weight[slot];
    return 1.0;
  }
  int64_t copies(uint32_t slot) const { return static_cast<int64_t>(row_weight(slot)); }
};

// Many rows of that kind.
template <bool weighted>
struct RoughRows {
  std::span<const uint32_t> entries;
  EntryFormat format;
  WholeReader<weighted> reader;

  size_t size() const { return entries.size(); }
  bool can_cut_before(size_t i) const { return is_new_value(entries[i]); }
  void move(size_t i, Mse::RoughSide& side) const {
    prefetch_slot(reader.label, format, entries.data(), i, entries.size());
    const uint32_t slot = format.slot(entries[i]);
    side.move_row(reader.label[slot], reader.copies(slot));
  }
  void settle(size_t position, Mse::RoughSide& side) const {
    const uint64_t* const low = reader.numbers.low();
    for (size_t i = side.settled; i < position; ++i) {
      prefetch_slot(low, format, entries.data(), i, position);
      const uint32_t slot = format.slot(entries[i]);
      side.add_low(low[slot], reader.copies(slot));
    }
    side.settle(position);
  }
  static constexpr size_t block = 32;
  double walk(size_t begin, Mse::RoughSide& side) const {
    int64_t low = side.rough_sum(), high = low;
    for (size_t i = begin; i < begin + block; ++i) {
      move(i, side);
      low = std::min(low, side.rough_sum());
      high = std::max(high, side.rough_sum());
    }
    return side.distance_within(low, high);
  }
};

// Entries that know their class.
template <class R>
struct SortedClasses {
  std::span<const uint32_t> entries;
  EntryFormat format;
  R reader;

  size_t size() const { return entries.size(); }
  bool can_cut_before(size_t i) const { return is_new_value(entries[i]); }
  template <class Side>
  void move(size_t i, Side& side) const {
    side.move_row(format.class_of(entries[i]), reader.row_weight(format.slot(entries[i])));
  }
};

// The same for scores that cost more than to see that a cut is not at a boundary of classes.
template <class R>
struct StretchesOfClasses : SortedClasses<R> {
  using SortedClasses<R>::entries, SortedClasses<R>::format, SortedClasses<R>::reader;

  // Whether the rows before and after a cut are the only ones of their values, and of one class.
  bool is_within_class(size_t i) const {
    return is_new_value(entries[i - 1]) &&
           (i + 1 == entries.size() || is_new_value(entries[i + 1])) &&
           format.class_of(entries[i - 1]) == format.class_of(entries[i]);
  }
  double weight(size_t i) const { return reader.row_weight(format.slot(entries[i])); }
};

// The same for two classes and rows that count 1 each: blocks of them are counted beforehand.
template <class R>
struct CountedClasses : SortedClasses<R> {
  static constexpr size_t block = counted_together;
  const uint8_t* counts;

  // Distances are looked at on both ends only: all others are at most half the steps away from one
  // of those.
  double walk(size_t begin, BinaryGini::CountSide& side) const {
    const int64_t before = std::abs(side.distance());
    side.move(block, counts[begin / block]);
    const int64_t farthest = std::max(before, std::abs(side.distance()));
    return static_cast<double>(farthest + static_cast<int64_t>(block / 2) * side.step());
  }
};

struct OrderedCells {
  const double* cells;
  size_t count, width;

  size_t size() const { return count; }
  static bool can_cut_before(size_t) { return true; }
  template <class Side>
  void move(size_t i, Side& side) const {
    side.move_cell(cells + i * width);
  }
};

template <class C, class Label, bool weighted>
class SearchFor final : public SplitSearch {
 public:
  SearchFor(const Target& target, const Label* label)
      : reader_{label, target.weight.data(), target.centre},
        format_(target.entry_format()),
        classes_(target.classes),
        width_(target.cell_width()),
        factor_(target.factor),
        whole_(target.whole) {}

  Cut best_threshold(std::span<const double> node, std::span<const uint32_t> known,
                     std::span<const uint32_t> missing, double min_leaf, double to_beat,
                     Scratch& scratch) const override {
    scratch.side.resize(2 * classes_ + 2);
    const CutLimits limits{min_leaf, !missing.empty(), to_beat, scratch.control};
    const auto search = [&](const auto& rows, const auto& start) {
      return both_ways(start, rows, limits, [&](auto& side) {
        const SortedRows<std::decay_t<decltype(rows.reader)>> without{missing, format_,
                                                                      rows.reader};
        for (size_t i = 0; i < missing.size(); ++i) without.move(i, side);
      });
    };
    const auto start = [&] { return typename C::Side(node.data(), width_, scratch.side.data()); };
    if constexpr (C::counts_classes && weighted) {
      if (!factor_.empty()) {
        return search(SortedRows<decltype(reader_)>{known, format_, reader_},
                      [&] { return counting_rows(start(), node); });
      }
    }
    if constexpr (C::counts_classes) {
      if (format_.has_class()) {
        const SortedClasses<decltype(reader_)> rows{known, format_, reader_};
        if constexpr (!weighted && std::is_same_v<typename C::Side, BinaryGini::Side>) {
          count_second_class(known, format_, scratch.counts);
          return search(CountedClasses<decltype(reader_)>{rows, scratch.counts.data()},
                        [&] { return BinaryGini::CountSide(node.data()); });
        } else if constexpr (std::is_same_v<C, Entropy>) {
          return search(StretchesOfClasses<decltype(reader_)>{rows}, start);
        } else {
          return search(rows, start);
        }
      }
    }
    if constexpr (std::is_same_v<C, Mse>) {
      if (!whole_.empty()) {
        const WholeReader<weighted> reader(whole_, reader_.weight);
        constexpr size_t few_rows = 4 * RoughRows<weighted>::block;
        if (known.size() < few_rows) {
          return search(SortedRows<WholeReader<weighted>>{known, format_, reader},
                        [&] { return Mse::WholeSide(node.data(), whole_.unit()); });
        }
        return both_ways([&] { return Mse::RoughSide(node.data(), whole_.unit()); },
                         RoughRows<weighted>{known, format_, reader}, limits,
                         [&](auto& side) {
                           const RoughRows<weighted> without{missing, format_, reader};
                           for (size_t i = 0; i < missing.size(); ++i) without.move(i, side);
                           without.settle(missing.size(), side);
                           side.settled = 0;  // of the known rows
                         });
      }
    }
    return search(SortedRows<decltype(reader_)>{known, format_, reader_}, start);
  }

  Cut best_monotone_threshold(std::span<const double> node, std::span<const uint32_t> known,
                              std::span<const uint32_t> missing, double min_leaf,
                              const Monotone& rule, Scratch& scratch) const override {
    scratch.side.resize(2 * classes_ + 2);
    using Side = typename C::Side;
    const auto start = [&] {
      return MonotoneSide<Side>(Side(node.data(), width_, scratch.side.data()), node[1], rule);
    };
    using Rows = SortedRows<decltype(reader_)>;
    const auto search = [&](const auto& side) {
      return both_ways(side, Rows{known, format_, reader_},
                       {min_leaf, !missing.empty(), 0, scratch.control}, [&](auto& moved) {
                         const Rows without{missing, format_, reader_};
                         for (size_t i = 0; i < missing.size(); ++i) without.move(i, moved);
                       });
    };
    if constexpr (C::counts_classes && weighted) {
      if (!factor_.empty()) return search([&] { return counting_rows(start(), node); });
    }
    return search(start);
  }

  Cut best_bin(std::span<const double> node, std::span<const double> cells, const double* missing,
               double min_leaf, Scratch& scratch) const override {
    // No cut in the empty bins at the end: what is left on the right there is only rounding.
    size_t count = cells.size() / width_;
    while (count > 0 && is_empty(&cells[(count - 1) * width_])) --count;
    const OrderedCells bins{cells.data(), count, width_};
    scratch.side.resize(2 * classes_ + 2);
    const auto start = [&] { return typename C::Side(node.data(), width_, scratch.side.data()); };
    const auto search = [&](const auto& side) {
      return both_ways(side, bins, {min_leaf, missing != nullptr},
                       [&](auto& moved) { moved.move_cell(missing); });
    };
    if constexpr (C::counts_classes && weighted) {
      if (!factor_.empty()) return search([&] { return counting_rows(start(), node); });
    }
    return search(start);
  }

  LevelSplit best_levels(std::span<const double> node, std::span<const double> cells,
                         NominalSplit kind, double min_leaf, Scratch& scratch) const override {
    scratch.side.resize(2 * classes_ + 2);
    return best_level_split<C>(node, cells, width_, kind, {min_leaf, factor_}, scratch.side.data());
  }

  void add_to_cells(std::span<const uint32_t> slots, std::span<const uint32_t> codes,
                    double* cells) const override {
    if constexpr (std::is_same_v<C, Mse>) {
      if (!whole_.empty()) return add_whole(slots, codes, cells);
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      double* cell = cells + codes[i] * width_;
      const double weight = reader_.row_weight(slots[i]);
      if constexpr (C::counts_classes) {
        cell[reader_.value(slots[i])] += weight;
      } else {
        cell[0] += weight;
        cell[1] += weight * reader_.value(slots[i]);
      }
    }
  }

  bool is_squared_error() const override { return std::is_same_v<C, Mse>; }
  double improvement(double score, std::span<const double> node) const override {
    return C::improvement(score, node.data(), width_);
  }
  double rounding(double magnitude) const override {
    if constexpr (std::is_same_v<C, Mse>) {
      return sum_rounding * magnitude * sum_rounding * magnitude;
    }
    return difference_rounding * magnitude;
  }

 private:
  void add_whole(std::span<const uint32_t> slots, std::span<const uint32_t> codes,
                 double* cells) const {
    std::vector<Whole> sums;
    for (size_t i = 0; i < slots.size(); ++i) {
      const double weight = reader_.row_weight(slots[i]);
      if (codes[i] >= sums.size()) sums.resize(codes[i] + 1);
      cells[codes[i] * width_] += weight;
      sums[codes[i]] += whole_[slots[i]] * static_cast<int64_t>(weight);
    }
    for (size_t c = 0; c < sums.size(); ++c) cells[c * width_ + 1] += whole_.value(sums[c]);
  }

  template <class Side>
  RowCountSide<Side> counting_rows(Side side, std::span<const double> node) const {
    return {std::move(side), node.data(), factor_};
  }

  bool is_empty(const double* cell) const {
    if constexpr (C::counts_classes) {
      return std::all_of(cell, cell + width_, [](double weight) { return weight == 0; });
    } else {
      return cell[0] == 0;
    }
  }

  // First with the missing rows on the right, then on the left.
  template <class Start, class Items, class MoveMissing>
  static Cut both_ways(const Start& start, const Items& items, CutLimits limits,
                       const MoveMissing& move_missing) {
    Cut best;
    scan(start(), items, limits, false, best);
    if (limits.cut_at_end) {
      limits.cut_at_end = false;
      auto side = start();
      move_missing(side);
      scan(side, items, limits, true, best);
    }
    return best;
  }

  Reader<Label, weighted> reader_;
  EntryFormat format_;
  size_t classes_, width_;
  std::span<const double> factor_;  // Target::factor
  const WholeNumbers& whole_;       // Target::whole
};

template <class C, class Label>
std::unique_ptr<SplitSearch> make_search(const Target& target, std::span<const Label> label) {
  if (target.weight.empty()) {
    return std::make_unique<SearchFor<C, Label, false>>(target, label.data());
  }
  return std::make_unique<SearchFor<C, Label, true>>(target, label.data());
}

template <class C>
std::unique_ptr<SplitSearch> make_class_search(const Target& target) {
  return target.large_class.empty() ? make_search<C, uint8_t>(target, target.small_class)
                                    : make_search<C, uint32_t>(target, target.large_class);
}

std::unique_ptr<SplitSearch> make_gini(const Target& target) {
  return target.classes == 2 ? make_class_search<BinaryGini>(target)
                             : make_class_search<Gini>(target);
}
std::unique_ptr<SplitSearch> make_entropy(const Target& target) {
  return make_class_search<Entropy>(target);
}
std::unique_ptr<SplitSearch> make_chi_square(const Target& target) {
  return target.classes == 2 ? make_class_search<BinaryChiSquare>(target)
                             : make_class_search<ChiSquare>(target);
}
std::unique_ptr<SplitSearch> make_mse(const Target& target) {
  return make_search<Mse>(target, target.number);
}
std::unique_ptr<SplitSearch> make_misclassification(const Target& target) {
  return make_class_search<Misclassification>(target);
}
std::unique_ptr<SplitSearch> make_twoing(const Target& target) {
  return make_class_search<Twoing>(target);
}
std::unique_ptr<SplitSearch> make_poisson(const Target& target) {
  if (std::any_of(target.number.begin(), target.number.end(), [](double y) { return y < 0; })) {
    throw Error(ErrorKind::data, "criterion=poisson is for targets that are not negative", {},
                "use criterion=mse");
  }
  return make_search<Poisson>(target, target.number);
}

}  // namespace

Cut SplitSearch::best_monotone_threshold(std::span<const double>, std::span<const uint32_t>,
                                         std::span<const uint32_t>, double, const Monotone&,
                                         Scratch&) const {
  throw Error(ErrorKind::usage, "monotone is not for this criterion", {},
              "use another one, or leave monotone out");
}

std::span<const Criterion> criteria() {
  static const std::vector<Criterion> table = {
      {"gini", Task::classification, "Gini index", "Gini gain", "", make_gini},
      {"entropy", Task::classification, "entropy in bits (information gain)", "information gain",
       "bits", make_entropy},
      {"gain-ratio",
       Task::classification,
       "information gain, and among inputs its ratio to the split information (C4.5)",
       "information gain",
       "bits",
       make_entropy,
       {.by_ratio = true}},
      {"misclassification", Task::classification, "share of the rows outside the majority",
       "decrease of the error rate", "", make_misclassification},
      {"twoing",
       Task::classification,
       "separation of the classes into two groups",
       "twoing value",
       "",
       make_twoing,
       {.two_sides = true}},
      {"chi-square",
       Task::classification,
       "chi-square statistic of classes and sides",
       "chi-square per row",
       "",
       make_chi_square,
       {.two_sides = true}},
      {"mse", Task::regression, "squared error", "decrease of the variance", "", make_mse},
      {"mae",
       Task::regression,
       "absolute error",
       "decrease of the mean absolute error",
       "",
       make_mae,
       {.needs_rows = true}},
      {"poisson",
       Task::regression,
       "half the Poisson deviance of targets that are not negative",
       "decrease of half the Poisson deviance per row",
       "",
       make_poisson,
       {.from_zero = true}},
  };
  return table;
}

}  // namespace softwood::stats
