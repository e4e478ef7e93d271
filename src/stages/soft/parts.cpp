#include "stages/soft/parts.h"

#include <numeric>

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

// Fewer rows than parts: each is a part of its own.
std::vector<uint32_t> folds_of(const Sample& sample, size_t folds, uint64_t seed) {
  if (sample.rows.size() >= folds) {
    return stratified_folds(*sample.table, sample.rows, folds, seed);
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
  if (folds == 0) folds = rows() < Constants::few_rows ? 5 : rows() < Constants::many_rows ? 3 : 2;
  if (rows() < Constants::least_divided_rows) folds = 1;
  parts_.resize(folds);
  if (folds == 1) {
    parts_[0] = all_;
    return;
  }
  rows_.reserve(2 + 2 * folds);  // samples point into it
  const std::vector<Sample> given = all_;
  for (const Sample& sample : given) add(sample, folds, context.seed);
}

void Parts::add(const Sample& sample, size_t folds, uint64_t seed) {
  const std::vector<uint32_t> fold = folds_of(sample, folds, seed);
  for (size_t part = 0; part < folds; ++part) {
    std::vector<RowIndex>& rows = rows_.emplace_back();
    for (size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] == part) rows.push_back(sample.rows[i]);
    }
    parts_[part].push_back({sample.table, rows});
  }
}

std::vector<Sample> Parts::others(size_t part) const {
  if (parts_.size() == 1) return all_;
  std::vector<Sample> list;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i != part) list.insert(list.end(), parts_[i].begin(), parts_[i].end());
  }
  return list;
}

size_t Parts::rows() const {
  size_t count = 0;
  for (const Sample& sample : all_) count += sample.rows.size();
  return count;
}

}  // namespace softwood::soft
