#include "gradient/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/sort.h"
#include "base/sum.h"
#include "fit/design.h"
#include "softwood/error.h"
#include "tree/gates/kinds.h"

namespace softwood::gradient {

namespace {

// Spreads below this share of the mean are rounding.
constexpr double least_relative_spread = 1e-10;

std::vector<double> weights_of(const Sample& sample) {
  std::vector<double> weights;
  for (const RowIndex row : sample.rows) weights.push_back(sample.table->weight(row));
  return weights;
}

// Weighted quantiles of known numbers.
class Quantiles {
 public:
  Quantiles(const Column& column, const Sample& sample, const Control& control) {
    for (const RowIndex row : sample.rows) {
      const double value = column.value(row), weight = sample.table->weight(row);
      if (std::isnan(value) || !(weight > 0)) continue;
      items_.emplace_back(value, weight);
      total_ += weight;
    }
    sort_unless_stopped(items_.begin(), items_.end(), std::less<>(), control);
  }
  // Leaves out values that have more than this share of all weights each.
  void leave_heaps(double share) {
    std::vector<std::pair<double, double>> rest;
    double kept = 0;
    for (size_t begin = 0, end = 0; begin < items_.size(); begin = end) {
      double weight = 0;
      for (; end < items_.size() && items_[end].first == items_[begin].first; ++end) {
        weight += items_[end].second;
      }
      if (weight > share * total_) continue;
      kept += weight;
      rest.insert(rest.end(), items_.begin() + static_cast<std::ptrdiff_t>(begin),
                  items_.begin() + static_cast<std::ptrdiff_t>(end));
    }
    items_ = std::move(rest);
    total_ = kept;
  }
  double at(double share) const {
    double sum = 0;
    for (const auto& [value, weight] : items_) {
      sum += weight;
      if (sum >= share * total_) return value;
    }
    return items_.empty() ? 0 : items_.back().first;
  }
  // The different values where they are whole numbers and at most so many; empty: they are not.
  std::vector<double> few_whole(size_t most) const {
    std::vector<double> list;
    for (const auto& item : items_) {
      if (!list.empty() && list.back() == item.first) continue;
      if (list.size() == most || item.first != std::floor(item.first)) return {};
      list.push_back(item.first);
    }
    return list;
  }
  double mean_distance(double from) const {
    double sum = 0;
    for (const auto& [value, weight] : items_) sum += weight * std::fabs(value - from);
    return total_ > 0 ? sum / total_ : 0;
  }

 private:
  std::vector<std::pair<double, double>> items_;
  double total_ = 0;
};

Term bent(Term term, double centre, double scale) {
  term.form = TermForm::asinh;
  term.centre = centre;
  term.scale = scale;
  return term;
}

// asinh((x - median) / scale): as the number near the middle, as its logarithm far from it. The
// scale is half the distance of the quartiles; where these are equal, the mean distance from the
// median.
void set_map(const Sample& sample, const Control& control, Term& term) {
  const Quantiles quantiles(sample.table->input(term.feature), sample, control);
  const double centre = quantiles.at(0.5);
  double scale = (quantiles.at(0.75) - quantiles.at(0.25)) / 2;
  if (!(scale > 0)) scale = quantiles.mean_distance(centre);
  if (!(scale > 0) || !std::isfinite(scale) || !std::isfinite(centre)) return;
  term = bent(term, centre, scale);
}

// Few whole numbers may be codes: a bend between each two neighbours, so that a sum can give every
// value an answer of its own, as it can the levels of a nominal input.
std::vector<Term> bends_between(std::span<const double> values, const Term& term) {
  std::vector<Term> list;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    const double gap = values[i + 1] - values[i];
    if (!std::isfinite(gap)) return {};
    list.push_back(bent(term, values[i] + gap / 2, gap / 4));
  }
  return list;
}

// The same map about several points: the middles of five parts with as many rows each. Its scale is
// half the width of the part. Together they bend the line along the input at these points. A value
// that more rows have than a part would have tells nothing of where the others lie: of a column
// with many zeros the points divide the rest.
std::vector<Term> knots_of(const Sample& sample, const Control& control, Term term) {
  constexpr size_t knots = 5, most_codes = 12;
  Quantiles quantiles(sample.table->input(term.feature), sample, control);
  const std::vector<double> codes = quantiles.few_whole(most_codes);
  std::vector<Term> list;
  if (codes.size() > 2) list = bends_between(codes, term);
  if (!list.empty()) return list;
  quantiles.leave_heaps(1.0 / knots);
  const auto at = [&](size_t half_parts) {
    return quantiles.at(static_cast<double>(half_parts) / (2.0 * knots));
  };
  for (size_t knot = 0; knot < knots; ++knot) {
    const double centre = at(2 * knot + 1), scale = (at(2 * knot + 2) - at(2 * knot)) / 2;
    if (!(scale > 0) || !std::isfinite(scale) || !std::isfinite(centre)) continue;
    if (!list.empty() && list.back().centre == centre) continue;
    list.push_back(bent(term, centre, scale));
  }
  if (list.empty()) {
    set_map(sample, control, term);
    list.push_back(term);
  }
  return list;
}

bool varies(const Term& term, const Sample& sample, std::span<const double> weights,
            std::span<const double> typical) {
  return !fit::design_of({term}, *sample.table, sample.rows, weights, typical).terms.empty();
}

}  // namespace

TargetScale target_scale(const Sample& sample) {
  TargetScale scale;
  const Table& table = *sample.table;
  if (table.schema().task() == Task::classification) return scale;
  double total = 0, squares = 0;
  bool first = true;
  for (const RowIndex row : sample.rows) {
    const double y = table.target().numbers[row], weight = table.weight(row);
    if (std::isnan(y)) continue;
    total += weight;
    if (total > 0) scale.centre += weight / total * (y - scale.centre);
    scale.low = first ? y : std::min(scale.low, y);
    scale.high = first ? y : std::max(scale.high, y);
    first = false;
  }
  for (const RowIndex row : sample.rows) {
    const double y = table.target().numbers[row] - scale.centre;
    if (!std::isnan(y) && total > 0) squares += table.weight(row) / total * y * y;
  }
  const double deviation = std::sqrt(squares);
  if (!std::isfinite(deviation)) {
    throw Error(ErrorKind::data,
                fmt::format("the numbers of the target '{}' are too large to be squared",
                            table.schema().target.name),
                {}, "divide them, for example by their largest");
  }
  if (deviation > 0) scale.scale = deviation;
  return scale;
}

std::vector<Term> input_terms(const Sample& sample, std::span<const double> typical, Map map,
                              const Control& control) {
  const std::vector<double> weights = weights_of(sample);
  std::vector<Term> terms;
  for (Term term : fit::design_terms(*sample.table, sample.rows, weights, typical)) {
    control.throw_if_interrupted();
    if (!varies(term, sample, weights, typical)) continue;
    const bool number =
        term.form == TermForm::value && sample.table->input(term.feature).kind == Kind::numeric;
    if (number && map == Map::knots) {
      const std::vector<Term> knots = knots_of(sample, control, term);
      terms.insert(terms.end(), knots.begin(), knots.end());
      continue;
    }
    if (number && map == Map::asinh) set_map(sample, control, term);
    terms.push_back(term);
  }
  return terms;
}

Inputs::Inputs(const Sample& sample, std::vector<double> typical, Map map, Products products,
               const Control& control)
    : Inputs(sample, typical, input_terms(sample, typical, map, control), control) {
  if (products != Products::none) add_products(sample, products, control);
}

Inputs::Inputs(const Sample& sample, std::vector<double> typical, const std::vector<Term>& terms,
               const Control& control)
    : typical_(std::move(typical)) {
  for (const Term& term : terms) {
    columns_.emplace_back();
    columns_.back().term = term;
  }
  set_moments(sample, control);
}

std::vector<std::vector<uint32_t>> Inputs::features() const {
  std::vector<std::vector<uint32_t>> list;
  for (const InputColumn& column : columns_) {
    list.push_back({column.term.feature});
    if (column.term.form == TermForm::product) list.back().push_back(column.term.other);
  }
  return list;
}

// Of columns that still have centre 0 and scale 1.
void Inputs::set_moments(const Sample& sample, const Control& control) {
  double total = 0;
  for (const RowIndex row : sample.rows) total += sample.table->weight(row);
  std::vector<double> values(columns_.size()), mean(columns_.size(), 0.0), squares(mean);
  std::vector<double> unit(columns_.size(), 0.0);  // in which squares are taken
  RowsUntilAsk until_ask;                          // cells here
  const auto take = [&](RowIndex row) {
    until_ask.add(values.size(), control);
    row_values(*sample.table, row, values);
  };
  for (const RowIndex row : sample.rows) {
    take(row);
    for (size_t t = 0; t < values.size(); ++t) unit[t] = std::max(unit[t], std::fabs(values[t]));
  }
  std::transform(unit.begin(), unit.end(), unit.begin(), squarable_unit);
  for (const RowIndex row : sample.rows) {
    take(row);
    const double share = sample.table->weight(row) / total;
    for (size_t t = 0; t < values.size(); ++t) mean[t] += share * (values[t] / unit[t]);
  }
  for (const RowIndex row : sample.rows) {
    take(row);
    const double share = sample.table->weight(row) / total;
    for (size_t t = 0; t < values.size(); ++t) {
      const double deviation = values[t] / unit[t] - mean[t];
      squares[t] += share * deviation * deviation;
    }
  }
  for (size_t t = 0; t < columns_.size(); ++t) {
    InputColumn& column = columns_[t];
    if (column.centre != 0 || column.scale != 1) continue;
    const double scale = std::sqrt(squares[t]);
    if (!std::isfinite(scale)) continue;
    column.centre = mean[t] * unit[t];
    if (scale > least_relative_spread * std::fabs(mean[t])) {
      column.scale = scale * unit[t];
    }
  }
}

void Inputs::add_products(const Sample& sample, Products products, const Control& control) {
  const auto linear = static_cast<uint32_t>(columns_.size());
  const auto may_be_multiplied = [&](uint32_t a) {
    const InputColumn& column = columns_[a];
    return column.term.form == TermForm::value &&
           fit::squares_keep_digits(column.centre, column.scale);
  };
  for (uint32_t a = 0; a < linear; ++a) {
    if (!may_be_multiplied(a)) continue;
    const uint32_t end = products == Products::squares ? a + 1 : linear;
    for (uint32_t b = a; b < end; ++b) {
      if (!may_be_multiplied(b)) continue;
      InputColumn column;
      column.term.form = a == b ? TermForm::square : TermForm::product;
      column.term.feature = columns_[a].term.feature;
      column.term.other = a == b ? 0 : columns_[b].term.feature;
      column.first = a;
      column.second = b;
      column.is_product = true;
      columns_.push_back(column);
    }
  }
  set_moments(sample, control);
}

void Inputs::row_values(const Table& table, RowIndex row, std::span<double> values) const {
  for (size_t t = 0; t < columns_.size(); ++t) {
    const InputColumn& column = columns_[t];
    const double value = column.is_product ? values[column.first] * values[column.second]
                                           : term_value(column.term, table, row, typical_);
    values[t] = (value - column.centre) / column.scale;
  }
}

template <class Real>
Rows<Real> Inputs::rows(std::span<const Sample> samples, const TargetScale& scale,
                        const Control& control) const {
  // Beyond this many standard deviations inputs tell nothing more, but could overflow.
  constexpr double most = 1e3;
  Rows<Real> out;
  out.stride = (terms() + 3) / 4 * 4;
  std::vector<double> values(terms()), weights;
  double total = 0;
  RowsUntilAsk until_ask;  // cells here
  for (const Sample& sample : samples) {
    for (const RowIndex row : sample.rows) {
      until_ask.add(values.size(), control);
      const Column& target = sample.table->target();
      if (target.is_missing(row)) continue;
      row_values(*sample.table, row, values);
      const size_t begin = out.cells.size();
      out.cells.resize(begin + out.stride, Real(0));
      for (size_t t = 0; t < values.size(); ++t) {
        out.cells[begin + t] = static_cast<Real>(std::clamp(values[t], -most, most));
      }
      out.target.push_back(static_cast<Real>((target.value(row) - scale.centre) / scale.scale));
      weights.push_back(sample.table->weight(row));
      total += weights.back();
      ++out.count;
    }
  }
  const double mean = total / static_cast<double>(std::max<size_t>(out.count, 1));
  for (const double weight : weights) out.weight.push_back(static_cast<Real>(weight / mean));
  return out;
}

// With z = (t - m) / s for the plain columns, the part of a product of two of them is
//   c (z_a z_b - M) / S,   z_a z_b = (t_a t_b - m_b t_a - m_a t_b + m_a m_b) / (s_a s_b)
Inputs::Sum Inputs::in_data_units(double constant, std::span<const double> weights) const {
  Sum sum;
  sum.constant = constant;
  std::vector<double> plain(columns_.size(), 0.0);
  std::vector<Term> products;
  for (size_t t = 0; t < columns_.size(); ++t) {
    const InputColumn& column = columns_[t];
    if (weights[t] == 0) continue;
    const double factor = weights[t] / column.scale;
    sum.constant -= factor * column.centre;
    if (!column.is_product) {
      plain[t] += factor;
      continue;
    }
    const InputColumn &a = columns_[column.first], &b = columns_[column.second];
    const double inner = factor / a.scale / b.scale;
    plain[column.first] -= inner * b.centre;
    plain[column.second] -= inner * a.centre;
    sum.constant += inner * a.centre * b.centre;
    products.push_back(column.term);
    products.back().coefficient = inner;
  }
  for (size_t t = 0; t < columns_.size(); ++t) {
    if (plain[t] == 0) continue;
    sum.terms.push_back(columns_[t].term);
    sum.terms.back().coefficient = plain[t];
  }
  sum.terms.insert(sum.terms.end(), products.begin(), products.end());
  return sum;
}

template Rows<float> Inputs::rows(std::span<const Sample>, const TargetScale&,
                                  const Control&) const;
template Rows<double> Inputs::rows(std::span<const Sample>, const TargetScale&,
                                   const Control&) const;

}  // namespace softwood::gradient
