#include "stages/grow/multivariate/projection.h"

#include <algorithm>
#include <limits>

#include "base/radix.h"
#include "base/sort.h"
#include "data/sorted.h"

namespace softwood::grow {
namespace {

// Items are the step of a score above the row's entry. Large nodes: two digits of 11 bits; others:
// three of 8 bits, whose tables are small.
constexpr unsigned entry_bits = 32, large_digit = 11, small_digit = 8;
constexpr size_t large_node = 1024, tiny_node = 64;

void sort_items(SortScratch& scratch, const Control& control) {
  auto& items = scratch.items;
  const auto ask = [&] { control.throw_if_interrupted(); };
  if (items.size() >= large_node) {
    radix_sort<large_digit>(items, scratch.other, entry_bits, 2, ask);
  } else if (items.size() >= tiny_node) {
    radix_sort<small_digit>(items, scratch.other, entry_bits, 3, [] {});
  } else {
    std::sort(items.begin(), items.end());
  }
}

}  // namespace

ScoreCut best_cut(const NodeSample& node, std::span<const double> scores, SortScratch& scratch) {
  auto& order = scratch.order;
  order.resize(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) order[i] = {scores[i], static_cast<uint32_t>(i)};
  sort_unless_stopped(order.begin(), order.end(), std::less<>(), node.control);
  auto& entries = scratch.entries;
  entries.resize(order.size());
  const EntryFormat format = node.target.entry_format();
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i == 0 || order[i].first > order[i - 1].first;
    entries[i] =
        node.target.entry(format, node.slots[order[i].second]) | (is_new ? new_value_mark : 0);
  }
  const Cut cut =
      node.search.best_threshold(node.cell, entries, {}, node.min_leaf, 0, scratch.search);
  if (!(cut.score > 0)) return {};
  return {cut.score, middle(order[cut.position - 1].first, order[cut.position].first)};
}

ScoreCut quick_cut(const NodeSample& node, std::span<const double> scores, SortScratch& scratch) {
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  const double range = *high - *low;
  if (!(range > 0) || !(range < std::numeric_limits<double>::infinity())) return {};
  const unsigned bits = scores.size() >= large_node ? 2 * large_digit : 3 * small_digit;
  const double first = *low, steps = static_cast<double>((uint64_t{1} << bits) - 1);
  const double factor = steps / range;
  auto& items = scratch.items;
  items.resize(scores.size());
  const EntryFormat format = node.target.entry_format();
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto step = static_cast<uint64_t>(static_cast<int64_t>((scores[i] - first) * factor));
    items[i] = step << entry_bits | node.target.entry(format, node.slots[i]);
  }
  sort_items(scratch, node.control);
  auto& entries = scratch.entries;
  entries.resize(items.size());
  uint64_t before = ~uint64_t{0};
  for (size_t i = 0; i < items.size(); ++i) {
    const uint64_t step = items[i] >> entry_bits;
    entries[i] = static_cast<uint32_t>(items[i]) | (step != before ? new_value_mark : 0);
    before = step;
  }
  const Cut cut =
      node.search.best_threshold(node.cell, entries, {}, node.min_leaf, 0, scratch.search);
  if (!(cut.score > 0)) return {};
  // Halfway between the end of the last step on the left and the first on the right.
  const auto end = static_cast<double>((items[cut.position - 1] >> entry_bits) + 1);
  const auto begin = static_cast<double>(items[cut.position] >> entry_bits);
  return {cut.score, first + 0.5 * (end + begin) / factor};
}

ScoreCut given_cut(const NodeSample& node, std::span<const double> scores, double cut,
                   SortScratch& scratch) {
  if (scores.size() >= large_node) node.control.throw_if_interrupted();
  // Two groups of equal values: one place to cut.
  auto& entries = scratch.entries;
  entries.clear();
  const EntryFormat format = node.target.entry_format();
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] <= cut) entries.push_back(node.target.entry(format, node.slots[i]));
  }
  const size_t left = entries.size();
  if (left == 0 || left == scores.size()) return {};
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!(scores[i] <= cut)) entries.push_back(node.target.entry(format, node.slots[i]));
  }
  entries[0] |= new_value_mark;
  entries[left] |= new_value_mark;
  const double score =
      node.search.best_threshold(node.cell, entries, {}, node.min_leaf, 0, scratch.search).score;
  return {score, cut};
}

}  // namespace softwood::grow
