#include "stages/fit/design.h"

#include <algorithm>
#include <cmath>

#include "tree/gates/kinds.h"

namespace softwood::fit {

namespace {

// Spreads below this share of the mean are lost in rounding when the data are far from 0.
constexpr double least_relative_spread = 1e-10;

// The levels of a nominal feature that rows have, but for the heaviest (the first of equals).
void add_level_terms(const Table& table, uint32_t feature, std::span<const RowIndex> rows,
                     std::span<const double> weights, double typical, std::vector<Term>& terms) {
  const Column& column = table.input(feature);
  std::vector<double> weight(table.schema().features[feature].levels.size(), 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int32_t code = column.codes[rows[i]];
    weight[code < 0 ? static_cast<size_t>(typical) : static_cast<size_t>(code)] += weights[i];
  }
  const auto heaviest = std::max_element(weight.begin(), weight.end()) - weight.begin();
  for (uint32_t level = 0; level < weight.size(); ++level) {
    if (weight[level] > 0 && static_cast<std::ptrdiff_t>(level) != heaviest) {
      terms.push_back({TermForm::level, feature, level, 1.0});
    }
  }
}

}  // namespace

std::vector<double> Design::in_data_units(double constant,
                                          const Eigen::VectorXd& standardised) const {
  std::vector<double> numbers(1 + terms.size());
  for (size_t t = 0; t < terms.size(); ++t) {
    const auto at = static_cast<Eigen::Index>(t);
    numbers[1 + t] = standardised[at] / scale[at];
    constant -= numbers[1 + t] * mean[at];
  }
  numbers[0] = constant;
  return numbers;
}

Design make_design(const Table& table, std::span<const RowIndex> rows,
                   std::span<const double> weights, std::span<const double> typical) {
  Design design;
  std::vector<Term> candidates;
  for (uint32_t f = 0; f < table.features(); ++f) {
    if (std::isnan(typical[f])) continue;
    if (table.input(f).kind == Kind::nominal) {
      add_level_terms(table, f, rows, weights, typical[f], candidates);
    } else {
      candidates.push_back({TermForm::value, f, 0, 1.0});
    }
  }
  const auto count = static_cast<Eigen::Index>(rows.size());
  design.weight = Eigen::Map<const Eigen::VectorXd>(weights.data(), count);
  design.total_weight = design.weight.sum();
  const Eigen::VectorXd share = design.weight / design.total_weight;
  const auto most = static_cast<Eigen::Index>(candidates.size());
  design.cells.resize(count, most);
  design.mean.resize(most);
  design.scale.resize(most);
  Eigen::Index kept = 0;
  for (const Term& term : candidates) {
    auto column = design.cells.col(kept);
    for (Eigen::Index i = 0; i < count; ++i) {
      column[i] = term_value(term, table, rows[static_cast<size_t>(i)], typical);
    }
    const double mean = share.dot(column);
    column.array() -= mean;
    const double scale = std::sqrt(share.dot(column.cwiseAbs2()));
    if (!std::isfinite(scale) || !(scale > least_relative_spread * std::fabs(mean))) continue;
    column /= scale;
    design.mean[kept] = mean;
    design.scale[kept] = scale;
    design.terms.push_back(term);
    ++kept;
  }
  design.cells.conservativeResize(Eigen::NoChange, kept);
  design.mean.conservativeResize(kept);
  design.scale.conservativeResize(kept);
  return design;
}

}  // namespace softwood::fit
