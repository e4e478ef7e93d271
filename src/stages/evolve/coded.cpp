#include "stages/evolve/coded.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "base/sort.h"
#include "stats/histogram.h"

namespace softwood::evolve {
namespace {

// Weights of up to this many bits are counted by planes of bits.
constexpr size_t most_planes = 12;

// Codes of all given rows, input after input.
std::vector<std::vector<uint32_t>> codes_of(const Table& table, std::span<const RowIndex> rows,
                                            const std::vector<Axis>& axes, const Parallel& parallel,
                                            const Control& control) {
  std::vector<std::vector<uint32_t>> codes(axes.size(), std::vector<uint32_t>(rows.size()));
  const Blocks blocks{rows.size(), 65536};
  parallel.each(axes.size() * blocks.blocks(), [&](size_t task) {
    control.throw_if_interrupted();
    const size_t f = task / blocks.blocks(), b = task % blocks.blocks();
    const Column& column = table.input(f);
    const Axis& axis = axes[f];
    for (size_t i = blocks.begin(b); i < blocks.end(b); ++i) {
      const double value = column.value(rows[i]);
      if (std::isnan(value)) {
        codes[f][i] = axis.values;
      } else if (axis.nominal) {
        codes[f][i] = static_cast<uint32_t>(value);
      } else {
        const auto at = std::lower_bound(axis.cuts.begin(), axis.cuts.end(), value);
        codes[f][i] = static_cast<uint32_t>(at - axis.cuts.begin());
      }
    }
  });
  return codes;
}

// Which rows are equal: the number of its group for each row, groups numbered as first seen, and
// the first row and the hash of each.
struct Groups {
  std::vector<uint32_t> of_row, first;
  std::vector<uint64_t> hash;
};

template <class Equal>
Groups group_rows(const std::vector<uint64_t>& hashes, const Equal& equal, const Control& control) {
  RowsUntilAsk until_ask;
  Groups groups;
  groups.of_row.resize(hashes.size());
  size_t slots = std::bit_ceil(std::max<size_t>(1024, hashes.size() / 8));
  constexpr uint32_t none = ~0U;
  std::vector<uint32_t> table(slots, none);
  const auto place = [&](uint64_t hash) { return hash & (slots - 1); };
  for (size_t i = 0; i < hashes.size(); ++i) {
    until_ask.add(1, control);
    size_t at = place(hashes[i]);
    while (table[at] != none &&
           !(groups.hash[table[at]] == hashes[i] && equal(groups.first[table[at]], i))) {
      at = (at + 1) & (slots - 1);
    }
    if (table[at] == none) {
      table[at] = static_cast<uint32_t>(groups.first.size());
      groups.first.push_back(static_cast<uint32_t>(i));
      groups.hash.push_back(hashes[i]);
    }
    groups.of_row[i] = table[at];
    if (groups.first.size() * 2 > slots) {
      slots *= 4;
      table.assign(slots, none);
      for (uint32_t g = 0; g < groups.first.size(); ++g) {
        at = place(groups.hash[g]);
        while (table[at] != none) at = (at + 1) & (slots - 1);
        table[at] = g;
      }
    }
  }
  return groups;
}

// Groups in an order that depends on what they are and not on the order of the rows: by hash, and
// where two are alike (which hardly happens) by codes.
template <class Less>
std::vector<uint32_t> canonical_order(const Groups& groups, const Less& less,
                                      const Control& control) {
  std::vector<uint32_t> order(groups.first.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto is_before = [&](uint32_t a, uint32_t b) {
    if (groups.hash[a] != groups.hash[b]) return groups.hash[a] < groups.hash[b];
    return less(groups.first[a], groups.first[b]);
  };
  sort_unless_stopped(order.begin(), order.end(), is_before, control);
  return order;
}

}  // namespace

CodedRows::CodedRows(const Table& table, std::span<const RowIndex> rows, const Cuts& cuts,
                     bool merge, const Parallel& parallel, const Control& control, size_t set_words)
    : classes_(table.schema().classes()), axes_(table.features()) {
  for (size_t f = 0; f < axes_.size(); ++f) {
    Axis& axis = axes_[f];
    axis.nominal = table.input(f).kind == Kind::nominal;
    axis.cuts = cuts[f];
    axis.values = static_cast<uint32_t>(axis.nominal ? table.schema().features[f].levels.size()
                                                     : axis.cuts.size() + 1);
  }
  std::vector<std::vector<uint32_t>> codes = codes_of(table, rows, axes_, parallel, control);
  for (size_t f = 0; f < axes_.size(); ++f) axes_[f].codes = std::move(codes[f]);
  merge_rows(table, rows, merge, control);
  make_sets(parallel, control, set_words);
}

CodedRows::CodedRows(const MergedRows& merged, const Schema& schema, const Parallel& parallel,
                     const Control& control)
    : rows_(merged.rows()),
      words_(words_for(merged.rows())),
      classes_(schema.classes()),
      axes_(schema.features.size()),
      klass_(merged.target.klass),
      weight_(merged.target.weight),
      amount_(merged.target.amount),
      square_(merged.square),
      weight_unit_(merged.target.weight_unit),
      amount_unit_(merged.target.amount_unit),
      square_unit_(merged.square_unit) {
  for (size_t f = 0; f < axes_.size(); ++f) {
    const FeatureBins& bins = merged.coding.bins[f];
    Axis& axis = axes_[f];
    axis.nominal = schema.features[f].kind == Kind::nominal;
    axis.cuts = bins.cuts;
    axis.values = static_cast<uint32_t>(axis.nominal ? bins.bins : bins.cuts.size() + 1);
    axis.codes.resize(rows_);
    for (size_t row = 0; row < rows_; ++row) {
      const uint32_t code = merged.codes.code(row, f);
      axis.codes[row] = code == bins.bins ? axis.values : code;
    }
  }
  note_weights();
  make_sets(parallel, control, usual_set_words);
}

CodedRows::Fixed CodedRows::fixed_targets(const Table& table, std::span<const RowIndex> rows) {
  Fixed fixed;
  std::vector<double> weights(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) weights[i] = table.weight(rows[i]);
  weight_unit_ = to_fixed_point(weights, fixed.weight);
  for (size_t i = 0; i < rows.size(); ++i) {  // none is rounded away
    if (weights[i] > 0) fixed.weight[i] = std::max<int64_t>(1, fixed.weight[i]);
  }
  if (classes_ > 0) return fixed;
  const Cells<double>& y = table.target().numbers;
  double sum = 0, all = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    sum += weights[i] * y[rows[i]];
    all += weights[i];
  }
  std::vector<double> amounts(rows.size()), squares(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const double from_centre = y[rows[i]] - sum / all;
    amounts[i] = weights[i] * from_centre;
    squares[i] = amounts[i] * from_centre;
  }
  amount_unit_ = to_fixed_point(amounts, fixed.amount);
  square_unit_ = to_fixed_point(squares, fixed.square);
  return fixed;
}

void CodedRows::merge_rows(const Table& table, std::span<const RowIndex> rows, bool merge,
                           const Control& control) {
  const auto klass = [&](size_t i) {
    return classes_ == 0 ? 0U : static_cast<uint32_t>(table.target().codes[rows[i]]);
  };
  Groups groups;
  std::vector<uint32_t> order;
  if (merge) {
    std::vector<uint64_t> hashes(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) hashes[i] = mix64(klass(i));
    for (const Axis& axis : axes_) {
      control.throw_if_interrupted();
      for (size_t i = 0; i < rows.size(); ++i) hashes[i] = mix64(hashes[i] ^ axis.codes[i]);
    }
    const auto equal = [&](size_t a, size_t b) {
      return klass(a) == klass(b) && std::all_of(axes_.begin(), axes_.end(), [&](const Axis& axis) {
               return axis.codes[a] == axis.codes[b];
             });
    };
    groups = group_rows(hashes, equal, control);
    const auto less = [&](size_t a, size_t b) {
      if (klass(a) != klass(b)) return klass(a) < klass(b);
      for (const Axis& axis : axes_) {
        if (axis.codes[a] != axis.codes[b]) return axis.codes[a] < axis.codes[b];
      }
      return false;
    };
    order = canonical_order(groups, less, control);
  } else {
    groups.of_row.resize(rows.size());
    std::iota(groups.of_row.begin(), groups.of_row.end(), 0U);
    groups.first = order = groups.of_row;
  }
  std::vector<uint32_t> place(order.size());  // of a group, among the merged rows
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (uint32_t& group : groups.of_row) group = place[group];
  for (const uint32_t group : order) {
    klass_.push_back(klass(groups.first[group]));
    table_row_.push_back(rows[groups.first[group]]);
  }
  for (Axis& axis : axes_) {
    control.throw_if_interrupted();
    std::vector<uint32_t> kept;
    kept.reserve(order.size());
    for (const uint32_t group : order) kept.push_back(axis.codes[groups.first[group]]);
    axis.codes = std::move(kept);
  }
  rows_ = order.size();
  words_ = words_for(rows_);
  add_targets(fixed_targets(table, rows), groups.of_row);
}

void CodedRows::add_targets(const Fixed& fixed, std::span<const uint32_t> merged_row) {
  weight_.assign(rows_, 0);
  for (size_t i = 0; i < merged_row.size(); ++i) weight_[merged_row[i]] += fixed.weight[i];
  note_weights();
  if (classes_ > 0) return;
  amount_.assign(rows_, 0);
  square_.assign(rows_, 0);
  for (size_t i = 0; i < merged_row.size(); ++i) {
    amount_[merged_row[i]] += fixed.amount[i];
    square_[merged_row[i]] += fixed.square[i];
  }
}

void CodedRows::note_weights() {
  total_weight_ = static_cast<double>(std::accumulate(weight_.begin(), weight_.end(), int64_t{0})) *
                  weight_unit_;
  if (rows_ > 0) {
    const auto [least, most] = std::minmax_element(weight_.begin(), weight_.end());
    alike_ = *least == *most;
    most_weight_ = static_cast<double>(*most) * weight_unit_;
  }
  // A pass over all words for those that weigh more, and a look at each, still takes less time than
  // to count by more sets.
  constexpr size_t few_in_word = 8;
  heavy_.assign(words_, 0);
  size_t heavy = 0;
  for (size_t row = 0; row < rows_; ++row) {
    if (weight_[row] == 1) continue;
    set_bit(heavy_.data(), row);
    ++heavy;
  }
  mostly_ones_ = heavy <= few_in_word * words_;
}

void CodedRows::make_sets(const Parallel& parallel, const Control& control, size_t set_words) {
  all_.assign(words_, 0);
  for (size_t row = 0; row < rows_; ++row) set_bit(all_.data(), row);
  const size_t axes = std::max<size_t>(1, axes_.size());
  const size_t most = std::max<size_t>(1, set_words / (axes * std::max<size_t>(1, words_)));
  parallel.each(axes_.size(), [&](size_t f) {
    control.throw_if_interrupted();
    make_axis_sets(axes_[f], most);
  });
  if (classes_ > 0) make_class_sets();
}

void CodedRows::make_axis_sets(Axis& axis, size_t most_sets) const {
  // Rows by code: a counting sort.
  std::vector<uint32_t> begin(axis.values + 2, 0);
  for (const uint32_t code : axis.codes) ++begin[code + 1];
  axis.any_missing = begin[axis.values + 1] > 0;
  for (size_t c = 0; c + 1 < begin.size(); ++c) begin[c + 1] += begin[c];
  axis.up_to.assign(begin.begin() + 1, begin.end() - 1);
  if (axis.any_missing) axis.missing.assign(words_, 0);
  axis.listed = axis.nominal && axis.values > most_sets;
  const bool has_level_sets = axis.nominal && !axis.listed;
  if (has_level_sets) axis.sets.assign(axis.values * words_, 0);
  axis.order.resize(has_level_sets || axis.up_to.empty() ? 0 : axis.up_to.back());
  for (size_t row = 0; row < rows_; ++row) {
    const uint32_t code = axis.codes[row];
    if (code == axis.values) {
      set_bit(axis.missing.data(), row);
    } else if (has_level_sets) {
      set_bit(&axis.sets[code * words_], row);
    } else {
      axis.order[begin[code]++] = static_cast<uint32_t>(row);
    }
  }
  if (axis.nominal) return;
  axis.step = static_cast<uint32_t>((axis.cuts.size() + most_sets - 1) / most_sets);
  if (axis.step < 1) axis.step = 1;
  const size_t sets = (axis.cuts.size() + axis.step - 1) / axis.step;
  axis.sets.assign(sets * words_, 0);
  size_t done = 0;
  for (size_t s = 0; s < sets; ++s) {
    Word* const set = &axis.sets[s * words_];
    if (s > 0) std::copy_n(set - words_, words_, set);
    for (; done < axis.up_to[s * axis.step]; ++done) set_bit(set, axis.order[done]);
  }
}

void CodedRows::make_class_sets() {
  class_sets_.assign(classes_ * words_, 0);
  for (size_t row = 0; row < rows_; ++row) set_bit(&class_sets_[klass_[row] * words_], row);
  const int64_t most = weight_.empty() ? 1 : *std::max_element(weight_.begin(), weight_.end());
  const auto bits = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(most)));
  planes_ = mostly_ones_ || bits > most_planes ? 0 : bits;
  plane_sets_.assign(planes_ * words_, 0);
  for (size_t row = 0; planes_ > 0 && row < rows_; ++row) {
    for (size_t p = 0; p < planes_; ++p) {
      if (((weight_[row] >> p) & 1) != 0) set_bit(&plane_sets_[p * words_], row);
    }
  }
}

const Word* CodedRows::first_side(const Axis& axis, uint32_t cut, bool missing_first,
                                  Word* scratch) const {
  const uint32_t over = cut % axis.step;
  uint32_t set = cut / axis.step;
  const bool nearer_above =
      over * 2 > axis.step && (static_cast<size_t>(set) + 1) * words_ < axis.sets.size();
  if (nearer_above) ++set;
  const Word* const stored = &axis.sets[set * words_];
  const bool adds_missing = missing_first && axis.any_missing;
  if (over == 0 && !adds_missing) return stored;
  std::copy_n(stored, words_, scratch);
  const uint32_t from = axis.up_to[set * axis.step], to = axis.up_to[cut];
  for (uint32_t i = from; i < to; ++i) set_bit(scratch, axis.order[i]);
  for (uint32_t i = to; i < from; ++i) clear_bit(scratch, axis.order[i]);
  if (adds_missing) unite(scratch, axis.missing.data(), scratch, words_);
  return scratch;
}

const Word* CodedRows::level(const Axis& axis, uint32_t level, Word* scratch) const {
  if (!axis.listed) return &axis.sets[level * words_];
  std::fill_n(scratch, words_, Word{0});
  const uint32_t from = level == 0 ? 0 : axis.up_to[level - 1];
  for (uint32_t i = from; i < axis.up_to[level]; ++i) set_bit(scratch, axis.order[i]);
  return scratch;
}

void CodedRows::sums(const Word* set, size_t count, double* out) const {
  if (classes_ > 0) {
    class_sums(set, count, out);
  } else {
    target_sums([&](const auto& body) { each_bit(set, words_, body); }, out);
  }
}

void CodedRows::level_sums(const Axis& axis, uint32_t level, const Word* set, double* out) const {
  const auto each_row = [&](const auto& body) {
    const uint32_t from = level == 0 ? 0 : axis.up_to[level - 1];
    for (uint32_t i = from; i < axis.up_to[level]; ++i) {  // ascending, as bits are
      if (has_bit(set, axis.order[i])) body(axis.order[i]);
    }
  };
  if (classes_ == 0) return target_sums(each_row, out);
  std::fill(out, out + classes_, 0.0);
  each_row([&](size_t row) { out[klass_[row]] += static_cast<double>(weight_[row]); });
  for (size_t k = 0; k < classes_; ++k) out[k] *= weight_unit_;
}

void CodedRows::class_sums(const Word* set, size_t count, double* out) const {
  // Passes over all words, or a look at every row of the set: whichever is less.
  const size_t passes = mostly_ones_ ? classes_ : classes_ * planes_;
  constexpr size_t row_cost = 6;  // of words in a pass
  const bool by_passes =
      (mostly_ones_ || planes_ > 0) && passes * words_ < words_ + row_cost * count;
  if (by_passes && mostly_ones_) {
    size_t rest = count;
    for (size_t k = 1; k < classes_; ++k) {
      const size_t here = count_common(set, &class_sets_[k * words_], words_);
      out[k] = static_cast<double>(here);
      rest -= here;
    }
    out[0] = static_cast<double>(rest);
    each_heavy(set, [&](size_t row) { out[klass_[row]] += static_cast<double>(weight_[row] - 1); });
    for (size_t k = 0; k < classes_; ++k) out[k] *= weight_unit_;
    return;
  }
  std::fill(out, out + classes_, 0.0);
  if (by_passes) {
    for (size_t k = 0; k < classes_; ++k) {
      uint64_t sum = 0;
      for (size_t p = 0; p < planes_; ++p) {
        sum += static_cast<uint64_t>(
                   count_common(set, &class_sets_[k * words_], &plane_sets_[p * words_], words_))
               << p;
      }
      out[k] = static_cast<double>(sum) * weight_unit_;
    }
    return;
  }
  // Whole numbers below 2^53 are exact in doubles; larger ones are rounded in ascending row order,
  // which is the same for the same set.
  each_bit(set, words_, [&](size_t row) { out[klass_[row]] += static_cast<double>(weight_[row]); });
  for (size_t k = 0; k < classes_; ++k) out[k] *= weight_unit_;
}

template <class EachRow>
void CodedRows::target_sums(const EachRow& each_row, double* out) const {
  int64_t weight = 0, amount = 0, square = 0;
  each_row([&](size_t row) {
    weight += weight_[row];
    amount += amount_[row];
    square += square_[row];
  });
  out[0] = static_cast<double>(weight) * weight_unit_;
  out[1] = static_cast<double>(amount) * amount_unit_;
  out[2] = static_cast<double>(square) * square_unit_;
}

}  // namespace softwood::evolve
