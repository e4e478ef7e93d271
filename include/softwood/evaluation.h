// How good a model is on rows that are spread over many processes: sums over the rows of a part,
// as bytes, which merge in any order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "softwood/data.h"
#include "softwood/model.h"

namespace softwood {

class EvaluationPart {
 public:
  explicit EvaluationPart(const TreeModel& model);
  // More rows, with their targets; and with weights where the model was trained with them, or the
  // columns have some (DataColumns::weights).
  void add(const DataColumns& columns);
  std::string answer() const;

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};
std::string merged_evaluations(const TreeModel& model, const std::vector<std::string_view>& parts);
// Without calibration. The figures of `TreeModel::evaluate` on all rows together, but for rounding;
// a note where there are more different probabilities than areas under curves are counted by.
EvaluationResult evaluation_of(const TreeModel& model, std::string_view part,
                               NoteList* notes = nullptr);

}  // namespace softwood
