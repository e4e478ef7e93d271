#include "tree/compiled.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "data/sample.h"

namespace softwood {

namespace {

// BinaryNode::slot_and_marks: the slot, whether the gate is over levels, and whether a missing
// value goes to child 1.
constexpr uint32_t missing_right = 0x80000000U;
constexpr uint32_t of_levels = 0x40000000U;
constexpr uint32_t slot_mask = 0x3FFFFFFFU;
constexpr size_t most_binary_levels = 63;

uint32_t place_of(std::span<const uint32_t> features, uint32_t feature) {
  return static_cast<uint32_t>(std::lower_bound(features.begin(), features.end(), feature) -
                               features.begin());
}

void sort_once(std::vector<uint32_t>& features) {
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

}  // namespace

Compiled::Compiled(const Tree& tree) : tree_(tree) {
  note_paths();
  note_features();
  if (all_thresholds_) flatten_thresholds();
  if (!all_thresholds_ || !single_path_) flatten();
}

void Compiled::note_paths() {
  // Depths are known in one pass because children come after their parents.
  std::vector<uint32_t> depth(tree_.size(), 0);
  depths_.sure = std::numeric_limits<uint32_t>::max();
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    const Node& node = tree_.node(i);
    if (node.is_leaf()) {
      depths_.sure = std::min(depths_.sure, depth[i]);
      depths_.all = std::max(depths_.all, depth[i]);
      continue;
    }
    for (uint32_t c = 0; c < tree_.children(i); ++c) depth[node.first_child + c] = depth[i] + 1;
    const Missing& missing = node.missing();
    single_path_ = single_path_ && is_hard(node.gate()) && missing.rule != MissingRule::shares &&
                   std::all_of(missing.surrogates.begin(), missing.surrogates.end(),
                               [](const Surrogate& other) { return is_hard(other.gate); });
    all_thresholds_ = all_thresholds_ && as_threshold(node.gate()) &&
                      (missing.rule == MissingRule::child || missing.rule == MissingRule::shares) &&
                      missing.surrogates.empty();
  }
}

void Compiled::note_features() {
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (tree_.node(i).is_leaf()) continue;
    const Gate& gate = tree_.node(i).gate();
    if (const std::optional<Threshold> threshold = as_threshold(gate)) {
      numbers_.push_back(threshold->feature);
    } else if (const LevelsGate* const levels = level_map(gate)) {
      coded_.push_back(levels->feature);
    }
  }
  sort_once(numbers_);
  sort_once(coded_);
}

void Compiled::flatten_thresholds() {
  thresholds_.resize(tree_.size());
  missing_right_.resize(tree_.size());
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    const Node& node = tree_.node(i);
    if (node.is_leaf()) {
      // No value is larger than infinity, so a row that is here stays here.
      thresholds_[i] = {std::numeric_limits<double>::infinity(), i, 0};
      continue;
    }
    const Threshold threshold = *as_threshold(node.gate());
    thresholds_[i] = {threshold.cut, node.first_child, place_of(numbers_, threshold.feature)};
    missing_right_[i] = node.missing().child == 1 ? 1 : 0;
  }
}

bool Compiled::note_levels() {
  slot_levels_.assign(numbers_.size() + coded_.size() + 1, 0);
  slot_levels_.back() = 1;  // leaves: a single target, whatever is read
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (tree_.node(i).is_leaf()) continue;
    const Gate& gate = tree_.node(i).gate();
    if (as_threshold(gate)) continue;
    const LevelsGate* const levels = level_map(gate);
    if (levels == nullptr) return false;
    uint32_t& known = slot_levels_[numbers_.size() + place_of(coded_, levels->feature)];
    const auto own = static_cast<uint32_t>(levels->child_of_level.size() + 1);
    if (known != 0 && known != own) return false;
    known = own;
  }
  return true;
}

void Compiled::flatten() {
  if (!note_levels()) return;
  left_over_.assign(tree_.size(), 0);
  flat_.reserve(tree_.size());
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    if (tree_.node(i).is_leaf()) {
      flat_.push_back({0, static_cast<uint32_t>(targets_.size()),
                       static_cast<uint32_t>(numbers_.size() + coded_.size())});
      targets_.push_back(i);
    } else if (const LevelsGate* const levels = level_map(tree_.node(i).gate())) {
      add_levels(i, *levels);
    } else {
      add_threshold(i, *as_threshold(tree_.node(i).gate()));
    }
  }
  flatten_binary();
}

void Compiled::flatten_binary() {
  if (numbers_.empty() || coded_.empty()) return;
  binary_.resize(tree_.size());
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    const FlatNode& flat = flat_[i];
    if (tree_.node(i).is_leaf()) {
      // As in flatten_thresholds.
      binary_[i] = {std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity()), i, 0};
      continue;
    }
    const uint32_t first = tree_.node(i).first_child;
    const auto goes_right = [&](size_t target) {
      return uint64_t{targets_[flat.targets + target] == first + 1};
    };
    const auto is_child = [&](size_t target) {
      return targets_[flat.targets + target] - first < 2;  // wraps around for those before
    };
    const uint32_t levels = slot_levels_[flat.slot];
    bool fits = tree_.children(i) == 2 && levels <= most_binary_levels + 1;
    const size_t targets = levels == 0 ? 3 : levels;
    for (size_t t = 0; fits && t < targets; ++t) fits = is_child(t);
    if (!fits) {
      binary_.clear();
      return;
    }
    BinaryNode& node = binary_[i] = {std::bit_cast<uint64_t>(flat.cut), first, flat.slot};
    if (levels == 0) {
      node.slot_and_marks |= goes_right(2) != 0 ? missing_right : 0;
    } else {
      node.slot_and_marks |= of_levels;
      node.cut = 0;
      for (size_t t = 0; t < levels; ++t) node.cut |= goes_right(t) << t;
    }
  }
}

void Compiled::add_threshold(NodeIndex i, const Threshold& threshold) {
  flat_.push_back({threshold.cut, static_cast<uint32_t>(targets_.size()),
                   place_of(numbers_, threshold.feature)});
  const Node& node = tree_.node(i);
  int32_t typical_child = missing_code;
  if (node.missing().rule == MissingRule::impute) {
    const double value = tree_.typical()[threshold.feature];
    if (!std::isnan(value)) typical_child = value <= threshold.cut ? 0 : 1;
  }
  targets_.insert(targets_.end(),
                  {node.first_child, node.first_child + 1, target_without_value(i, typical_child)});
}

void Compiled::add_levels(NodeIndex i, const LevelsGate& gate) {
  flat_.push_back({0, static_cast<uint32_t>(targets_.size()),
                   static_cast<uint32_t>(numbers_.size()) + place_of(coded_, gate.feature)});
  const Node& node = tree_.node(i);
  int32_t typical_child = missing_code;
  if (node.missing().rule == MissingRule::impute) {
    const double level = tree_.typical()[gate.feature];
    if (!std::isnan(level)) typical_child = gate.child_of_level[static_cast<size_t>(level)];
  }
  targets_.push_back(target_without_value(i, typical_child));
  for (const int32_t child : gate.child_of_level) {
    // A level that the gate does not know is not replaced by a typical one.
    targets_.push_back(child >= 0 ? node.first_child + static_cast<NodeIndex>(child)
                                  : target_without_value(i, missing_code));
  }
}

// Where a row goes that the gate can't be computed for; `typical_child` is that of the typical
// value, or missing.
NodeIndex Compiled::target_without_value(NodeIndex i, int32_t typical_child) {
  const Node& node = tree_.node(i);
  const Missing& missing = node.missing();
  if (!missing.surrogates.empty() || missing.rule == MissingRule::shares) {
    left_over_[i] = 1;
    return i;
  }
  switch (missing.rule) {
    case MissingRule::impute:
      if (typical_child >= 0) return node.first_child + static_cast<NodeIndex>(typical_child);
      [[fallthrough]];
    case MissingRule::child:
      return node.first_child + missing.child;
    case MissingRule::own:
      return node.first_child + gate_children(node.gate());
    case MissingRule::stay:
    case MissingRule::shares:
      return i;
  }
  return i;
}

// Where the cells of the rows are, by slot: doubles, or a level in the bits of one.
// Leaves have the last slot and read some column in vain.
struct Compiled::Cells {
  std::vector<const double*> by_slot;
  size_t in_place = 0;  // slots from the first on whose cells are not copies

  explicit Cells(size_t slots) : by_slot(slots + 1) {}

  void ask_for(size_t i) const {
    constexpr size_t doubles_in_a_line = 8;
    static_assert(Interleaved<int>::group == 2 * doubles_in_a_line);
    for (size_t slot = 0; slot < in_place; ++slot) {
      __builtin_prefetch(by_slot[slot] + i);
      __builtin_prefetch(by_slot[slot] + i + doubles_in_a_line);
    }
  }
};

namespace {

// A level in the bits of a cell, so that a step reads one cell and not a number and a code of which
// it needs one: 1 more than the code (a missing one is 0), or one bit at that place.
double level_bits(int32_t code) {
  return std::bit_cast<double>(uint64_t{static_cast<uint32_t>(code) + 1});
}
double one_bit(int32_t code) { return std::bit_cast<double>(uint64_t{1} << (code + 1)); }

}  // namespace

template <bool has_missing>
struct Compiled::Thresholds {
  const ThresholdNode* nodes;
  const uint8_t* missing_right;

  explicit Thresholds(const Compiled& tree)
      : nodes(tree.thresholds_.data()), missing_right(tree.missing_right_.data()) {}

  // The node after `place` for the row at i of the columns.
  template <class T>
  NodeIndex next(NodeIndex place, const T* const* columns, ptrdiff_t i) const {
    const ThresholdNode node = nodes[place];
    const auto value = static_cast<double>(columns[node.number][i]);
    uint32_t right = value > node.cut ? 1U : 0U;
    if constexpr (has_missing) right |= (std::isnan(value) ? 1U : 0U) & missing_right[place];
    return node.first_child + right;
  }
};

template <bool has_missing>
struct Compiled::ThresholdStep {
  Thresholds<has_missing> thresholds;
  const Cells* cells;

  ThresholdStep(const Compiled& tree, const Cells& at)
      : thresholds(tree), cells(&at), numbers(at.by_slot.data()) {}

  NodeIndex operator()(NodeIndex place, size_t i) const {
    return thresholds.next(place, numbers, static_cast<ptrdiff_t>(i));
  }
  static double cell_of(int32_t code) { return code; }
  void ask_for(size_t i) const { cells->ask_for(i); }

 private:
  const double* const* numbers;
};

// The cells of a row lie at any distance from those of the next.
template <class T, bool has_missing>
struct Compiled::StridedStep {
  Thresholds<has_missing> thresholds;
  const T* const* numbers;

  NodeIndex operator()(NodeIndex place, ptrdiff_t at) const {
    return thresholds.next(place, numbers, at);
  }
};

// Masks and not branches, which the processor would guess wrong, choose between the answers of a
// threshold and of levels.
template <bool has_missing>
struct Compiled::BinaryStep {
  const BinaryNode* nodes;
  const Cells* cells;

  BinaryStep(const Compiled& tree, const Cells& at)
      : nodes(tree.binary_.data()), cells(&at), by_slot(at.by_slot.data()) {}

  NodeIndex operator()(NodeIndex place, size_t i) const {
    const BinaryNode node = nodes[place];
    const double cell = by_slot[node.slot_and_marks & slot_mask][i];
    const uint32_t by_level = (node.cut & std::bit_cast<uint64_t>(cell)) != 0 ? 1U : 0U;
    uint32_t by_value = cell > std::bit_cast<double>(node.cut) ? 1U : 0U;
    if constexpr (has_missing) {
      by_value |= (std::isnan(cell) ? 1U : 0U) & (node.slot_and_marks >> 31);
    }
    const uint32_t is_level = (node.slot_and_marks / of_levels) & 1U;
    return node.first_child + (by_value ^ ((by_value ^ by_level) & (0U - is_level)));
  }
  static double cell_of(int32_t code) { return one_bit(code); }
  void ask_for(size_t i) const { cells->ask_for(i); }

 private:
  const double* const* by_slot;
};

template <bool any_numbers, bool any_coded>
struct Compiled::FlatStep {
  const FlatNode* nodes;
  const NodeIndex* targets;
  const Cells* cells;

  FlatStep(const Compiled& tree, const Cells& at)
      : nodes(tree.flat_.data()),
        targets(tree.targets_.data()),
        cells(&at),
        slot_levels(tree.slot_levels_.data()),
        by_slot(at.by_slot.data()) {}

  NodeIndex operator()(NodeIndex place, size_t i) const {
    const FlatNode node = nodes[place];
    const uint32_t levels = slot_levels[node.slot];
    const double cell = by_slot[node.slot][i];
    uint32_t target = 0;
    if constexpr (any_coded) {
      const auto level = static_cast<uint32_t>(std::bit_cast<uint64_t>(cell));
      target = level & mask(level < levels);
    }
    if constexpr (any_numbers) {
      const uint32_t side = (cell > node.cut ? 1U : 0U) + (std::isnan(cell) ? 2U : 0U);
      target |= side & mask(levels == 0);
    }
    return targets[node.targets + target];
  }
  static double cell_of(int32_t code) { return level_bits(code); }
  void ask_for(size_t i) const { cells->ask_for(i); }

 private:
  static uint32_t mask(bool all) { return 0U - static_cast<uint32_t>(all); }

  const uint32_t* slot_levels;
  const double* const* by_slot;
};

namespace {

// Rows whose cells are copied together where they can't be read in place: few enough for the first
// cache.
constexpr size_t copied_rows = 256;

void copy_values(const Column& column, std::span<const RowIndex> rows, double* out) {
  for (const RowIndex row : rows) *out++ = column.value(row);
}

template <class Step>
void copy_levels(const Column& column, std::span<const RowIndex> rows, bool contiguous,
                 double* out) {
  const int32_t* const codes = column.codes.data();
  if (contiguous) {
    std::transform(codes + rows[0], codes + rows[0] + rows.size(), out, Step::cell_of);
  } else {
    for (const RowIndex row : rows) *out++ = Step::cell_of(codes[row]);
  }
}

}  // namespace

template <class Step>
void Compiled::descend(const Table& table, std::span<const RowIndex> rows,
                       std::span<NodeIndex> nodes) const {
  const size_t slots = numbers_.size() + coded_.size();
  const auto column_of = [&](size_t slot) -> const Column& {
    return table.input(slot < numbers_.size() ? numbers_[slot] : coded_[slot - numbers_.size()]);
  };
  Cells cells(slots);
  while (cells.in_place < numbers_.size() && column_of(cells.in_place).kind == Kind::numeric) {
    ++cells.in_place;
  }
  const bool contiguous = are_contiguous(rows);
  const Interleaved<Step> down(Step(*this, cells), depths_);
  if (!contiguous && cells.in_place == slots) {
    for (size_t slot = 0; slot < slots; ++slot) {
      cells.by_slot[slot] = column_of(slot).numbers.data();
    }
    cells.by_slot.back() = cells.by_slot[0];
    down.scattered(rows, nodes.data());
    return;
  }
  if (!contiguous) cells.in_place = 0;
  // Asking for all columns pays when a row is likely to need many of them.
  const bool ask = cells.in_place > 0 && slots <= size_t{4} * depths_.all;
  const size_t block = cells.in_place == slots ? rows.size() : std::min(copied_rows, rows.size());
  std::vector<double> copies((slots - cells.in_place) * block);
  for (size_t begin = 0; begin < rows.size(); begin += block) {
    const std::span<const RowIndex> here =
        rows.subspan(begin).first(std::min(block, rows.size() - begin));
    for (size_t slot = 0; slot < cells.in_place; ++slot) {
      cells.by_slot[slot] = column_of(slot).numbers.data() + here[0];
    }
    for (size_t slot = cells.in_place; slot < slots; ++slot) {
      double* const copy = copies.data() + (slot - cells.in_place) * block;
      slot < numbers_.size() ? copy_values(column_of(slot), here, copy)
                             : copy_levels<Step>(column_of(slot), here, contiguous, copy);
      cells.by_slot[slot] = copy;
    }
    cells.by_slot.back() = cells.by_slot[0];
    down.contiguous(here.size(), ask ? rows.size() - begin : 0, nodes.data() + begin);
  }
}

bool Compiled::any_missing(const Table& table) const {
  return std::any_of(numbers_.begin(), numbers_.end(),
                     [&](uint32_t feature) { return table.input(feature).missing > 0; });
}

bool Compiled::has_fast_way(const Table& table) const {
  return !flat_.empty() || (all_thresholds_ && single_path(table));
}

void Compiled::fast_nodes(const Table& table, std::span<const RowIndex> rows,
                          std::span<NodeIndex> nodes) const {
  if (rows.empty()) return;
  if (numbers_.empty() && coded_.empty()) {
    std::fill_n(nodes.begin(), rows.size(), 0);
  } else if (all_thresholds_ && single_path(table)) {
    any_missing(table) ? descend<ThresholdStep<true>>(table, rows, nodes)
                       : descend<ThresholdStep<false>>(table, rows, nodes);
  } else if (!binary_.empty()) {
    any_missing(table) ? descend<BinaryStep<true>>(table, rows, nodes)
                       : descend<BinaryStep<false>>(table, rows, nodes);
  } else if (coded_.empty()) {
    descend<FlatStep<true, false>>(table, rows, nodes);
  } else if (numbers_.empty()) {
    descend<FlatStep<false, true>>(table, rows, nodes);
  } else {
    descend<FlatStep<true, true>>(table, rows, nodes);
  }
}

void Compiled::arrivals(const Table& table, std::span<const RowIndex> rows,
                        std::vector<Arrival>& out) const {
  out.clear();
  if (!has_fast_way(table)) {
    general_arrivals(table, rows, out);
    return;
  }
  std::vector<NodeIndex> ends(rows.size());
  fast_nodes(table, rows, ends);
  const auto is_left_over = [&](NodeIndex end) {
    return !left_over_.empty() && left_over_[end] != 0;
  };
  std::vector<RowIndex> left_over;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (is_left_over(ends[i])) left_over.push_back(rows[i]);
  }
  std::vector<Arrival> divided;
  general_arrivals(table, left_over, divided);
  out.reserve(rows.size() + divided.size() - left_over.size());
  std::span<const Arrival> next = divided;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!is_left_over(ends[i])) {
      out.push_back({rows[i], ends[i], 1.0});
      continue;
    }
    const std::span<const Arrival> own = arrivals_of_first_row(next);
    out.insert(out.end(), own.begin(), own.end());
    next = next.subspan(own.size());
  }
}

void Compiled::end_nodes(const Table& table, std::span<const RowIndex> rows,
                         std::span<NodeIndex> nodes) const {
  if (has_fast_way(table) && left_over_.empty()) {
    fast_nodes(table, rows, nodes);
    return;
  }
  std::vector<Arrival> all;
  arrivals(table, rows, all);
  for (size_t i = 0; i < rows.size(); ++i) nodes[i] = all[i].node;
}

template <class T>
void Compiled::end_nodes(const NumberRows<T>& rows, std::span<NodeIndex> nodes) const {
  if (numbers_.empty()) {
    std::fill_n(nodes.begin(), rows.rows, 0);
    return;
  }
  // Called for a few rows at a time: memory only where there are many columns.
  std::array<const T*, 64> few;
  std::vector<const T*> many(numbers_.size() > few.size() ? numbers_.size() : 0);
  const T** const cells = many.empty() ? few.data() : many.data();
  for (size_t i = 0; i < numbers_.size(); ++i) cells[i] = rows.columns[numbers_[i]];
  const auto descend = [&]<bool has_missing>(std::bool_constant<has_missing>) {
    const StridedStep<T, has_missing> step{Thresholds<has_missing>(*this), cells};
    Interleaved(step, depths_).strided(rows.rows, rows.stride, nodes.data());
  };
  rows.any_missing ? descend(std::true_type()) : descend(std::false_type());
}
template void Compiled::end_nodes(const NumberRows<float>&, std::span<NodeIndex>) const;
template void Compiled::end_nodes(const NumberRows<double>&, std::span<NodeIndex>) const;

}  // namespace softwood
