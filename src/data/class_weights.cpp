#include "data/class_weights.h"

namespace softwood {

std::vector<double> class_totals(const Table& table, std::span<const RowIndex> rows) {
  std::vector<double> totals(table.schema().classes(), 0.0);
  for (const RowIndex row : rows) {
    const int32_t code = table.target().codes[row];
    if (code >= 0) totals[static_cast<size_t>(code)] += table.weight(row);
  }
  return totals;
}

std::vector<double> class_factors(std::span<const double> totals,
                                  std::span<const double> relative) {
  double before = 0, after = 0;
  for (size_t k = 0; k < totals.size(); ++k) {
    before += totals[k];
    after += totals[k] * relative[k];
  }
  std::vector<double> factors(relative.begin(), relative.end());
  if (after > 0) {
    for (double& factor : factors) factor *= before / after;
  }
  return factors;
}

std::vector<double> class_factors(const Table& table, std::span<const RowIndex> rows,
                                  std::span<const double> relative) {
  return class_factors(class_totals(table, rows), relative);
}

std::vector<double> factors_for_priors(const Table& table, std::span<const RowIndex> rows,
                                       std::span<const double> priors) {
  std::vector<double> relative = class_totals(table, rows);
  for (size_t k = 0; k < relative.size(); ++k) {
    relative[k] = relative[k] > 0 ? priors[k] / relative[k] : 1;
  }
  return class_factors(table, rows, relative);
}

std::vector<double> ClassBalance::factors(const Table& table,
                                          std::span<const RowIndex> rows) const {
  if (!priors.empty()) return factors_for_priors(table, rows, priors);
  return relative.empty() ? std::vector<double>() : class_factors(table, rows, relative);
}

ClassBalance balanced(size_t classes) {
  return {{}, std::vector<double>(classes, 1 / static_cast<double>(classes))};
}

Table reweighted(const Table& table, std::span<const double> factors) {
  std::vector<Column> inputs;
  inputs.reserve(table.features());
  for (size_t f = 0; f < table.features(); ++f) inputs.push_back(table.input(f));
  std::vector<double> weights(table.rows());
  for (RowIndex row = 0; row < table.rows(); ++row) {
    const int32_t code = table.target().codes[row];
    weights[row] = table.weight(row) * (code < 0 ? 1 : factors[static_cast<size_t>(code)]);
  }
  Table result(table.schema(), table.rows(), std::move(inputs), table.target(), std::move(weights));
  if (table.canonical()) result.set_canonical();
  return result;
}

}  // namespace softwood
