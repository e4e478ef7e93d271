// Shapley values of a PathTree for two ways of weighing its edges: that of the row that is
// explained (an input in the coalition) and another one (an input outside of it).
//
// The share of an end node is the product over the inputs i on its path of a_i inside and b_i
// outside of the coalition, the products of the edge weights that i decides about. For a game v *
// prod, the multilinear extension (Owen 1972) gives the Shapley value of i as
//   v (a_i - b_i) * integral over t from 0 to 1 of prod over j != i of (t a_j + (1 - t) b_j),
// a polynomial in t of degree d - 1 with d inputs on the path: ceil(d / 2) nodes of Gauss-Legendre
// quadrature make it exact.
//
// One pass over the tree, for all nodes of the quadrature at once: going down it carries the
// product of the factors of all inputs, going up the sum over the ends below of v times the factors
// that came after. At an edge of i, the product above it without i, times that sum, times a_i - b_i
// is added to i. Where i was asked above already, its factor there is divided out, and what that
// edge says of this part is taken back.
#pragma once

#include <span>
#include <vector>

#include "explain/gauss_legendre.h"
#include "explain/path_tree.h"

namespace softwood {

class ProductGame {
 public:
  static constexpr size_t lanes = 4;  // pairs of weighings at a time

  explicit ProductGame(const PathTree& tree);

  // `own` and `other`: edges x lanes. Returns tree.inputs() x outputs() x lanes, valid until the
  // next call.
  std::span<const double> values(const double* own, const double* other);

 private:
  using Lanes __attribute__((vector_size(32), may_alias, aligned(8))) = double;
  static_assert(sizeof(Lanes) == lanes * sizeof(double));

  template <size_t Nodes, size_t Outputs>
  struct Pass;  // the body, compiled for several processors
  template <size_t Nodes, size_t Outputs>
  void pass(const double* own, const double* other);

  const PathTree& tree_;
  Quadrature rule_;
  // By depth, in numbers of lanes; the last four per node of the quadrature.
  std::vector<double> own_, other_, products_, inverses_, ratios_, sums_;
  std::vector<double> values_;
  std::vector<uint32_t> path_;
};

}  // namespace softwood
