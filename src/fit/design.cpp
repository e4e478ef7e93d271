#include "fit/design.h"

#include <algorithm>
#include <cmath>

#include "base/sum.h"

namespace softwood::fit {

namespace {

// Deviations outside of these bounds are not used: coefficients could not be written.
constexpr double least_scale = 1e-290, largest_scale = 1e290;
// Deviations smaller than this share of the values are rounding.
constexpr double least_spread = 1e-10;

bool is_used(const Column& column, std::span<const double> typical, size_t feature) {
  return typical.empty() ? column.missing == 0 : !std::isnan(typical[feature]);
}

// The cells of a feature; a missing one has the typical value.
void set_values(const Column& column, std::span<const RowIndex> rows, double typical,
                Eigen::Ref<Eigen::VectorXd> values) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const double value = column.value(rows[i]);
    values[static_cast<Eigen::Index>(i)] = std::isnan(value) ? typical : value;
  }
}

// The levels of a nominal feature that rows have, but for the heaviest (the first of equals).
void add_level_terms(const Table& table, uint32_t feature, std::span<const RowIndex> rows,
                     std::span<const double> weights, double typical, std::vector<Term>& terms) {
  const Column& column = table.input(feature);
  std::vector<double> weight(table.schema().features[feature].levels.size(), 0.0);
  if (weight.empty()) return;
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

bool standardise(Eigen::Ref<Eigen::VectorXd> values, const Eigen::VectorXd& weight,
                 double total_weight, double& mean, double& scale) {
  const double largest = values.cwiseAbs().maxCoeff();
  if (!(largest < largest_scale)) return false;
  const double unit = squarable_unit(largest);
  values /= unit;
  mean = values.dot(weight) / total_weight;
  values.array() -= mean;
  scale = std::sqrt((values.array().square() * weight.array()).sum() / total_weight);
  values /= scale;
  mean *= unit;
  scale *= unit;
  return scale > std::max(least_scale, least_spread * largest);
}

bool squares_keep_digits(double mean, double scale) {
  constexpr double most_scales = 1e4;           // eight of sixteen digits are left
  constexpr double least = 1e-70, most = 1e70;  // of coefficients of squares that can be written
  return std::abs(mean) <= most_scales * scale && scale > least && scale < most;
}

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

namespace {

double typical_of(std::span<const double> typical, size_t feature) {
  return typical.empty() ? missing_number : typical[feature];
}

}  // namespace

std::vector<Term> design_terms(const Table& table, std::span<const RowIndex> rows,
                               std::span<const double> weights, std::span<const double> typical) {
  std::vector<Term> candidates;
  for (uint32_t f = 0; f < table.features(); ++f) {
    if (!is_used(table.input(f), typical, f)) continue;
    if (table.input(f).kind == Kind::nominal) {
      add_level_terms(table, f, rows, weights, typical_of(typical, f), candidates);
    } else {
      candidates.push_back({TermForm::value, f, 0, 1.0});
    }
  }
  return candidates;
}

Design design_of(const std::vector<Term>& terms, const Table& table, std::span<const RowIndex> rows,
                 std::span<const double> weights, std::span<const double> typical) {
  Design design;
  const auto count = static_cast<Eigen::Index>(rows.size());
  design.weight = Eigen::Map<const Eigen::VectorXd>(weights.data(), count);
  design.total_weight = design.weight.sum();
  const auto most = static_cast<Eigen::Index>(terms.size());
  design.cells.resize(count, most);
  design.mean.resize(most);
  design.scale.resize(most);
  Eigen::Index kept = 0;
  for (const Term& term : terms) {
    auto column = design.cells.col(kept);
    set_values(table.input(term.feature), rows, typical_of(typical, term.feature), column);
    if (term.form == TermForm::level) {
      column = (column.array() == static_cast<double>(term.other)).cast<double>();
    }
    if (!standardise(column, design.weight, design.total_weight, design.mean[kept],
                     design.scale[kept])) {
      continue;
    }
    design.terms.push_back(term);
    ++kept;
  }
  design.cells.conservativeResize(Eigen::NoChange, kept);
  design.mean.conservativeResize(kept);
  design.scale.conservativeResize(kept);
  return design;
}

Design make_design(const Table& table, std::span<const RowIndex> rows,
                   std::span<const double> weights, std::span<const double> typical) {
  return design_of(design_terms(table, rows, weights, typical), table, rows, weights, typical);
}

}  // namespace softwood::fit
