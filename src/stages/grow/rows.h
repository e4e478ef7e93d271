// The training rows of a growing tree, kept by node.
//
// Rows are slots 0 … n-1 in the order given. For every numeric or ordinal feature there is a list
// of entries (entries.h), one per slot; each node owns the same range of every list. Within its
// range a list holds the node's slots with a value, sorted by it, the first of each group of equal
// values marked, and then those where the value is missing (slots alone). One more list holds the
// slots alone in ascending order. Splitting a node divides its range in every list stably, so
// nothing is ever sorted twice. What is looked up by slot lies all over memory for a small node of
// a large table: such a node gets slot numbers of its own, in the same order, and what belongs to
// them lies together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/grow/divide.h"
#include "stages/grow/statistics.h"

namespace softwood::grow {

struct Range {
  uint32_t begin = 0, end = 0;
  uint32_t size() const { return end - begin; }
};

// An input of a node, and how many of the node's slots have a value.
struct ActiveFeature {
  uint32_t feature;
  uint32_t known;
  bool constant = false;  // no two different values: can't split this node, nor any below
};

// The lists of a node after its range was divided.
struct DividedLists {
  std::span<const Range> parts;
  std::span<const uint32_t> known;  // of each active feature and part
  uint32_t known_of(size_t active, size_t part) const {
    return known[active * parts.size() + part];
  }
};

class RowLists {
 public:
  // `multiway`: divisions into more than two parts will come.
  // `last_use`: the sorted columns may be taken out of `derived`. `rows` must stay.
  RowLists(Derived& derived, bool last_use, std::span<const RowIndex> rows, const Target& target,
           bool multiway, const Parallel& parallel, const Control& control);
  // The slots of one part of a divided node and, `with_shared`, those of its last part, as slots
  // 0, 1, … of their own, which `target` describes. `slots` are all of them, ascending. `active`
  // are the node's features; there is nothing of the others. `buffer` is working memory.
  RowLists(const RowLists& all, const DividedLists& divided, size_t part, bool with_shared,
           std::span<const ActiveFeature> active, std::span<const uint32_t> slots,
           const Target& target, std::vector<uint32_t>& buffer);
  // All slots of a node, as slots 0, 1, … of their own, which `target` describes. The node's part
  // of the lists is renumbered where it is: `all` must stay, and its node is no more.
  RowLists(RowLists& all, Range range, std::span<const ActiveFeature> active, const Target& target,
           std::vector<uint32_t>& buffer);
  RowLists(RowLists&&) = default;

  size_t size() const { return rows_.size(); }
  // Memory of a slot in lists of their own, with what a target has by slot.
  size_t bytes_of_slot() const {
    constexpr size_t beside_lists = 40;
    return beside_lists + lists_.size() * sizeof(uint32_t);
  }
  RowIndex row(uint32_t slot) const { return rows_[slot]; }
  std::span<const RowIndex> rows() const { return rows_; }
  const Table& table() const { return table_; }
  double value(uint32_t feature, uint32_t entry) const {
    return table_.input(feature).value(rows_[slot(entry)]);
  }
  uint32_t slot(uint32_t entry) const { return format_.slot(entry); }

  std::span<const uint32_t> slots(Range range) const {
    return slots_.subspan(range.begin, range.size());
  }
  std::span<const uint32_t> known(Range range, const ActiveFeature& active) const {
    return {lists_[active.feature].data() + range.begin, active.known};
  }
  std::span<const uint32_t> missing(Range range, const ActiveFeature& active) const {
    return {lists_[active.feature].data() + range.begin + active.known,
            range.size() - active.known};
  }
  // Number of all slots with a value.
  uint32_t all_known(uint32_t feature) const { return known_[feature]; }
  // All features, for the root.
  std::vector<ActiveFeature> all_features() const;

  // The child of every slot of the node that is being divided; written by whoever decides the
  // split. Children of a split in two are marked in bytes (they are read all the time), of others
  // in words.
  void set_child(uint32_t slot, uint32_t child, bool in_two) {
    if (in_two) {
      side_[slot] = static_cast<uint8_t>(child);
    } else {
      child_[slot] = child;
    }
  }
  uint32_t child(uint32_t slot, bool in_two) const { return in_two ? side_[slot] : child_[slot]; }

  // Makes `shared` slots of a node, which go to every child, one part more than it has children.
  void set_shared(Range range, std::span<const uint32_t> shared, uint32_t children);

  // The children of a node that is divided in two, where it is worth it also as bits.
  Sides sides(Range range, std::vector<uint32_t>& bits) const;

  // Divides the slots, or one feature's list, of a range by child. `parts` are the children's
  // ranges.
  void divide_slots(Range range, std::span<const Range> parts, const Sides& sides,
                    std::vector<uint32_t>& buffer);
  // Sets known[c] to the number of slots with a value in child c.
  void divide_list(Range range, const ActiveFeature& active, std::span<const Range> parts,
                   const Sides& sides, std::vector<uint32_t>& buffer, std::span<uint32_t> known);

  // Nothing of a range is needed any more.
  void release(Range range);

 private:
  // A part of a feature's list: the slots with a value, and those without.
  struct Part {
    std::span<const uint32_t> known, missing;
  };
  Part part_of(uint32_t feature, Range range, size_t known) const {
    const auto list = std::span<const uint32_t>(lists_[feature]).subspan(range.begin, range.size());
    return {list.first(known), list.subspan(known)};
  }
  std::vector<uint32_t> merged(uint32_t feature, const Part& one, const Part& other,
                               std::span<const uint32_t> entry_of, const EntryFormat& format) const;
  std::vector<RowIndex> rows_at(std::span<const uint32_t> slots) const;
  std::vector<uint32_t>& keep(std::vector<uint32_t> numbers) {
    return own_.emplace_back(std::move(numbers));
  }

  const Table& table_;
  EntryFormat format_;
  std::vector<std::vector<uint32_t>> own_;  // what the following do not have from elsewhere
  std::span<const RowIndex> rows_;
  std::span<uint32_t> slots_;
  std::vector<std::span<uint32_t>> lists_;  // empty for nominal features
  std::vector<uint32_t> known_;
  std::vector<uint8_t> side_;
  std::vector<uint32_t> child_;
};

}  // namespace softwood::grow
