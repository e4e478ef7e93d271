#include <boost/math/distributions/fisher_f.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "stages/grow/multivariate/matrix.h"
#include "stages/grow/multivariate/split.h"

namespace softwood::grow {
namespace {

constexpr size_t divisions = 5;
constexpr size_t kinds = 3;
constexpr double significance = 0.05;
// Of larger nodes each division takes this many rows: the time that the test takes is then bounded
// by the number of nodes.
constexpr size_t most_tested = 1000;

// The best split by one column.
ScoreSplit univariate_split(const NodeSample& node) {
  const NodeMatrix matrix(node);
  SortScratch scratch;
  double best = 0;
  Eigen::Index chosen = -1;
  for (Eigen::Index j = 0; j < matrix.x().cols(); ++j) {
    const ScoreCut cut = quick_cut(
        node, {matrix.x().col(j).data(), static_cast<size_t>(matrix.x().rows())}, scratch);
    if (!clearly_better(cut.score, best)) continue;
    best = cut.score;
    chosen = j;
  }
  if (chosen < 0) return {};
  return with_cut(node, matrix.gate(Eigen::VectorXd::Unit(matrix.x().cols(), chosen)), quick_cut);
}

ScoreSplit split_by(NodeKind kind, const NodeSample& node) {
  switch (kind) {
    case NodeKind::univariate:
      return univariate_split(node);
    case NodeKind::linear:
      return regularised_split(node, Terms::linear, quick_cut);
    case NodeKind::quadratic:
      return regularised_split(node, Terms::quadratic, quick_cut);
  }
  return {};
}

// The mean error on `test` of a tree of one node, or of a leaf when there is no split: the weight
// of wrong classes, or the squared error.
double stump_error(const ScoreSplit& split, const NodeSample& train, const NodeSample& test) {
  const auto side_of = [&](const NodeSample& node) {
    std::vector<uint32_t> side(node.size(), 0);
    if (!(split.score > 0)) return side;
    std::vector<double> scores(node.size());
    gate_scores(split.gate, node.table, node.rows, scores);
    for (size_t i = 0; i < side.size(); ++i) side[i] = scores[i] <= split.gate.cut ? 0 : 1;
    return side;
  };
  const size_t width = train.cell.size();
  std::vector<double> cells(2 * width, 0.0);
  train.search.add_to_cells(train.slots, side_of(train), cells.data());
  const std::vector<uint32_t> side = side_of(test);
  double error = 0, weight = 0;
  std::array<size_t, 2> majority{};
  for (const size_t s : {0, 1}) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(s * width);
    majority[s] = static_cast<size_t>(
        std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width)) - begin);
  }
  for (size_t i = 0; i < test.size(); ++i) {
    weight += test.weight(i);
    if (test.target.task == Task::classification) {
      error += test.class_of(i) == majority[side[i]] ? 0 : test.weight(i);
    } else {
      const double* const cell = &cells[side[i] * width];
      const double mean = cell[0] > 0 ? cell[1] / cell[0] : train.cell[1] / train.cell[0];
      error += test.weight(i) * (test.number(i) - mean) * (test.number(i) - mean);
    }
  }
  return weight > 0 ? error / weight : 0;
}

using Errors = std::array<std::vector<double>, kinds>;

// Two errors of each kind for every division in halves.
Errors errors_of_kinds(const NodeSample& node, uint64_t seed) {
  Errors errors;
  for (size_t division = 0; division < divisions; ++division) {
    std::vector<uint32_t> order(node.size());
    std::iota(order.begin(), order.end(), 0U);
    Random(seed, "omnivariate", division).shuffle(order);
    order.resize(std::min(order.size(), most_tested));
    const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::sort(order.begin(), half);
    std::sort(half, order.end());
    const size_t first = order.size() / 2;
    const NodePart one(node, std::span(order).first(first));
    const NodePart two(node, std::span(order).subspan(first));
    for (size_t kind = 0; kind < kinds; ++kind) {
      const auto which = static_cast<NodeKind>(kind);
      errors[kind].push_back(stump_error(split_by(which, one.data), one.data, two.data));
      errors[kind].push_back(stump_error(split_by(which, two.data), two.data, one.data));
    }
  }
  return errors;
}

bool significantly_better(const std::vector<double>& errors, const std::vector<double>& than) {
  std::vector<double> differences(errors.size());
  std::transform(than.begin(), than.end(), errors.begin(), differences.begin(), std::minus<>());
  return std::accumulate(differences.begin(), differences.end(), 0.0) > 0 &&
         five_by_two_p(differences) < significance;
}

}  // namespace

// f = sum of all p^2 / (2 sum of s_i^2), with s_i^2 the squared deviations of the two differences
// of division i from their mean; F-distributed with 10 and 5 degrees of freedom.
double five_by_two_p(std::span<const double> differences) {
  double squares = 0, deviations = 0;
  for (size_t i = 0; i + 1 < differences.size(); i += 2) {
    const double mean = 0.5 * (differences[i] + differences[i + 1]);
    for (const double p : {differences[i], differences[i + 1]}) {
      squares += p * p;
      deviations += (p - mean) * (p - mean);
    }
  }
  if (!(squares > 0)) return 1;
  if (!(deviations > 0)) return 0;
  const boost::math::fisher_f distribution(2.0 * divisions, divisions);
  return boost::math::cdf(boost::math::complement(distribution, squares / (2 * deviations)));
}

NodeKind choose_kind(const NodeSample& node, uint64_t seed) {
  // Halves that could fit no more than one column need no test.
  constexpr double least_columns = 4;
  if (static_cast<double>(most_columns(node)) < least_columns) return NodeKind::univariate;
  const Errors errors = errors_of_kinds(node, seed);
  size_t chosen = 0;
  for (size_t kind = 1; kind < kinds; ++kind) {
    if (significantly_better(errors[kind], errors[chosen])) chosen = kind;
  }
  return static_cast<NodeKind>(chosen);
}

}  // namespace softwood::grow
