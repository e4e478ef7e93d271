// The rows of which soft trees are made, divided so that trees can be judged by rows that did not
// train them.
#pragma once

#include <vector>

#include "stages/stage.h"

namespace softwood::soft {

// The rows in parts: each part is judged by a tree that is fitted to the others. Validation rows
// are divided as the training rows are: in the end the tree is fitted to all of them. Of very many
// rows some are in no part, so that the choice takes no longer than it does with fewer.
class Parts {
 public:
  // `folds`: number of parts; 0: more of them where there are few rows.
  Parts(const Context& context, size_t folds);
  Parts(const Parts&) = delete;

  size_t count() const { return parts_.size(); }
  const std::vector<Sample>& part(size_t i) const { return parts_[i]; }
  std::vector<Sample> others(size_t i) const;  // the part itself, when there is only one
  size_t rows() const;                         // of the parts
  // The training rows, then the validation rows, in a part or not.
  const std::vector<Sample>& all() const { return all_; }
  size_t all_rows() const;

 private:
  std::vector<Sample> chosen(uint64_t seed, const Control& control);
  void add(const Sample& sample, size_t folds, uint64_t seed, const Control& control);

  std::vector<std::vector<RowIndex>> rows_;
  std::vector<std::vector<Sample>> parts_;
  std::vector<Sample> all_;
};

}  // namespace softwood::soft
