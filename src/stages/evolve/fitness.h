// What is to be maximised: Krętowski & Grześ 2005, equation 1, fitness = quality - alpha * size,
// and its variants.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "stages/evolve/genome.h"

namespace softwood::evolve {

// What alpha is multiplied with: the number of nodes; of leaves; or, as in Grubinger, Zeileis &
// Pfeiffer 2014 (evtree), section 3.3, leaves with a price that depends on the number of rows N:
//   classes  2 N error + alpha M log N         (equation 5; here divided by 2 N)
//   numbers  N log(mse) + alpha 4 (M + 1) log N  (equation 6; here divided by N)
// In regression the variance of all rows divided by N, the squared standard error of their mean, is
// added to the mean square error. Otherwise a leaf for each row, with no error at all, would be the
// optimum; so no more than N / 4 leaves can ever pay.
enum class Complexity { nodes, leaves, bic };

struct Fitness {
  size_t classes = 0;         // 0: regression
  std::vector<double> costs;  // of wrong answers (tree/costs.h); empty: 1 each
  Complexity complexity = Complexity::nodes;
  double alpha = 0;
  double weight = 0;     // of all rows
  double root_loss = 0;  // of answering all rows alike
  std::vector<double> feature_costs;
  size_t max_depth = std::numeric_limits<size_t>::max();
  size_t max_leaves = std::numeric_limits<size_t>::max();

  // Fills loss, answer and mixed from the sums of the leaf's rows (CodedRows::sums).
  void judge(const double* sums, Gene& leaf) const;
  // Adds up the leaves of a tree that was changed and computes its fitness.
  void finish(Individual& tree) const;
  // `extra` is what the inputs asked for cost beyond 1 each.
  double value(double loss, double size, double leaves, double extra = 0) const;
  // What a node, or a leaf, costs in units of loss, in a tree with this loss. It rises with the
  // loss in regression with complexity=bic and is the same for all trees otherwise.
  double price(double loss) const;
  // Of 2 to `up_to` outcomes, the most that a test can have: with more, even a tree without any
  // error would be worth less than a single leaf, or would have too many leaves.
  size_t most_outcomes(size_t up_to) const;
  // Nodes or leaves that are paid for, of a subtree. Inputs that cost more than others do so
  // whatever is counted.
  double paid(double size, double leaves, double extra = 0) const {
    return complexity == Complexity::nodes ? size : leaves + extra;
  }
  double paid(std::span<const Gene> subtree) const;
};

}  // namespace softwood::evolve
