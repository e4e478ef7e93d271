#include "stages/grow/multivariate/projection.h"

#include <algorithm>

#include "data/sorted.h"

namespace softwood::grow {

ScoreCut best_cut(const NodeData& node, std::span<const double> scores, SortScratch& scratch) {
  auto& order = scratch.order;
  order.resize(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) order[i] = {scores[i], static_cast<uint32_t>(i)};
  std::sort(order.begin(), order.end());
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

ScoreCut given_cut(const NodeData& node, std::span<const double> scores, double cut,
                   SortScratch& scratch) {
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
