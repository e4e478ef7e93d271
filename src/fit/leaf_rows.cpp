#include "fit/leaf_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"

namespace softwood::fit {

LeafClasses::LeafClasses(const LeafRows& leaf) {
  const Cells<int32_t>& target = leaf.table.target().codes;
  for (const RowIndex row : leaf.rows) codes.push_back(static_cast<uint32_t>(target[row]));
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  weight.assign(codes.size(), 0.0);
  for (size_t i = 0; i < leaf.rows.size(); ++i) {
    const auto code = static_cast<uint32_t>(target[leaf.rows[i]]);
    const auto place = std::lower_bound(codes.begin(), codes.end(), code);
    of_row.push_back(static_cast<uint32_t>(place - codes.begin()));
    weight[of_row.back()] += leaf.weights[i];
  }
}

size_t LeafClasses::heaviest() const {
  return static_cast<size_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
}

double LeafClasses::total() const { return std::accumulate(weight.begin(), weight.end(), 0.0); }

double LeafClasses::constant_loss() const {
  double loss = 0;
  for (const double own : weight) loss -= own * math::log(own / total());
  return loss;
}

double model_loss(const LeafModel& model, const LeafRows& leaf, const LeafClasses& classes) {
  constexpr double least_probability = 1e-15;
  std::vector<double> outputs, answer(leaf.table.schema().classes());
  double loss = 0;
  for (size_t i = 0; i < leaf.rows.size(); ++i) {
    if (!leaf_model_answer(model, leaf.table, leaf.rows[i], leaf.typical, outputs, answer)) {
      return missing_number;
    }
    const double probability = answer[classes.codes[classes.of_row[i]]];
    loss -= leaf.weights[i] * math::log(std::max(probability, least_probability));
  }
  return loss;
}

}  // namespace softwood::fit
