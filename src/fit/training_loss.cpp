#include "fit/training_loss.h"

#include <cmath>

#include "base/math.h"
#include "use/predict.h"

namespace softwood::fit {

double training_loss(const Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Parallel& parallel) {
  const Predictions predictions = predict(tree, table, rows, parallel);
  const bool classes = tree.task() == Task::classification;
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowIndex row = rows[i];
    const size_t column = classes ? static_cast<size_t>(table.target().codes[row]) : 0;
    const double answer = predictions.answers[i * predictions.width + column];
    const double error = classes ? 0 : table.target().numbers[row] - answer;
    sum +=
        table.weight(row) * (classes ? math::exp(-exponential_loss_rate * answer) : error * error);
  }
  return sum;
}

}  // namespace softwood::fit
