#include "explain/product_game.h"

#include <algorithm>

#include "base/vectors.h"

namespace softwood {

namespace {

// Factors below this count as 0: what they belong to is far below the last digit of any answer.
constexpr double least_factor = 1e-200;

}  // namespace

struct ProductGame::Pass {
  const PathTree& tree;
  const Quadrature& rule;
  const size_t nodes, outputs;
  Lanes* const own;  // products of the weights of the input of the edge at a depth
  Lanes* const other;
  Lanes* const products;  // depth x nodes: of the factors of all inputs down to here
  Lanes* const inverses;  // depth x nodes: 1 / factor of the input of the edge; 0 where that is 0
  Lanes* const sums;      // depth x nodes x outputs: value * product of all ends below
  Lanes* const values;    // inputs x outputs
  uint32_t* const path;   // the open edges, which are those on the path to here, by depth

  // Factor and product of an edge; false: no lane comes here.
  SOFTWOOD_BODY bool open(const PathEdge& edge, const double* own_weight,
                          const double* other_weight) const {
    const uint32_t d = edge.depth, before = edge.earlier;
    const Lanes a = own[before] * *reinterpret_cast<const Lanes*>(own_weight);
    const Lanes b = other[before] * *reinterpret_cast<const Lanes*>(other_weight);
    bool any = false;
    for (size_t l = 0; l < lanes; ++l) any = any || a[l] > least_factor || b[l] > least_factor;
    if (!any) return false;
    own[d] = a;
    other[d] = b;
    for (size_t q = 0; q < nodes; ++q) {
      const double t = rule.nodes[q];
      const Lanes factor = t * a + (1 - t) * b;
      const Lanes none = {};
      const Lanes one = none + 1.0;
      const auto is_there = factor > none + least_factor;
      inverses[d * nodes + q] = is_there ? one / (is_there ? factor : one) : none;
      const Lanes above = products[(d - 1) * nodes + q];
      products[d * nodes + q] =
          before == 0 ? above * factor : above * inverses[before * nodes + q] * factor;
    }
    return true;
  }

  SOFTWOOD_BODY void set_sums(const PathEdge& edge, const double* value) const {
    for (size_t q = 0; q < nodes; ++q) {
      const size_t at = edge.depth * nodes + q;
      for (size_t o = 0; o < outputs; ++o) {
        sums[at * outputs + o] = edge.is_end ? products[at] * value[o] : Lanes{};
      }
    }
  }

  // What the ends below an edge say of its input.
  SOFTWOOD_BODY void close(const PathEdge& edge) const {
    const uint32_t d = edge.depth, before = edge.earlier;
    const Lanes difference = own[d] - other[d], difference_before = own[before] - other[before];
    Lanes* const value = values + edge.input * outputs;
    for (size_t q = 0; q < nodes; ++q) {
      const size_t at = d * nodes + q;
      Lanes slope = difference * inverses[at];
      if (before > 0) slope -= difference_before * inverses[before * nodes + q];
      slope *= rule.weights[q];
      const Lanes* const sum = sums + at * outputs;
      for (size_t o = 0; o < outputs; ++o) value[o] += slope * sum[o];
    }
    if (d == 1) return;
    for (size_t i = 0; i < nodes * outputs; ++i) {
      sums[(d - 1) * nodes * outputs + i] += sums[d * nodes * outputs + i];
    }
  }

  SOFTWOOD_BODY void run(const double* own_weights, const double* other_weights) const {
    const std::vector<PathEdge>& edges = tree.edges();
    own[0] = other[0] = Lanes{} + 1.0;
    for (size_t q = 0; q < nodes; ++q) products[q] = Lanes{} + 1.0;
    for (size_t v = 0; v < tree.inputs().size() * outputs; ++v) values[v] = Lanes{};
    uint32_t depth = 0;
    for (size_t e = 0; e < edges.size();) {
      const PathEdge& edge = edges[e];
      for (; depth >= edge.depth; --depth) close(edges[path[depth]]);
      if (!open(edge, own_weights + e * lanes, other_weights + e * lanes)) {
        e = edge.after;
        continue;
      }
      set_sums(edge, tree.value(e));
      depth = edge.depth;
      path[depth] = static_cast<uint32_t>(e++);
    }
    for (; depth > 0; --depth) close(edges[path[depth]]);
  }

#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  SOFTWOOD_AVX2 void run_avx2(const double* own_weights, const double* other_weights) const {
    run(own_weights, other_weights);
  }
#endif
  void run_anywhere(const double* own_weights, const double* other_weights) const {
    run(own_weights, other_weights);
  }
};

ProductGame::ProductGame(const PathTree& tree)
    : tree_(tree), rule_(gauss_legendre((tree.most_inputs() + 1) / 2)) {
  const size_t depths = tree.depth() + 1, nodes = rule_.nodes.size();
  path_.resize(depths);
  own_.resize(depths * lanes);
  other_.resize(depths * lanes);
  products_.resize(depths * nodes * lanes);
  inverses_.resize(depths * nodes * lanes);
  sums_.resize(depths * nodes * tree.outputs() * lanes);
  values_.resize(tree.inputs().size() * tree.outputs() * lanes);
}

std::span<const double> ProductGame::values(const double* own, const double* other) {
  const auto as_lanes = [](std::vector<double>& numbers) {
    return reinterpret_cast<Lanes*>(numbers.data());
  };
  const Pass pass{tree_,
                  rule_,
                  rule_.nodes.size(),
                  tree_.outputs(),
                  as_lanes(own_),
                  as_lanes(other_),
                  as_lanes(products_),
                  as_lanes(inverses_),
                  as_lanes(sums_),
                  as_lanes(values_),
                  path_.data()};
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx2()) {
    pass.run_avx2(own, other);
    return values_;
  }
#endif
  pass.run_anywhere(own, other);
  return values_;
}

}  // namespace softwood
