// The parts of which graphs of trees are made. Matrices have one column per row of the data.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "render/export/onnx/graph.h"
#include "render/export/routes.h"

namespace softwood::render::onnx {

// --- Terms and sums of them (terms.cpp) ----------------------------------------------------------

// Values of terms, without their coefficients, one row each: first collected, then built.
class Terms {
 public:
  void collect(const LoweredTerm& term);
  // `cells`: one row per input.
  void build(Graph& graph, const Graph::Name& cells);

  struct Sum {
    double constant = 0;
    std::vector<std::pair<const LoweredTerm*, double>> terms;  // with their coefficients
  };
  // One row per sum, added up from the constant on in the order of the terms, as the library does.
  Graph::Name sums(Graph& graph, const std::vector<Sum>& sums) const;

 private:
  // kind, input, second or level, centre, scale
  using Key = std::tuple<TermKind, uint32_t, uint32_t, double, double>;
  static Key key_of(const LoweredTerm& term);
  Graph::Name rows_of_kind(Graph& graph, const Graph::Name& cells, TermKind kind) const;

  std::map<Key, int64_t> rows_;  // row 0 holds zeros
  Graph::Name zeros_, matrix_;
};

// --- Functions (math.cpp) ------------------------------------------------------------------------

// Of each number, with the bits of the library; NaN stays.
Graph::Name exp_of(Graph& graph, const Graph::Name& x);

// --- Weights of children (gates.cpp) -------------------------------------------------------------

// One row per node but the root, in their order: the weight that its parent gives it.
Graph::Name child_weights(Graph& graph, const LoweredTree& tree, const Routes& routes,
                          const Graph::Name& cells);
// Missing cells have the typical values of their inputs.
Graph::Name typical_cells(Graph& graph, const LoweredTree& tree, const Graph::Name& cells);

// --- Answers (answers.cpp) -----------------------------------------------------------------------

// From the shares that end at the leaves, one row each: probabilities, one row per class, or one
// row of numbers.
Graph::Name mixed_answers(Graph& graph, const LoweredTree& tree, const Routes& routes,
                          const Graph::Name& cells, const Graph::Name& ends);

// --- Plain trees (ensemble.cpp) ------------------------------------------------------------------

// The number of the leaf, N x 1, counted as in Routes::leaves, by the operator TreeEnsemble.
// `cells`: one column per input. The tree has a split.
Graph::Name ensemble_leaf(Graph& graph, const Routes& routes, const Graph::Name& cells);

}  // namespace softwood::render::onnx
