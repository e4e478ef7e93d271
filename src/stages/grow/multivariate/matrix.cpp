#include "stages/grow/multivariate/matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/design.h"

namespace softwood::grow {
namespace {

// Products whose variance is below this share of the weight are rounding.
constexpr double least_spread = 1e-10;

// How much of the variance of each column the target explains: the squared correlation with a
// number, the share of the variance between classes.
Eigen::VectorXd strengths(const NodeSample& node, const Eigen::MatrixXd& x,
                          const Eigen::VectorXd& weight, double total) {
  if (node.target.task == Task::regression) {
    Eigen::VectorXd y(x.rows());
    for (Eigen::Index i = 0; i < x.rows(); ++i) y[i] = node.number(static_cast<size_t>(i));
    y.array() -= y.dot(weight) / total;
    y.array() *= weight.array();
    return (x.transpose() * y).array().square();
  }
  Eigen::MatrixXd sums =
      Eigen::MatrixXd::Zero(x.cols(), static_cast<Eigen::Index>(node.cell.size()));
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const size_t row = static_cast<size_t>(i);
      sums(j, static_cast<Eigen::Index>(node.class_of(row))) += weight[i] * x(i, j);
    }
  }
  Eigen::VectorXd strength = Eigen::VectorXd::Zero(x.cols());
  for (size_t k = 0; k < node.cell.size(); ++k) {
    if (node.cell[k] > 0) {
      strength.array() += sums.col(static_cast<Eigen::Index>(k)).array().square() / node.cell[k];
    }
  }
  return strength;
}

// The same of indicators of levels, by sums over the levels of each feature: no column is made.
std::vector<double> level_strengths(const NodeSample& node, std::span<const Term> levels) {
  const bool numbers = node.target.task == Task::regression;
  const size_t width = numbers ? 1 : node.cell.size();
  double total = 0, mean = 0;
  for (size_t i = 0; i < node.size(); ++i) total += node.weight(i);
  for (size_t i = 0; numbers && i < node.size(); ++i) {
    mean += node.weight(i) * node.number(i) / total;
  }
  std::vector<double> weight, sums;  // of the levels of a feature; sums of classes or deviations
  std::vector<double> strength;
  for (size_t t = 0; t < levels.size(); ++t) {
    if (t == 0 || levels[t].feature != levels[t - 1].feature) {
      const size_t count = node.table.schema().features[levels[t].feature].levels.size();
      weight.assign(count, 0.0);
      sums.assign(count * width, 0.0);
      for (size_t i = 0; i < node.size(); ++i) {
        const auto code =
            static_cast<size_t>(node.table.input(levels[t].feature).codes[node.rows[i]]);
        weight[code] += node.weight(i);
        sums[code * width + (numbers ? 0 : node.class_of(i))] +=
            node.weight(i) * (numbers ? node.number(i) - mean : 1);
      }
    }
    const double share = weight[levels[t].other] / total;
    double explained = 0;
    for (size_t k = 0; k < width; ++k) {
      const double sum = sums[levels[t].other * width + k];
      if (numbers) {
        explained += sum * sum;
      } else if (node.cell[k] > 0) {
        explained += std::pow(sum - share * node.cell[k], 2) / node.cell[k];
      }
    }
    strength.push_back(explained / (share * (1 - share)));
  }
  return strength;
}

// The positions of the `most` largest strengths, ascending.
std::vector<uint32_t> strongest(const std::vector<double>& strength, size_t most) {
  std::vector<uint32_t> order(strength.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return strength[a] > strength[b]; });
  order.resize(std::min(most, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

// Leaves at most `most` indicators of levels, so that only those become columns.
void keep_strongest_levels(const NodeSample& node, size_t most, std::vector<Term>& terms) {
  const auto is_level = [](const Term& term) { return term.form == TermForm::level; };
  std::vector<Term> levels;
  std::copy_if(terms.begin(), terms.end(), std::back_inserter(levels), is_level);
  if (levels.size() <= most) return;
  std::erase_if(terms, is_level);
  for (const uint32_t t : strongest(level_strengths(node, levels), most)) {
    terms.push_back(levels[t]);
  }
  // Columns are in the order of the features.
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.feature < b.feature; });
}

}  // namespace

NodeMatrix::NodeMatrix(const NodeSample& node, size_t most) {
  std::vector<double> weights(node.size());
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = node.weight(i);
  std::vector<Term> terms = fit::design_terms(node.table, node.rows, weights, {});
  keep_strongest_levels(node, most, terms);
  fit::Design design = fit::design_of(terms, node.table, node.rows, weights, {});
  x_ = std::move(design.cells);
  weight_ = std::move(design.weight);
  total_weight_ = design.total_weight;
  for (size_t j = 0; j < design.terms.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    columns_.push_back({design.terms[j], design.mean[at], design.scale[at]});
  }
  if (columns_.size() > most) {
    const Eigen::VectorXd strength = strengths(node, x_, weight_, total_weight_);
    const std::vector<uint32_t> kept =
        strongest({strength.data(), strength.data() + strength.size()}, most);
    for (size_t j = 0; j < kept.size(); ++j) {
      columns_[j] = columns_[kept[j]];
      x_.col(static_cast<Eigen::Index>(j)) = x_.col(kept[j]);
    }
    columns_.resize(kept.size());
    x_.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(kept.size()));
  }
  linear_ = columns_.size();
}

namespace {

// Sums of w * f * z_a * z_b over the rows, for all pairs of columns at once.
Eigen::MatrixXd pair_sums(const Eigen::MatrixXd& z, const Eigen::VectorXd& factor) {
  return z.transpose() * factor.asDiagonal() * z;
}

// The strengths of all products z_a * z_b: see strengths(); products are not standardised, so the
// mean and the variance of each are taken out here.
Eigen::MatrixXd product_strengths(const NodeSample& node, const Eigen::MatrixXd& z,
                                  const Eigen::VectorXd& weight, double total) {
  const Eigen::MatrixXd sums = pair_sums(z, weight);
  const Eigen::MatrixXd squares = z.array().square();
  const Eigen::ArrayXXd variance =
      pair_sums(squares, weight).array() - sums.array().square() / total;
  Eigen::ArrayXXd explained = Eigen::ArrayXXd::Zero(z.cols(), z.cols());
  if (node.target.task == Task::regression) {
    Eigen::VectorXd y(z.rows());
    for (Eigen::Index i = 0; i < z.rows(); ++i) y[i] = node.number(static_cast<size_t>(i));
    y.array() -= y.dot(weight) / total;
    y.array() *= weight.array();
    explained = pair_sums(z, y).array().square();
  } else {
    std::vector<std::vector<Eigen::Index>> members(node.cell.size());
    for (size_t i = 0; i < node.size(); ++i) {
      members[node.class_of(i)].push_back(static_cast<Eigen::Index>(i));
    }
    for (size_t k = 0; k < members.size(); ++k) {
      if (members[k].empty()) continue;
      const Eigen::MatrixXd part = z(members[k], Eigen::all);
      explained += pair_sums(part, weight(members[k])).array().square() / node.cell[k];
    }
    explained -= sums.array().square() / total;
  }
  return (variance > least_spread * total).select(explained / variance, 0.0);
}

}  // namespace

void NodeMatrix::add_products(const NodeSample& node, size_t most) {
  std::vector<uint32_t> numeric;
  for (uint32_t j = 0; j < linear_; ++j) {
    const MatrixColumn& column = columns_[j];
    if (column.term.form == TermForm::value &&
        fit::squares_keep_digits(column.centre, column.scale)) {
      numeric.push_back(j);
    }
  }
  if (numeric.empty() || columns_.size() >= most) return;
  const Eigen::MatrixXd z = x_(Eigen::all, numeric);
  const Eigen::MatrixXd all = product_strengths(node, z, weight_, total_weight_);
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::vector<double> strength;
  for (uint32_t a = 0; a < numeric.size(); ++a) {
    for (uint32_t b = a; b < numeric.size(); ++b) {
      if (!(all(a, b) > 0)) continue;
      pairs.emplace_back(a, b);
      strength.push_back(all(a, b));
    }
  }
  const std::vector<uint32_t> kept = strongest(strength, most - columns_.size());
  auto used = static_cast<Eigen::Index>(columns_.size());
  x_.conservativeResize(Eigen::NoChange, used + static_cast<Eigen::Index>(kept.size()));
  for (const uint32_t k : kept) {
    const auto [a, b] = pairs[k];
    MatrixColumn column;
    column.first = numeric[a];
    column.second = numeric[b];
    column.term.form = a == b ? TermForm::square : TermForm::product;
    column.term.feature = columns_[column.first].term.feature;
    column.term.other = a == b ? 0 : columns_[column.second].term.feature;
    auto values = x_.col(used);
    values = z.col(a).cwiseProduct(z.col(b));
    if (!fit::standardise(values, weight_, total_weight_, column.centre, column.scale)) continue;
    columns_.push_back(column);
    ++used;
  }
  x_.conservativeResize(Eigen::NoChange, used);
}

// With z = (v - m) / s for the linear columns, a product's part of the score is
//   c z_a z_b = c / (s_a s_b) * (v_a v_b - m_b v_a - m_a v_b + m_a m_b)
// and the constant moves the cut, which is found afterwards.
ScoreGate NodeMatrix::gate(const Eigen::VectorXd& direction) const {
  ScoreGate gate;
  Eigen::Index largest = 0;
  if (direction.size() == 0 || !(direction.cwiseAbs().maxCoeff(&largest) > 0)) return gate;
  // The largest weight is 1; weights that are nothing but rounding beside it are left out.
  constexpr double negligible = 1e-12;
  std::vector<double> linear(linear_, 0.0);
  std::vector<Term> products;
  for (size_t j = 0; j < columns_.size(); ++j) {
    const MatrixColumn& column = columns_[j];
    const double weight = direction[static_cast<Eigen::Index>(j)] / direction[largest];
    if (std::abs(weight) < negligible) continue;
    if (j < linear_) {
      linear[j] += weight / column.scale;
      continue;
    }
    const MatrixColumn &a = columns_[column.first], &b = columns_[column.second];
    const double factor = weight / column.scale / a.scale / b.scale;
    linear[column.first] -= factor * b.centre;
    linear[column.second] -= factor * a.centre;
    products.push_back(column.term);
    products.back().coefficient = factor;
  }
  for (size_t j = 0; j < linear_; ++j) {
    if (linear[j] == 0) continue;
    gate.terms.push_back(columns_[j].term);
    gate.terms.back().coefficient = linear[j];
  }
  gate.terms.insert(gate.terms.end(), products.begin(), products.end());
  if (gate.terms.size() == 1) gate.terms[0].coefficient = 1;
  return gate;
}

}  // namespace softwood::grow
