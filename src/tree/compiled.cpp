#include "tree/compiled.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "data/sample.h"

namespace softwood {

namespace {

// ThresholdNode::number_and_marks: the place in numbers_, and whether a missing value goes to child
// 1.
constexpr uint32_t missing_right = 0x80000000U;
constexpr uint32_t number_mask = 0x7FFFFFFFU;
// BinaryNode::slot_and_marks: the slot, this and missing_right.
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
  for (NodeIndex i = 0; i < tree_.size(); ++i) {
    const Node& node = tree_.node(i);
    if (node.is_leaf()) {
      // No value is larger than infinity, so a row that is here stays here.
      thresholds_[i] = {std::numeric_limits<double>::infinity(), i, 0};
      continue;
    }
    const Threshold threshold = *as_threshold(node.gate());
    thresholds_[i] = {
        threshold.cut, node.first_child,
        place_of(numbers_, threshold.feature) | (node.missing().child == 1 ? missing_right : 0)};
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

// Where the cells of the rows are, by slot. Slots that have none of a kind lead to some column of
// that kind, which is read in vain.
struct Compiled::Cells {
  std::vector<const double*> numbers;
  std::vector<const int32_t*> codes;
  size_t first_code;  // slots of numbers

  // Columns by place in numbers_ and in coded_.
  Cells(std::span<const double* const> of_numbers, std::span<const int32_t* const> of_codes)
      : first_code(of_numbers.size()) {
    const size_t slots = of_numbers.size() + of_codes.size() + 1;
    numbers.assign(slots, of_numbers.empty() ? nullptr : of_numbers[0]);
    codes.assign(slots, of_codes.empty() ? nullptr : of_codes[0]);
    std::copy(of_numbers.begin(), of_numbers.end(), numbers.begin());
    std::copy(of_codes.begin(), of_codes.end(),
              codes.begin() + static_cast<std::ptrdiff_t>(first_code));
  }

  void ask_for(size_t i) const {
    constexpr size_t doubles_in_a_line = 8, codes_in_a_line = 16;
    static_assert(Interleaved<int>::group == codes_in_a_line);
    for (size_t slot = 0; slot < first_code; ++slot) {
      __builtin_prefetch(numbers[slot] + i);
      __builtin_prefetch(numbers[slot] + i + doubles_in_a_line);
    }
    for (size_t slot = first_code; slot + 1 < codes.size(); ++slot) {
      __builtin_prefetch(codes[slot] + i);
    }
  }
};

// 1 where a value goes to the second child.
template <bool has_missing>
uint32_t Compiled::side_of(const ThresholdNode& node, double value) {
  uint32_t right = value > node.cut ? 1U : 0U;
  if constexpr (has_missing) {
    right |= (std::isnan(value) ? 1U : 0U) & (node.number_and_marks >> 31);
  }
  return right;
}

template <bool has_missing>
struct Compiled::ThresholdStep {
  const ThresholdNode* nodes;
  const Cells* cells;

  ThresholdStep(const Compiled& tree, const Cells& at)
      : nodes(tree.thresholds_.data()), cells(&at), numbers(at.numbers.data()) {}

  NodeIndex operator()(NodeIndex place, size_t i) const {
    const ThresholdNode node = nodes[place];
    const double value = numbers[node.number_and_marks & number_mask][i];
    return node.first_child + side_of<has_missing>(node, value);
  }
  void ask_for(size_t i) const { cells->ask_for(i); }

 private:
  const double* const* numbers;
};

// The cells of a row lie at any distance from those of the next.
template <class T, bool has_missing>
struct Compiled::StridedStep {
  const ThresholdNode* nodes;
  const T* const* numbers;

  NodeIndex operator()(NodeIndex place, ptrdiff_t at) const {
    const ThresholdNode node = nodes[place];
    const auto value = static_cast<double>(numbers[node.number_and_marks & number_mask][at]);
    return node.first_child + side_of<has_missing>(node, value);
  }
};

// Reads a number and a code at every node; masks and not branches, which the processor would guess
// wrong, choose between them.
struct Compiled::BinaryStep {
  const BinaryNode* nodes;
  const Cells* cells;

  BinaryStep(const Compiled& tree, const Cells& at)
      : nodes(tree.binary_.data()),
        cells(&at),
        numbers(at.numbers.data()),
        codes(at.codes.data()) {}

  NodeIndex operator()(NodeIndex place, size_t i) const {
    const BinaryNode node = nodes[place];
    const uint32_t slot = node.slot_and_marks & slot_mask;
    const auto level = static_cast<uint32_t>(codes[slot][i]) + 1;  // missing: 0
    const double value = numbers[slot][i];
    const uint32_t by_level = static_cast<uint32_t>(node.cut >> (level & 63U)) & 1U;
    const uint32_t by_value = (value > std::bit_cast<double>(node.cut) ? 1U : 0U) |
                              ((std::isnan(value) ? 1U : 0U) & (node.slot_and_marks >> 31));
    const uint32_t is_level = (node.slot_and_marks / of_levels) & 1U;
    return node.first_child + (by_value ^ ((by_value ^ by_level) & (0U - is_level)));
  }
  void ask_for(size_t i) const { cells->ask_for(i); }

 private:
  const double* const* numbers;
  const int32_t* const* codes;
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
        numbers(at.numbers.data()),
        codes(at.codes.data()) {}

  // Trees of both kinds read a number and a code at every node; masks and not branches, which the
  // processor would guess wrong, choose between them.
  NodeIndex operator()(NodeIndex place, size_t i) const {
    const FlatNode node = nodes[place];
    const uint32_t levels = slot_levels[node.slot];
    uint32_t target = 0;
    if constexpr (any_coded) {
      const uint32_t level = static_cast<uint32_t>(codes[node.slot][i]) + 1;  // missing: 0
      target = level & mask(level < levels);
    }
    if constexpr (any_numbers) {
      const double value = numbers[node.slot][i];
      const uint32_t side = (value > node.cut ? 1U : 0U) + (std::isnan(value) ? 2U : 0U);
      target |= side & mask(levels == 0);
    }
    return targets[node.targets + target];
  }
  void ask_for(size_t i) const { cells->ask_for(i); }

 private:
  static uint32_t mask(bool all) { return 0U - static_cast<uint32_t>(all); }

  const uint32_t* slot_levels;
  const double* const* numbers;
  const int32_t* const* codes;
};

namespace {

// Rows whose cells are copied together when a column has no doubles to point to.
constexpr size_t copied_rows = 512;

}  // namespace

template <class Step>
void Compiled::descend(const Table& table, std::span<const RowIndex> rows,
                       std::span<NodeIndex> nodes) const {
  std::vector<const double*> number_cells;
  std::vector<const int32_t*> code_cells;
  bool in_place = true;
  const bool contiguous = are_contiguous(rows);
  const size_t first = contiguous ? rows[0] : 0;
  for (const uint32_t feature : numbers_) {
    const Column& column = table.input(feature);
    in_place = in_place && column.kind == Kind::numeric;
    if (in_place) number_cells.push_back(column.numbers.data() + first);
  }
  for (const uint32_t feature : coded_) {
    code_cells.push_back(table.input(feature).codes.data() + first);
  }
  if (in_place) {
    // Asking for all columns pays when a row is likely to need many of them.
    const Cells cells(number_cells, code_cells);
    const bool ask = numbers_.size() + coded_.size() <= size_t{4} * depths_.all;
    const Interleaved<Step> down(Step(*this, cells), depths_);
    contiguous ? down.contiguous(rows.size(), ask, nodes.data())
               : down.scattered(rows, nodes.data());
    return;
  }
  // Codes of ordinal columns become doubles, a few rows at a time.
  std::vector<double> numbers(numbers_.size() * copied_rows);
  std::vector<int32_t> codes(coded_.size() * copied_rows);
  number_cells.clear();
  code_cells.clear();
  for (size_t f = 0; f < numbers_.size(); ++f) number_cells.push_back(&numbers[f * copied_rows]);
  for (size_t f = 0; f < coded_.size(); ++f) code_cells.push_back(&codes[f * copied_rows]);
  const Cells cells(number_cells, code_cells);
  const Interleaved<Step> down(Step(*this, cells), depths_);
  for (size_t begin = 0; begin < rows.size(); begin += copied_rows) {
    const size_t count = std::min(copied_rows, rows.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      const RowIndex row = rows[begin + i];
      for (size_t f = 0; f < numbers_.size(); ++f) {
        numbers[f * copied_rows + i] = table.input(numbers_[f]).value(row);
      }
      for (size_t f = 0; f < coded_.size(); ++f) {
        codes[f * copied_rows + i] = table.input(coded_[f]).codes[row];
      }
    }
    down.contiguous(count, false, &nodes[begin]);
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
    descend<BinaryStep>(table, rows, nodes);
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
    const StridedStep<T, has_missing> step{thresholds_.data(), cells};
    Interleaved(step, depths_).strided(rows.rows, rows.stride, nodes.data());
  };
  rows.any_missing ? descend(std::true_type()) : descend(std::false_type());
}
template void Compiled::end_nodes(const NumberRows<float>&, std::span<NodeIndex>) const;
template void Compiled::end_nodes(const NumberRows<double>&, std::span<NodeIndex>) const;

}  // namespace softwood
