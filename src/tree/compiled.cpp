#include "tree/compiled.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softwood {

namespace {

// FastNode::feature_and_marks: the feature, and whether a missing value goes to child 1.
constexpr uint32_t missing_right = 0x80000000U;
constexpr uint32_t feature_mask = 0x7FFFFFFFU;

}  // namespace

Compiled::Compiled(const Tree& tree) : tree_(tree) {
  // Depths are known in one pass because children come after their parents.
  std::vector<uint32_t> depth(tree.size(), 0);
  levels_.sure = std::numeric_limits<uint32_t>::max();
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Node& node = tree.node(i);
    if (node.is_leaf()) {
      levels_.sure = std::min(levels_.sure, depth[i]);
      levels_.all = std::max(levels_.all, depth[i]);
      continue;
    }
    for (uint32_t c = 0; c < tree.children(i); ++c) depth[node.first_child + c] = depth[i] + 1;
    const Missing& missing = node.missing();
    single_path_ = single_path_ && is_hard(node.gate()) && missing.rule != MissingRule::shares &&
                   std::all_of(missing.surrogates.begin(), missing.surrogates.end(),
                               [](const Surrogate& other) { return is_hard(other.gate); });
    all_thresholds_ = all_thresholds_ && as_threshold(node.gate()) &&
                      (missing.rule == MissingRule::child || missing.rule == MissingRule::shares) &&
                      missing.surrogates.empty();
  }
  if (all_thresholds_) flatten();
}

void Compiled::flatten() {
  fast_.resize(tree_.size());
  std::vector<uint32_t> used;
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    const Node& node = tree_.node(i);
    if (node.is_leaf()) {
      // No value is larger than infinity, so a row that is here stays here.
      fast_[i] = {std::numeric_limits<double>::infinity(), i, 0};
      continue;
    }
    const Threshold threshold = *as_threshold(node.gate());
    used.push_back(threshold.feature);
    fast_[i] = {threshold.cut, node.first_child,
                threshold.feature | (node.missing().child == 1 ? missing_right : 0)};
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  used_ = std::move(used);
  // Leaves read some column too; it must be one that has numbers.
  const uint32_t any = used_.empty() ? 0 : used_[0];
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (tree_.node(i).is_leaf()) fast_[i].feature_and_marks = any;
  }
}

namespace {

// Rows whose descents are interleaved: enough to hide the latency of a load, few enough that their
// places stay in registers and the first cache. (8 and 32 are slower by a sixth.)
constexpr size_t group = 16;
// Cells are asked for this many rows before they are needed. The processor can't guess that by
// itself: which columns a row reads is known only on the way down.
constexpr size_t rows_ahead = 64;
// Rows whose cells are copied together when a column has no doubles to point to.
constexpr size_t copied_rows = 512;

// One way down for many rows. `columns` are indexed by feature; `used` are those that have cells.
template <class Node, class Levels>
struct FastDescent {
  const Node* nodes;
  const double* const* columns;
  std::span<const uint32_t> used;
  Levels levels;

  // One level down for row `i` of the columns.
  template <bool has_missing>
  NodeIndex step(NodeIndex place, size_t i) const {
    const Node node = nodes[place];
    const double value = columns[node.feature_and_marks & feature_mask][i];
    uint32_t right = value > node.cut ? 1U : 0U;
    if constexpr (has_missing) {
      right |= (std::isnan(value) ? 1U : 0U) & (node.feature_and_marks >> 31);
    }
    return node.first_child + right;
  }

  // Row k of the group is at position at(k).
  template <bool has_missing, class At>
  void descend(size_t count, const At& at, NodeIndex* out) const {
    NodeIndex place[group] = {};
    for (uint32_t level = 0; level < levels.sure; ++level) {
      for (size_t k = 0; k < count; ++k) place[k] = step<has_missing>(place[k], at(k));
    }
    // Below the first leaf some rows have arrived; a leaf leads to itself.
    NodeIndex moved = 1;
    for (uint32_t level = levels.sure; level < levels.all && moved != 0; ++level) {
      moved = 0;
      for (size_t k = 0; k < count; ++k) {
        const NodeIndex next = step<has_missing>(place[k], at(k));
        moved |= next ^ place[k];
        place[k] = next;
      }
    }
    std::copy_n(place, count, out);
  }

  template <bool has_missing>
  void contiguous(size_t rows, NodeIndex* out) const {
    // Asking for all columns pays when a row is likely to need many of them.
    const bool ask = used.size() <= size_t{4} * levels.all;
    size_t i = 0;
    for (; i + group <= rows; i += group) {
      if (ask && i + group + rows_ahead <= rows) {
        for (const uint32_t feature : used) {
          __builtin_prefetch(columns[feature] + i + rows_ahead);
          __builtin_prefetch(columns[feature] + i + rows_ahead + group / 2);
        }
      }
      descend<has_missing>(
          group, [i](size_t k) { return i + k; }, out + i);
    }
    descend<has_missing>(
        rows - i, [i](size_t k) { return i + k; }, out + i);
  }

  template <bool has_missing>
  void scattered(std::span<const RowIndex> rows, NodeIndex* out) const {
    size_t i = 0;
    for (; i + group <= rows.size(); i += group) {
      const RowIndex* const here = rows.data() + i;
      descend<has_missing>(
          group, [here](size_t k) { return size_t{here[k]}; }, out + i);
    }
    const RowIndex* const here = rows.data() + i;
    descend<has_missing>(
        rows.size() - i, [here](size_t k) { return size_t{here[k]}; }, out + i);
  }
};

bool are_contiguous(std::span<const RowIndex> rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return true;
}

}  // namespace

bool Compiled::any_missing(const Table& table) const {
  return std::any_of(used_.begin(), used_.end(),
                     [&](uint32_t feature) { return table.input(feature).missing > 0; });
}

void Compiled::end_nodes(const Table& table, std::span<const RowIndex> rows,
                         std::span<NodeIndex> nodes) const {
  if (!all_thresholds_) {
    std::vector<Arrival> all;
    arrivals(table, rows, all);
    for (size_t i = 0; i < rows.size(); ++i) nodes[i] = all[i].node;
    return;
  }
  if (used_.empty() || rows.empty()) {
    std::fill_n(nodes.begin(), rows.size(), 0);
    return;
  }
  bool numeric = true;
  std::vector<const double*> columns(table.features(), nullptr);
  for (const uint32_t feature : used_) {
    const Column& column = table.input(feature);
    columns[feature] = column.numbers.data();
    numeric = numeric && column.kind == Kind::numeric;
  }
  const bool has_missing = any_missing(table);
  if (!numeric) {
    end_nodes_of_copies(table, rows, nodes);
    return;
  }
  const FastDescent<FastNode, Levels> descent{fast_.data(), columns.data(), used_, levels_};
  if (are_contiguous(rows)) {
    for (const uint32_t feature : used_) columns[feature] += rows[0];
    has_missing ? descent.template contiguous<true>(rows.size(), nodes.data())
                : descent.template contiguous<false>(rows.size(), nodes.data());
  } else {
    has_missing ? descent.template scattered<true>(rows, nodes.data())
                : descent.template scattered<false>(rows, nodes.data());
  }
}

// Codes of ordinal columns become doubles, a few rows at a time.
void Compiled::end_nodes_of_copies(const Table& table, std::span<const RowIndex> rows,
                                   std::span<NodeIndex> nodes) const {
  std::vector<double> cells(used_.size() * copied_rows);
  std::vector<const double*> columns(table.features(), nullptr);
  for (size_t f = 0; f < used_.size(); ++f) columns[used_[f]] = &cells[f * copied_rows];
  const FastDescent<FastNode, Levels> descent{fast_.data(), columns.data(), {}, levels_};
  for (size_t begin = 0; begin < rows.size(); begin += copied_rows) {
    const size_t count = std::min(copied_rows, rows.size() - begin);
    for (size_t f = 0; f < used_.size(); ++f) {
      const Column& column = table.input(used_[f]);
      for (size_t i = 0; i < count; ++i) {
        cells[f * copied_rows + i] = column.value(rows[begin + i]);
      }
    }
    descent.template contiguous<true>(count, &nodes[begin]);
  }
}

}  // namespace softwood
