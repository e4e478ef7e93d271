#include "stages/soft/parts.h"

#include <numeric>

#include "base/random.h"
#include "data/folds.h"
#include "stages/soft/constants.h"

namespace softwood::soft {

namespace {

std::vector<RowIndex> known_rows(const Sample& sample) {
  std::vector<RowIndex> rows;
  for (const RowIndex row : sample.rows) {
    if (!sample.table->target().is_missing(row)) rows.push_back(row);
  }
  return rows;
}

size_t rows_in(std::span<const Sample> samples) {
  size_t count = 0;
  for (const Sample& sample : samples) count += sample.rows.size();
  return count;
}

// Fewer rows than parts: each is a part of its own.
std::vector<uint32_t> folds_of(const Sample& sample, size_t folds, uint64_t seed,
                               const Control& control) {
  if (sample.rows.size() >= folds) {
    return stratified_folds(*sample.table, sample.rows, folds, seed, control);
  }
  std::vector<uint32_t> list(sample.rows.size());
  std::iota(list.begin(), list.end(), 0U);
  return list;
}

}  // namespace

Parts::Parts(const Context& context, size_t folds) {
  const Table& table = context.table();
  rows_.reserve(2);
  rows_.push_back(known_rows({&table, context.rows}));
  all_.push_back({&table, rows_[0]});
  if (context.validation) {
    rows_.push_back(known_rows(*context.validation));
    if (!rows_[1].empty()) all_.push_back({context.validation->table, rows_[1]});
  }
  const size_t many = all_rows();
  if (folds == 0) folds = many < Constants::few_rows ? 5 : many < Constants::many_rows ? 3 : 2;
  if (many < Constants::least_divided_rows) folds = 1;
  parts_.resize(folds);
  rows_.reserve(4 + 2 * folds);  // samples point into it
  const std::vector<Sample> divided = chosen(context.seed, context.control);
  if (folds == 1) {
    parts_[0] = divided;
    return;
  }
  for (const Sample& sample : divided) add(sample, folds, context.seed, context.control);
}

// By what rows say, so that their order does not matter.
std::vector<Sample> Parts::chosen(uint64_t seed, const Control& control) {
  if (all_rows() <= Constants::most_judged_rows) return all_;
  const double share =
      static_cast<double>(Constants::most_judged_rows) / static_cast<double>(all_rows());
  std::vector<Sample> list;
  for (const Sample& sample : all_) {
    const std::vector<char> inside =
        stratified_part(*sample.table, sample.rows, share, mix64(seed), control);
    std::vector<RowIndex>& rows = rows_.emplace_back();
    for (size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] != 0) rows.push_back(sample.rows[i]);
    }
    list.push_back({sample.table, rows});
  }
  return list;
}

void Parts::add(const Sample& sample, size_t folds, uint64_t seed, const Control& control) {
  const std::vector<uint32_t> fold = folds_of(sample, folds, seed, control);
  for (size_t part = 0; part < folds; ++part) {
    std::vector<RowIndex>& rows = rows_.emplace_back();
    for (size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] == part) rows.push_back(sample.rows[i]);
    }
    parts_[part].push_back({sample.table, rows});
  }
}

std::vector<Sample> Parts::others(size_t part) const {
  if (parts_.size() == 1) return parts_[0];
  std::vector<Sample> list;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i != part) list.insert(list.end(), parts_[i].begin(), parts_[i].end());
  }
  return list;
}

size_t Parts::rows() const {
  size_t count = 0;
  for (const std::vector<Sample>& part : parts_) count += rows_in(part);
  return count;
}

size_t Parts::all_rows() const { return rows_in(all_); }

}  // namespace softwood::soft
