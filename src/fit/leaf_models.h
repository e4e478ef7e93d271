// Models of leaves: fitted last, to the training rows that end in each leaf.
#pragma once

#include <span>

#include "base/parallel.h"
#include "tree/tree.h"

namespace softwood::fit {

// Gives every leaf the model that the tree's plan asks for, in the place of any it had. A leaf
// keeps its constant when it has too few rows or the model is not better:
//   linear, ridge  the generalised cross-validation of the fit (least_squares.h) is not below that
//                  of the mean. Answers are held between the least and the largest target of the
//                  leaf, extended by a tenth of their distance.
//   logistic       the loss plus one for each coefficient is not below that of the class shares
//                  (Akaike 1974). The penalty is 1 unless the plan names one.
//   naive-bayes    the loss on the leaf's rows is not below that of the class shares, or there are
//                  fewer than two rows a class. Numbers are Gaussian in each class, with the
//                  variance (S_k + s^2) / (n_k + 1): the prior is one row with the variance s^2 of
//                  the leaf (Gelman et al. 2013). Levels have the probability
//                  (n_kl + 1) / (n_k + L), L being the levels that occur in the leaf.
// Weights count as rows. Rows without a known target are left out.
void fit_leaf_models(Tree& tree, const Table& table, std::span<const RowIndex> rows,
                     const Parallel& parallel);

}  // namespace softwood::fit
