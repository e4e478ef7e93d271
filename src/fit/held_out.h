// The rows that a stage trains with and those by which it chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/sample.h"

namespace softwood::fit {

// The validation rows where there are some, else a part of the training rows. Rows whose target is
// not known are left out. When there are too few rows to hold any out, `held_out` are the training
// rows themselves.
struct HeldOut {
  // Of `share` of the training rows, drawn by the seed.
  HeldOut(const Sample& training, const std::optional<Sample>& validation, double share,
          uint64_t seed);
  HeldOut(const HeldOut&) = delete;

  Sample train() const { return {table_, train_}; }
  Sample held_out() const { return {held_table_, held_}; }
  // Whether the held-out rows are some of those that stages before had for training.
  bool is_part_of_training() const { return train_.size() < both_.size(); }
  // Whether none could be held out.
  bool are_training_rows() const { return held_table_ == table_ && held_ == train_; }
  // All of them: the last fit is made with these.
  std::vector<Sample> all() const;

 private:
  const Table* table_;
  const Table* held_table_;
  std::vector<RowIndex> train_, held_;
  std::vector<RowIndex> both_;  // not empty: rows of one table, in their order
};

}  // namespace softwood::fit
