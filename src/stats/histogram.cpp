#include "stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/summary.h"
#include "softwood/error.h"

namespace softwood {

double fixed_point_unit(double total, bool whole) {
  int exponent = 0;
  std::frexp(total, &exponent);  // total < 2^exponent
  return whole && exponent <= 62 ? 1 : std::ldexp(1.0, exponent - 62);
}

double to_fixed_point(const std::vector<double>& values, std::vector<int64_t>& fixed) {
  double total = 0;
  bool whole = true;
  for (const double value : values) {
    total += std::abs(value);
    whole = whole && value == std::floor(value);
  }
  // Only a sum that is next to a power of two can get another unit by its rounding.
  const double error = total * static_cast<double>(values.size()) * 0x1p-53;
  double unit = fixed_point_unit(total, whole);
  if (fixed_point_unit(total - error, whole) != fixed_point_unit(total + error, whole)) {
    ExactSum exact;
    for (const double value : values) exact.add(std::abs(value));
    unit = fixed_point_unit(exact.value(), whole);
  }
  to_fixed_point(values, unit, fixed);
  return unit;
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
      offsets_(1, 0),
      slots_(end - begin),
      parts_(1, {0, end - begin}) {
  std::iota(slots_.begin(), slots_.end(), begin);
  for (const FeatureBins& feature : bins) offsets_.push_back(offsets_.back() + feature.bins + 1);
}

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
// lines.
template <class Code, bool weighted>
void count_rows(const BinnedShard& shard, std::span<const uint32_t> slots, int64_t* cells) {
  const FixedPoint& target = shard.target();
  const size_t features = shard.rows().features(), width = target.cell_width();
  const std::vector<uint32_t>& offsets = shard.offsets();
  std::vector<int64_t*> first(features);
  for (size_t f = 0; f < features; ++f) first[f] = cells + offsets[f] * width;
  for (const uint32_t slot : slots) {
    const Code* codes = shard.rows().codes<Code>(slot);
    const int64_t weight = weighted ? target.weight[slot] : 1;
    if (target.classes > 0) {
      const uint32_t k = target.klass[slot];
      for (size_t f = 0; f < features; ++f) first[f][codes[f] * width + k] += weight;
    } else {
      const int64_t amount = target.amount[slot];
      for (size_t f = 0; f < features; ++f) {
        int64_t* cell = first[f] + codes[f] * size_t{2};
        cell[0] += weight;
        cell[1] += amount;
      }
    }
  }
}

}  // namespace

void Histograms::add(BinnedShard& shard, const HistogramQuery& query, const Control& control) {
  shard.apply(query, control);
  if (std::any_of(query.nodes.begin(), query.nodes.end(),
                  [&](uint32_t node) { return !shard.has(node); })) {
    throw Error(ErrorKind::failure, "a node that no split of a shard has made");
  }
  const size_t cells = shard.offsets().back() * shard.target().cell_width();
  sums_.resize(cells * query.nodes.size());
  const bool weighted = !shard.target().weight.empty();
  const auto count = shard.rows().is_narrow()
                         ? (weighted ? count_rows<uint8_t, true> : count_rows<uint8_t, false>)
                         : (weighted ? count_rows<uint32_t, true> : count_rows<uint32_t, false>);
  for (size_t i = 0; i < query.nodes.size(); ++i) {
    const std::span<const uint32_t> slots = shard.slots_of(query.nodes[i]);
    each_block(slots.size(), control, [&](size_t begin, size_t end) {
      count(shard, slots.subspan(begin, end - begin), sums_.data() + i * cells);
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
}

DeviationQuery DeviationQuery::read(ByteReader& in) {
  DeviationQuery query;
  query.parent = in.vector<uint32_t>();
  query.is_leaf = in.vector<uint32_t>();
  query.mean = in.vector<double>();
  query.square_unit = in.value<double>();
  return query;
}

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
  sums_.resize(nodes);
  const FixedPoint& target = shard.target();
  for (uint32_t leaf = 0; leaf < query.parent.size(); ++leaf) {
    if (query.is_leaf[leaf] == 0) continue;
    until_ask.add(shard.slots_of(leaf).size(), control);
    for (const uint32_t slot : shard.slots_of(leaf)) {
      const double weight =
          target.weight.empty() ? 1 : static_cast<double>(target.weight[slot]) * target.weight_unit;
      if (!(weight > 0)) continue;
      const double value = static_cast<double>(target.amount[slot]) * target.amount_unit / weight;
      for (uint32_t node = leaf;; node = query.parent[node]) {
        const double deviation = value - query.mean[node];
        sums_[node] += std::llround(weight * deviation * deviation / query.square_unit);
        if (node == 0) break;
      }
    }
  }
}

void Deviations::merge(const Deviations& other) { add_sums(sums_, other.sums_); }

Deviations Deviations::read(ByteReader& in) {
  Deviations deviations;
  deviations.sums_ = in.vector<int64_t>();
  return deviations;
}

}  // namespace softwood
