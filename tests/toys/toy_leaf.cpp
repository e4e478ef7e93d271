#include "toys/toy_leaf.h"

#include <algorithm>

namespace softwood::fit {

std::optional<LeafModel> midrange_leaf(const LeafRows& leaf, const LeafPlan&) {
  LeafModel model;
  const auto target = [&](size_t i) { return leaf.table.target().numbers[leaf.rows[i]]; };
  model.low = model.high = target(0);
  for (size_t i = 1; i < leaf.rows.size(); ++i) {
    model.low = std::min(model.low, target(i));
    model.high = std::max(model.high, target(i));
  }
  model.coefficients = {(model.low + model.high) / 2};
  return model;
}

}  // namespace softwood::fit
