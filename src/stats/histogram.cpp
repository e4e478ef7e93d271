#include "stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/summary.h"
#include "softwood/error.h"

namespace softwood {

namespace {

bool is_whole(double number) { return number == std::floor(number); }

}  // namespace

double fixed_point_unit(double total, bool whole) {
  int exponent = 0;
  std::frexp(total, &exponent);  // total < 2^exponent
  return whole && exponent <= 62 ? 1 : std::ldexp(1.0, exponent - 62);
}

double fixed_unit(std::span<const double> values, std::span<const double> weights) {
  const auto weight = [&](size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double total = 0;
  bool whole = true;
  for (size_t i = 0; i < values.size(); ++i) {
    total += weight(i) * std::abs(values[i]);
    whole = whole && is_whole(values[i]) && is_whole(weight(i));
  }
  // Only a sum that is next to a power of two can get another unit by its rounding.
  const double error = total * (static_cast<double>(values.size()) + 2) * 0x1p-53;
  if (fixed_point_unit(total - error, whole) == fixed_point_unit(total + error, whole)) {
    return fixed_point_unit(total, whole);
  }
  ExactSum exact;
  for (size_t i = 0; i < values.size(); ++i) {
    const double product = weight(i) * std::abs(values[i]);
    exact.add(product);
    exact.add(std::fma(weight(i), std::abs(values[i]), -product));
  }
  return fixed_point_unit(exact.value(), whole);
}

double to_fixed_point(const std::vector<double>& values, std::vector<int64_t>& fixed) {
  const double unit = fixed_unit(values);
  to_fixed_point(values, unit, fixed);
  return unit;
}

double unit_of_weights(double total, bool whole) {
  const double unit = fixed_point_unit(total, whole);
  constexpr double most_copies = 4294967296.0;  // 2^32: amounts keep 30 digits
  if (unit != 1 || total <= most_copies) return unit;
  constexpr double large = 1152921504606846976.0;  // 2^60
  return total < large ? 0.5 : 2;
}

void set_amounts(FixedPoint& fixed, std::span<const double> values,
                 std::span<const double> weights) {
  fixed.amount.resize(values.size());
  const bool copies = fixed.weight_unit == 1;
  for (size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    fixed.amount[i] =
        copies ? std::llround(values[i] / fixed.amount_unit) * static_cast<int64_t>(weight)
               : std::llround(values[i] * weight / fixed.amount_unit);
  }
}

void to_fixed_point(const std::vector<double>& values, double unit, std::vector<int64_t>& fixed) {
  fixed.resize(values.size());
  std::transform(values.begin(), values.end(), fixed.begin(),
                 [&](double value) { return std::llround(value / unit); });
}

void HistogramQuery::write(ByteWriter& out) const {
  out.vector(splits);
  out.vector(child_of_code);
  out.vector(nodes);
}

HistogramQuery HistogramQuery::read(ByteReader& in) {
  HistogramQuery query;
  query.splits = in.vector<BinnedSplit>();
  query.child_of_code = in.vector<uint32_t>();
  query.nodes = in.vector<uint32_t>();
  return query;
}

BinnedShard::BinnedShard(const BinnedRows& rows, const std::vector<FeatureBins>& bins,
                         const FixedPoint& target, uint32_t begin, uint32_t end)
    : rows_(rows),
      target_(target),
      offsets_(cell_offsets(bins)),
      slots_(end - begin),
      parts_(1, {0, end - begin}) {
  std::iota(slots_.begin(), slots_.end(), begin);
}

BinnedShard::BinnedShard(const BinnedRows& rows, const std::vector<FeatureBins>& bins,
                         const FixedPoint& target, std::vector<uint32_t> slots)
    : rows_(rows),
      target_(target),
      offsets_(cell_offsets(bins)),
      slots_(std::move(slots)),
      parts_(1, {0, static_cast<uint32_t>(slots_.size())}) {}

std::span<const uint32_t> BinnedShard::slots_of(uint32_t node) const {
  return {slots_.data() + parts_[node].begin, parts_[node].end - parts_[node].begin};
}

void BinnedShard::check(const BinnedSplit& split, const HistogramQuery& query) const {
  const auto fits = [&] {
    if (split.node >= parts_.size() || split.feature >= rows_.features()) return false;
    const size_t codes = offsets_[split.feature + 1] - offsets_[split.feature];
    const size_t known = query.child_of_code.size();
    if (split.codes_begin > known || codes > known - split.codes_begin) return false;
    const auto begin = query.child_of_code.begin() + split.codes_begin;
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(codes),
                       [&](uint32_t child) { return child < split.children; });
  };
  if (!fits()) throw Error(ErrorKind::failure, "a split that does not fit the rows of a shard");
}

void BinnedShard::apply(const HistogramQuery& query, const Control& control) {
  RowsUntilAsk until_ask;
  for (const BinnedSplit& split : query.splits) {
    check(split, query);
    const Part part = parts_[split.node];
    until_ask.add(part.end - part.begin, control);
    const uint32_t* child_of_code = &query.child_of_code[split.codes_begin];
    std::vector<uint32_t> next(split.children + 1, 0);
    const auto child = [&](uint32_t slot) {
      return child_of_code[rows_.code(slot, split.feature)];
    };
    for (uint32_t i = part.begin; i < part.end; ++i) ++next[child(slots_[i]) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    if (parts_.size() < split.first_child + split.children) {
      parts_.resize(split.first_child + split.children);
    }
    for (uint32_t c = 0; c < split.children; ++c) {
      parts_[split.first_child + c] = {part.begin + next[c], part.begin + next[c + 1]};
    }
    buffer_.resize(std::max<size_t>(buffer_.size(), part.end - part.begin));
    for (uint32_t i = part.begin; i < part.end; ++i) buffer_[next[child(slots_[i])]++] = slots_[i];
    std::copy_n(buffer_.begin(), part.end - part.begin, slots_.begin() + part.begin);
  }
}

namespace {

// One pass over the rows of a node, all features of a row together: a row's codes share cache
// lines. Rows of a deep node are far from each other, so they are asked of the memory in advance.
template <class Code, class AddRow>
void each_row(const BinnedRows& rows, std::span<const uint32_t> slots, const AddRow& add_row) {
  constexpr size_t ahead = 16;
  const size_t near_end = slots.size() > ahead ? slots.size() - ahead : 0;
  const auto in_advance = [&](uint32_t slot) {
    constexpr size_t line = 64;
    const auto* const first = reinterpret_cast<const char*>(rows.codes<Code>(slot));
    for (size_t at = 0; at < rows.features() * sizeof(Code); at += line) {
      __builtin_prefetch(first + at);
    }
    __builtin_prefetch(first + rows.features() * sizeof(Code) - 1);
  };
  for (size_t i = 0; i < near_end; ++i) {
    in_advance(slots[i + ahead]);
    add_row(rows.codes<Code>(slots[i]), slots[i]);
  }
  for (size_t i = near_end; i < slots.size(); ++i) add_row(rows.codes<Code>(slots[i]), slots[i]);
}

template <class Code, bool weighted>
void count_rows_of(const BinnedRows& rows, const FixedPoint& target,
                   std::span<const uint32_t> offsets, std::span<const uint32_t> slots,
                   int64_t* cells) {
  const size_t features = rows.features(), width = target.cell_width();
  const auto weight_of = [&](uint32_t slot) { return weighted ? target.weight[slot] : int64_t{1}; };
  std::vector<int64_t*> first(features);
  for (size_t f = 0; f < features; ++f) first[f] = cells + offsets[f] * width;
  if (target.classes > 0) {
    return each_row<Code>(rows, slots, [&](const Code* codes, uint32_t slot) {
      const uint32_t k = target.klass[slot];
      const int64_t weight = weight_of(slot);
      for (size_t f = 0; f < features; ++f) first[f][codes[f] * width + k] += weight;
    });
  }
  each_row<Code>(rows, slots, [&](const Code* codes, uint32_t slot) {
    const int64_t weight = weight_of(slot), amount = target.amount[slot];
    for (size_t f = 0; f < features; ++f) {
      int64_t* cell = first[f] + codes[f] * size_t{2};
      cell[0] += weight;
      cell[1] += amount;
    }
  });
}

}  // namespace

std::vector<uint32_t> cell_offsets(const std::vector<FeatureBins>& bins) {
  std::vector<uint32_t> offsets = {0};
  for (const FeatureBins& feature : bins) offsets.push_back(offsets.back() + feature.bins + 1);
  return offsets;
}

void count_rows(const BinnedRows& rows, const FixedPoint& target, std::span<const uint32_t> offsets,
                std::span<const uint32_t> slots, int64_t* cells) {
  const bool weighted = !target.weight.empty();
  const auto count =
      rows.is_narrow()
          ? (weighted ? count_rows_of<uint8_t, true> : count_rows_of<uint8_t, false>)
          : (weighted ? count_rows_of<uint32_t, true> : count_rows_of<uint32_t, false>);
  count(rows, target, offsets, slots, cells);
}

void Histograms::add(BinnedShard& shard, const HistogramQuery& query, const Control& control) {
  shard.apply(query, control);
  if (std::any_of(query.nodes.begin(), query.nodes.end(),
                  [&](uint32_t node) { return !shard.has(node); })) {
    throw Error(ErrorKind::failure, "a node that no split of a shard has made");
  }
  const size_t cells = shard.offsets().back() * shard.target().cell_width();
  sums_.resize(cells * query.nodes.size());
  for (size_t i = 0; i < query.nodes.size(); ++i) {
    const std::span<const uint32_t> slots = shard.slots_of(query.nodes[i]);
    each_block(slots.size(), control, [&](size_t begin, size_t end) {
      count_rows(shard.rows(), shard.target(), shard.offsets(), slots.subspan(begin, end - begin),
                 sums_.data() + i * cells);
    });
  }
}

namespace {

// Sums of parts whose rows are coded alike.
void add_sums(std::vector<int64_t>& sums, const std::vector<int64_t>& more) {
  if (sums.size() != more.size()) {
    throw Error(ErrorKind::failure, "sums of shards that do not belong together");
  }
  std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<>());
}

}  // namespace

void Histograms::merge(const Histograms& other) { add_sums(sums_, other.sums_); }

Histograms Histograms::read(ByteReader& in) {
  Histograms histograms;
  histograms.sums_ = in.vector<int64_t>();
  return histograms;
}

void DeviationQuery::write(ByteWriter& out) const {
  out.vector(parent);
  out.vector(is_leaf);
  out.vector(mean);
  out.value(square_unit);
  out.value(fine_below);
}

DeviationQuery DeviationQuery::read(ByteReader& in) {
  DeviationQuery query;
  query.parent = in.vector<uint32_t>();
  query.is_leaf = in.vector<uint32_t>();
  query.mean = in.vector<double>();
  query.square_unit = in.value<double>();
  query.fine_below = in.value<double>();
  return query;
}

namespace {

// The nearest whole number of one that is not negative, as llround has it.
int64_t rounded(double number) {
  const auto below = static_cast<int64_t>(number);
  return below + (number - static_cast<double>(below) >= 0.5 ? 1 : 0);
}

// The target of a row, with what it weighs: so many copies of a weight.
struct WeighedValue {
  double value, weight;
  int64_t copies;
};

void values_of(const FixedPoint& target, std::span<const uint32_t> slots,
               std::vector<WeighedValue>& values) {
  values.clear();
  for (const uint32_t slot : slots) {
    const int64_t number = target.weight.empty() ? 1 : target.weight[slot];
    if (number <= 0) continue;
    const int64_t copies = target.weight_unit == 1 ? number : 1;
    const double weight = static_cast<double>(number / copies) * target.weight_unit;
    const double value =
        static_cast<double>(target.amount[slot] / copies) * target.amount_unit / weight;
    values.push_back({value, weight, copies});
  }
}

void add_deviations(double mean, std::span<const WeighedValue> values, const DeviationQuery& query,
                    int64_t* sums) {
  const double fine_unit = query.square_unit / DeviationQuery::fine_units;
  for (const WeighedValue& row : values) {
    const double deviation = row.value - mean, square = deviation * deviation;
    const bool fine = square < query.fine_below;
    sums[fine ? 1 : 0] +=
        row.copies * rounded(row.weight * square / (fine ? fine_unit : query.square_unit));
  }
}

}  // namespace

void Deviations::add(BinnedShard& shard, const DeviationQuery& query, const Control& control) {
  RowsUntilAsk until_ask;
  const size_t nodes = query.parent.size();
  bool fits = query.is_leaf.size() == nodes && query.mean.size() == nodes;
  for (uint32_t node = 0; fits && node < nodes; ++node) {
    // Parents come before their children; the root is its own.
    fits =
        (node == 0 || query.parent[node] < node) && (query.is_leaf[node] == 0 || shard.has(node));
  }
  if (!fits) throw Error(ErrorKind::failure, "a tree that does not fit the splits of a shard");
  sums_.resize(2 * nodes);
  for (uint32_t leaf = 0; leaf < query.parent.size(); ++leaf) {
    if (query.is_leaf[leaf] == 0) continue;
    const std::span<const uint32_t> slots = shard.slots_of(leaf);
    until_ask.add(slots.size(), control);
    add(shard.target(), leaf, slots, query);
  }
}

void Deviations::add(const FixedPoint& target, uint32_t leaf, std::span<const uint32_t> slots,
                     const DeviationQuery& query) {
  sums_.resize(2 * query.parent.size());
  std::vector<WeighedValue> values;
  while (!slots.empty()) {
    constexpr size_t together = 4096;  // stay in the cache while all nodes above see them
    const std::span<const uint32_t> own = slots.first(std::min(together, slots.size()));
    slots = slots.subspan(own.size());
    values_of(target, own, values);
    for (uint32_t node = leaf;; node = query.parent[node]) {
      add_deviations(query.mean[node], values, query, &sums_[2 * size_t{node}]);
      if (node == 0) break;
    }
  }
}

void Deviations::merge(const Deviations& other) { add_sums(sums_, other.sums_); }

Deviations Deviations::read(ByteReader& in) {
  Deviations deviations;
  deviations.sums_ = in.wholes();
  return deviations;
}

}  // namespace softwood
