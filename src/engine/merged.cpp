#include "engine/merged.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "softwood/error.h"

namespace softwood {
namespace {

// The sum of all squares stays below 2^62 of it.
double square_unit_of(const RowCoding& coding) { return fixed_point_unit(coding.squares, false); }

// weight * (target - centre)^2 of a row; copies of a row have so many times the square of one.
int64_t square_of(const FixedPoint& target, uint32_t slot, double unit) {
  const int64_t number = target.weight.empty() ? 1 : target.weight[slot];
  if (number <= 0) return 0;
  const int64_t copies = target.weight_unit == 1 ? number : 1;
  const double weight = static_cast<double>(number / copies) * target.weight_unit;
  const double value =
      static_cast<double>(target.amount[slot] / copies) * target.amount_unit / weight;
  return copies * std::llround(weight * value * value / unit);
}

}  // namespace

RowMerger::RowMerger(const RowCoding& coding, uint64_t most)
    : features_(coding.bins.size()), most_(most), square_unit_(square_unit_of(coding)) {}

void RowMerger::add(const BinnedRows& codes, const FixedPoint& target,
                    std::span<const uint32_t> slots) {
  std::vector<uint32_t> own(features_);
  for (const uint32_t slot : slots) {
    Group group;
    group.klass = target.classes > 0 ? target.klass[slot] : 0;
    group.hash = mix64(group.klass);
    for (size_t f = 0; f < features_; ++f) {
      own[f] = codes.code(slot, f);
      group.hash = mix64(group.hash ^ own[f]);
    }
    if (group.hash > largest_) continue;
    group.weight = target.weight.empty() ? 1 : target.weight[slot];
    if (target.classes == 0) {
      group.amount = target.amount[slot];
      group.square = square_of(target, slot, square_unit_);
    }
    add_group(group, own.data());
  }
}

bool RowMerger::is_equal(uint32_t group, uint64_t klass, const uint32_t* codes) const {
  return groups_[group].klass == klass &&
         std::equal(codes, codes + features_, &codes_[group * features_]);
}

void RowMerger::add_group(const Group& group, const uint32_t* codes) {
  const auto [begin, end] = group_of_.equal_range(group.hash);
  for (auto known = begin; known != end; ++known) {
    if (!is_equal(known->second, group.klass, codes)) continue;
    Group& to = groups_[known->second];
    to.weight += group.weight;
    to.amount += group.amount;
    to.square += group.square;
    return;
  }
  group_of_.emplace(group.hash, static_cast<uint32_t>(groups_.size()));
  groups_.push_back(group);
  codes_.insert(codes_.end(), codes, codes + features_);
  if (groups_.size() > 2 * most_) thin_out();
}

bool RowMerger::is_before(uint32_t a, uint32_t b) const {
  const Group &one = groups_[a], &other = groups_[b];
  if (one.hash != other.hash) return one.hash < other.hash;
  if (one.klass != other.klass) return one.klass < other.klass;
  const auto first = codes_.begin() + static_cast<std::ptrdiff_t>(a * features_);
  const auto second = codes_.begin() + static_cast<std::ptrdiff_t>(b * features_);
  const auto size = static_cast<std::ptrdiff_t>(features_);
  return std::lexicographical_compare(first, first + size, second, second + size);
}

std::vector<uint32_t> RowMerger::sorted() const {
  std::vector<uint32_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return is_before(a, b); });
  return order;
}

void RowMerger::keep(std::span<const uint32_t> groups) {
  std::vector<Group> kept;
  std::vector<uint32_t> codes;
  group_of_.clear();
  for (const uint32_t group : groups) {
    group_of_.emplace(groups_[group].hash, static_cast<uint32_t>(kept.size()));
    kept.push_back(groups_[group]);
    const auto first = codes_.begin() + static_cast<std::ptrdiff_t>(group * features_);
    codes.insert(codes.end(), first, first + static_cast<std::ptrdiff_t>(features_));
  }
  groups_ = std::move(kept);
  codes_ = std::move(codes);
}

// What is left out here can't be among the lowest of all rows either.
void RowMerger::thin_out() {
  if (groups_.size() <= most_) return;
  all_ = false;
  const std::vector<uint32_t> order = sorted();
  keep(std::span(order).first(most_));
  largest_ = groups_.back().hash;
}

void RowMerger::merge(const RowMerger& other) {
  if (most_ != other.most_ || features_ != other.features_) {
    throw Error(ErrorKind::failure, "answers to different requests");
  }
  all_ = all_ && other.all_;
  for (uint32_t group = 0; group < other.groups_.size(); ++group) {
    if (other.groups_[group].hash > largest_) {
      all_ = false;
      continue;
    }
    add_group(other.groups_[group], &other.codes_[group * features_]);
  }
}

void RowMerger::write(ByteWriter& out) const {
  RowMerger lowest = *this;
  lowest.thin_out();
  if (lowest.all_) lowest.keep(sorted());
  out.value(features_);
  out.value(most_);
  out.value(square_unit_);
  out.value(lowest.all_);
  out.vector(lowest.groups_);
  const bool narrow = std::all_of(lowest.codes_.begin(), lowest.codes_.end(),
                                  [](uint32_t code) { return code < 256; });
  out.value(narrow);
  if (narrow) {
    out.vector(std::vector<uint8_t>(lowest.codes_.begin(), lowest.codes_.end()));
  } else {
    out.vector(lowest.codes_);
  }
}

RowMerger RowMerger::read(ByteReader& in) {
  RowMerger merger;
  merger.features_ = in.value<uint64_t>();
  merger.most_ = in.value<uint64_t>();
  merger.square_unit_ = in.value<double>();
  merger.all_ = in.value<bool>();
  merger.groups_ = in.vector<Group>();
  if (in.value<bool>()) {
    const std::span<const uint8_t> codes = in.view<uint8_t>();
    merger.codes_.assign(codes.begin(), codes.end());
  } else {
    merger.codes_ = in.vector<uint32_t>();
  }
  if (merger.codes_.size() != merger.groups_.size() * merger.features_) {
    throw Error(ErrorKind::failure, "merged rows that do not belong together");
  }
  for (uint32_t group = 0; group < merger.groups_.size(); ++group) {
    merger.group_of_.emplace(merger.groups_[group].hash, group);
  }
  return merger;
}

MergedRows RowMerger::rows(const RowCoding& coding) const {
  RowMerger lowest = *this;
  lowest.thin_out();
  MergedRows merged;
  merged.coding = coding;
  merged.are_all = lowest.all_;
  merged.square_unit = square_unit_;
  merged.target.classes = coding.classes;
  merged.target.weight_unit = coding.weight_unit;
  merged.target.amount_unit = coding.amount_unit;
  std::vector<uint32_t> codes;
  for (const uint32_t group : lowest.sorted()) {
    const Group& own = lowest.groups_[group];
    if (own.weight <= 0) continue;
    merged.target.weight.push_back(own.weight);
    if (coding.classes > 0) {
      merged.target.klass.push_back(static_cast<uint32_t>(own.klass));
    } else {
      merged.target.amount.push_back(own.amount);
      merged.square.push_back(own.square);
    }
    for (size_t f = 0; f < features_; ++f) {
      const uint32_t code = lowest.codes_[group * features_ + f];
      if (code > coding.bins[f].bins || own.klass >= std::max<uint64_t>(coding.classes, 1)) {
        throw Error(ErrorKind::failure, "rows that are coded in another way");
      }
      codes.push_back(code);
    }
  }
  merged.codes = coding.is_narrow() ? BinnedRows(features_, {codes.begin(), codes.end()}, {})
                                    : BinnedRows(features_, {}, std::move(codes));
  return merged;
}

MergedRows merged_rows(const CodedTraining& coded, std::span<const RowIndex> rows,
                       const Control& control) {
  std::vector<uint32_t> slots;
  slots.reserve(rows.size());
  for (const RowIndex row : rows) slots.push_back(coded.slot_of_row[row]);
  RowMerger merger(coded.coding, std::numeric_limits<uint32_t>::max());
  for (size_t begin = 0; begin < slots.size(); begin += rows_between_asks) {
    control.throw_if_interrupted();
    const size_t count = std::min(rows_between_asks, slots.size() - begin);
    merger.add(coded.codes, coded.target, std::span(slots).subspan(begin, count));
  }
  return merger.rows(coded.coding);
}

}  // namespace softwood
