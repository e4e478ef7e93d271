// The multivariate splits of one node.
#pragma once

#include <span>

#include "stages/grow/multivariate/node.h"
#include "stages/grow/multivariate/projection.h"
#include "tree/gate.h"

namespace softwood::grow {

struct ScoreSplit {
  ScoreGate gate;
  double score = 0;  // of the criterion; 0: none was found
  double worth = 0;  // see split_worth
};

// What a split that uses some columns is worth, comparable within a node: the share of the impurity
// that it takes away, adjusted for the numbers that were fitted (Ezekiel's adjusted R^2: 1 - (1 -
// share) (n - 1) / (n - 1 - columns)), and less the price of its weights.
double split_worth(const NodeSample& node, double score, size_t columns);

// A node has at least this weight for each number that a split may fit.
constexpr double rows_a_column = 10;
// The most columns that a node may use; less than 2: one column per split is all it can bear.
size_t most_columns(const NodeSample& node);

// How the last cut of a split is found: exactly, unless the split is only one of many tried.
using CutSearch = ScoreCut (*)(const NodeSample&, std::span<const double> scores, SortScratch&);

// Finds the cut of a gate whose terms are known.
ScoreSplit with_cut(const NodeSample& node, ScoreGate gate, CutSearch find = best_cut);

// Linear discriminant tree (Yildiz & Alpaydin 2005).
ScoreSplit discriminant_split(const NodeSample& node);

struct ObliqueSettings {
  double l1 = 0;        // price of the L1 norm of the weights, as a share of the split's worth
  size_t jumps = 0;     // random steps that are tried from each start
  size_t restarts = 0;  // further starts: the best column, then random planes
  uint64_t seed = 1;
};
// Coordinate perturbation with random jumps and restarts (Murthy, Kasif & Salzberg 1994).
ScoreSplit oblique_split(const NodeSample& node, const ObliqueSettings& settings);

// Linear, or over squares and products, by regularised least squares.
enum class Terms { linear, quadratic };
ScoreSplit regularised_split(const NodeSample& node, Terms terms, CutSearch find = best_cut);

// How a node is split by omnivariate trees (Yildiz & Alpaydin 2001): by the simplest of one column,
// a linear and a quadratic score that no more complex one is significantly better than.
enum class NodeKind { univariate, linear, quadratic };
NodeKind choose_kind(const NodeSample& node, uint64_t seed);

// Combined 5x2 cv F test (Alpaydin 1999): the probability of differences at least as
// large as those of two methods' errors, two for each of five divisions in halves, when the methods
// are equally good.
double five_by_two_p(std::span<const double> differences);

}  // namespace softwood::grow
