#include "stages/grow/rows.h"

#include <algorithm>
#include <numeric>

#include "base/memory.h"
#include "stages/grow/ranks.h"

namespace softwood::grow {
namespace {

constexpr uint32_t no_entry = 0xFFFFFFFFU;  // others have no mark

// The part of an order (of rows, or of entries of other lists, whose format is `of`; the first
// `with_value` have one) that belongs to the training rows, as entries, with marks renewed.
std::vector<uint32_t> keep_slots(std::span<const uint32_t> order, size_t with_value,
                                 const EntryFormat& of, const std::vector<uint32_t>& entry_of,
                                 const EntryFormat& format, size_t slots, uint32_t& known) {
  std::vector<uint32_t> list;
  reserve_large(list, slots + 1);
  list.resize(slots + 1);  // one more: all are written, those that stay are counted
  uint32_t kept = 0, pending = 0;
  for (size_t i = 0; i < with_value; ++i) {
    pending |= order[i] & new_value_mark;
    const uint32_t entry = entry_of[of.slot(order[i])];
    list[kept] = entry | pending;
    const uint32_t stays = entry != no_entry ? 1 : 0;
    kept += stays;
    pending &= stays - 1;  // all bits, or none
  }
  known = kept;
  for (size_t i = with_value; i < order.size(); ++i) {
    const uint32_t entry = entry_of[of.slot(order[i])];
    list[kept] = format.slot(entry);
    kept += entry != no_entry ? 1 : 0;
  }
  list.resize(slots);
  return list;
}

std::vector<uint32_t> numbers_up_to(size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

void make_room(std::vector<uint32_t>& buffer, size_t items) {
  if (buffer.size() >= items + division_slack) return;
  reserve_large(buffer, items + division_slack);
  buffer.resize(items + division_slack);
}

std::vector<uint8_t> make_sides(size_t slots) {
  std::vector<uint8_t> sides;
  reserve_large(sides, slots + division_slack);
  sides.resize(slots + division_slack);
  return sides;
}

// Adds the classes of rows to their numbers in sorted lists. Two classes are bits: those of many
// rows stay in a nearer cache than bytes.
class ClassAdder {
 public:
  ClassAdder(const Target& target, const EntryFormat& format) : target_(target), format_(format) {
    if (!format.has_class() || target.classes != 2) return;
    const std::vector<uint8_t>& classes = target.small_class;
    bits_.resize(classes.size() / 32 + 1);
    for (size_t slot = 0; slot < classes.size(); ++slot) {
      bits_[slot / 32] |= uint32_t{classes[slot]} << (slot % 32);
    }
  }

  void add_to(std::span<uint32_t> list) const {
    if (!format_.has_class()) return;
    for (uint32_t& entry : list) {
      const uint32_t slot = entry & ~new_value_mark;
      entry |= bits_.empty() ? target_.entry(format_, slot)
                             : format_.class_part(bits_[slot / 32] >> (slot % 32) & 1);
    }
  }

 private:
  const Target& target_;
  const EntryFormat& format_;
  std::vector<uint32_t> bits_;
};

void clear_marks(uint32_t* begin, const uint32_t* end) {
  for (uint32_t* item = begin; item != end; ++item) *item &= ~new_value_mark;
}

// Divides a list among any number of children: items are scattered to their child's part of the
// buffer.
void scatter(const uint32_t* items, size_t count, const EntryFormat& format, const uint32_t* child,
             std::vector<uint32_t>& next, std::vector<uint32_t>& pending, uint32_t* buffer) {
  uint32_t passed = 0;  // ordinal number of the current group of equal values
  for (size_t i = 0; i < count; ++i) {
    passed += items[i] >> 31;
    const uint32_t item = items[i] & ~new_value_mark;
    const uint32_t c = child[format.slot(item)];
    buffer[next[c]++] = item | (pending[c] != passed ? new_value_mark : 0);
    pending[c] = passed;
  }
}

}  // namespace

RowLists::RowLists(Derived& derived, bool last_use, std::span<const RowIndex> rows,
                   const Target& target, bool multiway, const Parallel& parallel,
                   const Control& control)
    : table_(derived.table()),
      format_(target.entry_format()),
      rows_(rows),
      lists_(table_.features()),
      known_(table_.features(), 0),
      side_(make_sides(rows.size())),
      child_(multiway ? rows.size() : 0) {
  const bool whole_table = is_whole_table(table_, rows_);
  own_.resize(lists_.size());
  constexpr size_t worth_threads = 100000;
  const auto each_feature = [&](const auto& fill) {
    const auto fill_list = [&](size_t feature) {
      control.throw_if_interrupted();
      if (table_.input(feature).kind == Kind::nominal) return;
      own_[feature] = fill(feature);
      lists_[feature] = own_[feature];
    };
    if (rows_.size() * lists_.size() < worth_threads) {
      for (size_t feature = 0; feature < lists_.size(); ++feature) fill_list(feature);
    } else {
      parallel.each(lists_.size(), fill_list);
    }
  };
  if (whole_table && last_use) {
    std::vector<SortedColumn> sorted = derived.take_sorted(parallel, control);
    const ClassAdder classes(target, format_);
    each_feature([&](size_t feature) {
      known_[feature] = static_cast<uint32_t>(sorted[feature].known);
      std::vector<uint32_t> list = std::move(sorted[feature].order);
      classes.add_to(std::span(list).first(known_[feature]));
      return list;
    });
  } else {
    const std::vector<SortedColumn>& sorted = derived.sorted(parallel, control);
    std::vector<uint32_t> entry_of_row(table_.rows(), no_entry);
    for (size_t slot = 0; slot < rows_.size(); ++slot) {
      entry_of_row[rows_[slot]] = target.entry(format_, slot);
    }
    const EntryFormat plain(table_.rows(), 0);
    each_feature([&](size_t feature) {
      return keep_slots(sorted[feature].order, sorted[feature].known, plain, entry_of_row, format_,
                        rows_.size(), known_[feature]);
    });
  }
  slots_ = keep(numbers_up_to(rows.size()));
}

RowLists::RowLists(const RowLists& all, const DividedLists& divided, size_t part, bool with_shared,
                   std::span<const ActiveFeature> active, std::span<const uint32_t> slots,
                   const Target& target, std::vector<uint32_t>& buffer)
    : table_(all.table_),
      format_(target.entry_format()),
      lists_(table_.features()),
      known_(table_.features(), 0),
      side_(make_sides(slots.size())),
      child_(all.child_.empty() ? 0 : slots.size()) {
  own_.reserve(active.size() + 2);
  rows_ = keep(all.rows_at(slots));
  slots_ = keep(numbers_up_to(slots.size()));
  make_room(buffer, all.size());
  for (uint32_t i = 0; i < slots.size(); ++i) buffer[slots[i]] = target.entry(format_, i);
  const size_t last = divided.parts.size() - 1;
  for (size_t i = 0; i < active.size(); ++i) {
    const uint32_t feature = active[i].feature;
    if (table_.input(feature).kind == Kind::nominal) continue;
    const Part own = all.part_of(feature, divided.parts[part], divided.known_of(i, part));
    const Part shared =
        with_shared ? all.part_of(feature, divided.parts[last], divided.known_of(i, last)) : Part{};
    lists_[feature] = keep(all.merged(feature, own, shared, buffer, format_));
    known_[feature] = static_cast<uint32_t>(own.known.size() + shared.known.size());
  }
}

// Two parts of a feature's list as one list, in the same order, with other entries for its slots.
std::vector<uint32_t> RowLists::merged(uint32_t feature, const Part& one, const Part& other,
                                       std::span<const uint32_t> entry_of,
                                       const EntryFormat& format) const {
  const size_t known = one.known.size() + other.known.size();
  std::vector<uint32_t> list;
  reserve_large(list, known + one.missing.size() + other.missing.size());
  list.resize(known + one.missing.size() + other.missing.size());
  const auto earlier = [&](uint32_t a, uint32_t b) { return rows_[slot(a)] < rows_[slot(b)]; };
  const auto smaller = [&](uint32_t a, uint32_t b) {
    const double of_a = value(feature, a), of_b = value(feature, b);
    return of_a != of_b ? of_a < of_b : earlier(a, b);
  };
  const auto missing = std::merge(one.known.begin(), one.known.end(), other.known.begin(),
                                  other.known.end(), list.begin(), smaller);
  std::merge(one.missing.begin(), one.missing.end(), other.missing.begin(), other.missing.end(),
             missing, earlier);
  double before = 0;
  for (size_t i = 0; i < known; ++i) {
    const double now = value(feature, list[i]);
    const bool is_new = i == 0 || now != before;
    list[i] = entry_of[slot(list[i])] | (is_new ? new_value_mark : 0);
    before = now;
  }
  for (size_t i = known; i < list.size(); ++i) list[i] = format.slot(entry_of[slot(list[i])]);
  return list;
}

RowLists::RowLists(RowLists& all, Range range, std::span<const ActiveFeature> active,
                   const Target& target, std::vector<uint32_t>& buffer)
    : table_(all.table_),
      format_(target.entry_format()),
      slots_(all.slots_.subspan(range.begin, range.size())),
      lists_(table_.features()),
      known_(table_.features(), 0),
      side_(make_sides(range.size())),
      child_(all.child_.empty() ? 0 : range.size()) {
  own_.reserve(1);
  rows_ = keep(all.rows_at(slots_));
  make_room(buffer, Ranks::words(all.size()));
  const Ranks ranks(slots_, buffer.data());
  std::iota(slots_.begin(), slots_.end(), 0U);
  for (const ActiveFeature& one : active) {
    if (table_.input(one.feature).kind == Kind::nominal) continue;
    const std::span<uint32_t> list = all.lists_[one.feature].subspan(range.begin, range.size());
    ranks.renumber(list, all.format_, format_);
    if (format_.has_class() && !all.format_.has_class()) {
      for (size_t i = 0; i < one.known; ++i) {
        const uint32_t slot = format_.slot(list[i]);
        list[i] = (list[i] & new_value_mark) | target.entry(format_, slot);
      }
    }
    clear_marks(list.data() + one.known, list.data() + list.size());
    lists_[one.feature] = list;
    known_[one.feature] = one.known;
  }
}

std::vector<RowIndex> RowLists::rows_at(std::span<const uint32_t> slots) const {
  std::vector<RowIndex> rows;
  rows.reserve(slots.size());
  for (const uint32_t slot : slots) rows.push_back(rows_[slot]);
  return rows;
}

std::vector<ActiveFeature> RowLists::all_features() const {
  std::vector<ActiveFeature> all(lists_.size());
  for (uint32_t feature = 0; feature < all.size(); ++feature)
    all[feature] = {feature, known_[feature]};
  return all;
}

void RowLists::set_shared(Range range, std::span<const uint32_t> shared, uint32_t children) {
  if (children == 2) {
    for (const uint32_t slot : slots(range)) child_[slot] = side_[slot];
  }
  for (const uint32_t slot : shared) child_[slot] = children;
}

Sides RowLists::sides(Range range, std::vector<uint32_t>& bits) const {
  constexpr size_t few = size_t{1} << 17;  // their bytes are in the second cache
  if (size() <= few) return side_.data();
  const size_t words = size() / 32 + 1;
  if (bits.size() < words) bits.resize(words);
  size_t last = words;
  uint32_t word = 0;
  for (const uint32_t slot : slots(range)) {
    const size_t at = slot / 32;
    word = (at == last ? word : 0) | (side_[slot] & 1U) << (slot % 32);
    bits[at] = word;
    last = at;
  }
  return {side_.data(), bits.data()};
}

void RowLists::divide_slots(Range range, std::span<const Range> parts, const Sides& sides,
                            std::vector<uint32_t>& buffer) {
  uint32_t* list = slots_.data() + range.begin;
  make_room(buffer, range.size());
  if (parts.size() == 2) {
    const Halves end = divide_in_two(list, range.size(), format_, sides, {list, buffer.data()});
    std::copy(buffer.data(), end.right, end.left);
    clear_marks(list, list + range.size());
    return;
  }
  std::vector<uint32_t> next(parts.size()), pending(parts.size(), 0);
  for (size_t c = 0; c < parts.size(); ++c) next[c] = parts[c].begin - range.begin;
  scatter(list, range.size(), format_, child_.data(), next, pending, buffer.data());
  std::copy_n(buffer.data(), range.size(), list);
}

void RowLists::divide_list(Range range, const ActiveFeature& active, std::span<const Range> parts,
                           const Sides& sides, std::vector<uint32_t>& buffer,
                           std::span<uint32_t> known) {
  uint32_t* list = lists_[active.feature].data() + range.begin;
  const size_t without = range.size() - active.known;
  make_room(buffer, range.size());
  if (parts.size() == 2) {
    const Halves with = divide_in_two(list, active.known, format_, sides, {list, buffer.data()});
    known[0] = static_cast<uint32_t>(with.left - list);
    known[1] = static_cast<uint32_t>(with.right - buffer.data());
    Halves end = with;
    if (without > 0) {
      end = divide_in_two(list + active.known, without, format_, sides, with);
      clear_marks(with.left, end.left);
      clear_marks(with.right, end.right);
    }
    std::copy(buffer.data(), end.right, end.left);
    return;
  }
  std::vector<uint32_t> next(parts.size()), pending(parts.size(), 0);
  for (size_t c = 0; c < parts.size(); ++c) next[c] = parts[c].begin - range.begin;
  scatter(list, active.known, format_, child_.data(), next, pending, buffer.data());
  for (size_t c = 0; c < parts.size(); ++c) known[c] = next[c] - (parts[c].begin - range.begin);
  // Marks of missing slots mean nothing: none passed, none set.
  std::fill(pending.begin(), pending.end(), 0U);
  scatter(list + active.known, without, format_, child_.data(), next, pending, buffer.data());
  std::copy_n(buffer.data(), range.size(), list);
}

void RowLists::release(Range range) {
  const auto release_part = [&](std::span<uint32_t> list) {
    if (!list.empty()) release_pages(list.data() + range.begin, range.size() * sizeof(uint32_t));
  };
  release_part(slots_);
  std::for_each(lists_.begin(), lists_.end(), release_part);
}

}  // namespace softwood::grow
