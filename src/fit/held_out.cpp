#include "fit/held_out.h"

#include "data/folds.h"

namespace softwood::fit {

namespace {

constexpr size_t least_rows = 20;

}  // namespace

HeldOut::HeldOut(const Sample& training, const std::optional<Sample>& validation, double share,
                 uint64_t seed)
    : table_(training.table), held_table_(table_) {
  const auto known = [](const Table& table, std::span<const RowIndex> rows) {
    std::vector<RowIndex> list;
    for (const RowIndex row : rows) {
      if (!table.target().is_missing(row)) list.push_back(row);
    }
    return list;
  };
  train_ = known(*table_, training.rows);
  if (validation) {
    held_table_ = validation->table;
    held_ = known(*held_table_, validation->rows);
    if (!held_.empty()) return;
    held_table_ = table_;
  }
  both_ = train_;
  if (train_.size() < least_rows || !(share > 0)) {
    held_ = train_;
    return;
  }
  const std::vector<char> out = stratified_part(*table_, train_, share, seed);
  std::vector<RowIndex> kept;
  for (size_t i = 0; i < train_.size(); ++i) (out[i] != 0 ? held_ : kept).push_back(train_[i]);
  train_ = std::move(kept);
}

std::vector<Sample> HeldOut::all() const {
  if (!both_.empty()) return {{table_, both_}};
  return {train(), held_out()};
}

}  // namespace softwood::fit
