// The number of an answer that is explained: a probability, log odds, or a predicted number.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "softwood/explain.h"
#include "softwood/lowered.h"
#include "use/predict.h"

namespace softwood {

class Quantity {
 public:
  // A usage Error for a scale that the tree does not have.
  Quantity(const LoweredTree& tree, AnswerScale scale);

  AnswerScale scale() const { return scale_; }
  size_t outputs() const { return classes_.empty() ? 1 : classes_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  // From the answer of the tree for one row, probabilities or a number.
  void from_answer(std::span<const double> answer, std::span<double> outputs) const;
  // rows x outputs() for the answers of a table.
  std::vector<double> of_rows(const Predictor& predictor, const Table& table,
                              std::span<const RowIndex> rows, const Parallel& parallel) const;

  // Whether the outputs of a row are its shares times constants of the nodes where it ends.
  bool is_sum_over_ends() const { return sum_over_ends_; }
  // These constants.
  void of_end(const LoweredNode& node, std::span<double> outputs) const;

 private:
  void centre_scores(std::span<const double> scores, std::span<double> outputs) const;

  AnswerScale scale_;
  size_t width_;                   // of answers
  std::vector<uint32_t> classes_;  // explained ones; none: regression
  std::vector<std::string> names_;
  bool mixes_scores_ = false, sum_over_ends_ = false;
};

// The nodes where rows can end: leaves, and nodes where rows without a value stay.
bool is_end(const LoweredNode& node);

}  // namespace softwood
