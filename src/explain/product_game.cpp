#include "explain/product_game.h"

#include "base/vectors.h"

namespace softwood {

namespace {

// Factors below this count as 0: what they belong to is far below the last digit of any answer.
constexpr double least_factor = 1e-200;

}  // namespace

// `Nodes` of the quadrature and `Outputs`, 0: as many as there are.
template <size_t Nodes, size_t Outputs>
struct ProductGame::Pass {
  const PathTree& tree;
  const Quadrature& rule;
  Lanes* const own;  // by depth: products of the weights of the input of the edge
  Lanes* const other;
  Lanes* const products;  // depth x nodes: of the factors of all inputs down to here
  Lanes* const inverses;  // depth x nodes: 1 / factor of the input of the edge; 0 where that is 0
  Lanes* const ratios;    // depth x nodes: what the edge makes of the product
  Lanes* const sums;      // depth x nodes x outputs: over the ends below, of what came after
  Lanes* const values;    // inputs x outputs
  uint32_t* const path;   // the open edges, which are those on the path to here, by depth

  SOFTWOOD_BODY size_t nodes() const { return Nodes > 0 ? Nodes : rule.nodes.size(); }
  SOFTWOOD_BODY size_t outputs() const { return Outputs > 0 ? Outputs : tree.outputs(); }

  // False: no lane comes here.
  SOFTWOOD_BODY bool open(const PathEdge& edge, const double* own_weight,
                          const double* other_weight) const {
    const uint32_t d = edge.depth, before = edge.earlier;
    const Lanes a = own[before] * *reinterpret_cast<const Lanes*>(own_weight);
    const Lanes b = other[before] * *reinterpret_cast<const Lanes*>(other_weight);
    const Lanes both = a + b;
    if (!(both[0] + both[1] + both[2] + both[3] > least_factor)) return false;
    own[d] = a;
    other[d] = b;
    for (size_t q = 0; q < nodes(); ++q) {
      const double t = rule.nodes[q];
      const Lanes factor = t * a + (1 - t) * b;
      Lanes ratio = factor;
      if (before > 0) ratio *= inverses[before * nodes() + q];
      ratios[d * nodes() + q] = ratio;
      if (edge.is_end) continue;
      products[d * nodes() + q] = products[(d - 1) * nodes() + q] * ratio;
      if (!edge.again) continue;
      const Lanes none = {}, one = none + 1.0;
      const auto is_there = factor > none + least_factor;
      inverses[d * nodes() + q] = is_there ? one / (is_there ? factor : one) : none;
    }
    return true;
  }

  SOFTWOOD_BODY void set_sums(const PathEdge& edge, const double* value) const {
    Lanes* const sum = sums + edge.depth * nodes() * outputs();
    for (size_t q = 0; q < nodes(); ++q) {
      for (size_t o = 0; o < outputs(); ++o) {
        sum[q * outputs() + o] = edge.is_end ? Lanes{} + value[o] : Lanes{};
      }
    }
  }

  // What the ends below an edge say of its input.
  SOFTWOOD_BODY void close(const PathEdge& edge) const {
    const uint32_t d = edge.depth, before = edge.earlier;
    const Lanes difference = own[d] - other[d], difference_before = own[before] - other[before];
    Lanes* const value = values + edge.input * outputs();
    Lanes* const sum = sums + d * nodes() * outputs();
    Lanes* const sum_above = sums + (d - 1) * nodes() * outputs();
    for (size_t q = 0; q < nodes(); ++q) {
      const Lanes ratio = ratios[d * nodes() + q];
      Lanes slope = products[(d - 1) * nodes() + q] * rule.weights[q];
      if (before > 0) {
        slope *= inverses[before * nodes() + q] * (difference - difference_before * ratio);
      } else {
        slope *= difference;
      }
      for (size_t o = 0; o < outputs(); ++o) {
        value[o] += slope * sum[q * outputs() + o];
        sum_above[q * outputs() + o] += ratio * sum[q * outputs() + o];
      }
    }
  }

  SOFTWOOD_BODY void run(const double* own_weights, const double* other_weights) const {
    const std::vector<PathEdge>& edges = tree.edges();
    own[0] = other[0] = Lanes{} + 1.0;
    for (size_t q = 0; q < nodes(); ++q) products[q] = Lanes{} + 1.0;
    for (size_t v = 0; v < tree.inputs().size() * outputs(); ++v) values[v] = Lanes{};
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
  ratios_.resize(depths * nodes * lanes);
  sums_.resize(depths * nodes * tree.outputs() * lanes);
  values_.resize(tree.inputs().size() * tree.outputs() * lanes);
}

template <size_t Nodes, size_t Outputs>
void ProductGame::pass(const double* own, const double* other) {
  const auto as_lanes = [](std::vector<double>& numbers) {
    return reinterpret_cast<Lanes*>(numbers.data());
  };
  const Pass<Nodes, Outputs> body{tree_,
                                  rule_,
                                  as_lanes(own_),
                                  as_lanes(other_),
                                  as_lanes(products_),
                                  as_lanes(inverses_),
                                  as_lanes(ratios_),
                                  as_lanes(sums_),
                                  as_lanes(values_),
                                  path_.data()};
#if defined(SOFTWOOD_HAS_AVX2_FUNCTIONS)
  if (use_avx2()) return body.run_avx2(own, other);
#endif
  body.run_anywhere(own, other);
}

std::span<const double> ProductGame::values(const double* own, const double* other) {
  // Known numbers let the compiler keep what it needs in registers.
  switch (tree_.outputs() == 1 ? rule_.nodes.size() : 0) {
    case 1:
      pass<1, 1>(own, other);
      break;
    case 2:
      pass<2, 1>(own, other);
      break;
    case 3:
      pass<3, 1>(own, other);
      break;
    case 4:
      pass<4, 1>(own, other);
      break;
    case 5:
      pass<5, 1>(own, other);
      break;
    case 6:
      pass<6, 1>(own, other);
      break;
    default:
      pass<0, 0>(own, other);
  }
  return values_;
}

}  // namespace softwood
