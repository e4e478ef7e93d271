// Coded rows of which equal ones are one row with the sums of their targets: all that a search for
// a whole tree needs to know of rows, here or on other machines. Sums are of whole numbers, so that
// neither the order of the rows nor their places change them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/coded.h"

namespace softwood {

// In an order that depends on the rows alone.
struct MergedRows {
  RowCoding coding;
  BinnedRows codes{0, {}, {}};
  FixedPoint target;            // weights always; regression: amounts
  std::vector<int64_t> square;  // regression: weight * (target - centre)^2, in square_unit
  double square_unit = 1;
  bool are_all = true;  // else those with the lowest hashes, each with all its weight

  size_t rows() const { return target.weight.size(); }
};

class RowMerger {
 public:
  // Above `most` different rows those with the lowest hashes are kept.
  RowMerger(const RowCoding& coding, uint64_t most);
  RowMerger() = default;

  void add(const BinnedRows& codes, const FixedPoint& target, std::span<const uint32_t> slots);
  void merge(const RowMerger& other);
  void write(ByteWriter& out) const;
  static RowMerger read(ByteReader& in);
  MergedRows rows(const RowCoding& coding) const;

 private:
  struct Group {
    uint64_t hash = 0, klass = 0;
    int64_t weight = 0, amount = 0, square = 0;
  };
  void add_group(const Group& group, const uint32_t* codes);
  bool is_equal(uint32_t group, uint64_t klass, const uint32_t* codes) const;
  bool is_before(uint32_t a, uint32_t b) const;
  std::vector<uint32_t> sorted() const;
  void keep(std::span<const uint32_t> groups);
  void thin_out();

  uint64_t features_ = 0, most_ = 0;
  double square_unit_ = 1;
  bool all_ = true;
  uint64_t largest_ = ~uint64_t{0};  // hash of groups that can still be kept
  std::vector<Group> groups_;
  std::vector<uint32_t> codes_;                           // group after group
  std::unordered_multimap<uint64_t, uint32_t> group_of_;  // by hash
};

// Those of the training rows, on this machine.
MergedRows merged_rows(const CodedTraining& coded, std::span<const RowIndex> rows,
                       const Control& control = {});

}  // namespace softwood
