// How strongly one input and the target are associated in a node: the linear statistic T of
// Hothorn, Hornik & Zeileis (2006), standardised by its mean and covariance under
// independence.
//
// Numbers enter as they are and levels as indicator vectors: g for the input, h for the target.
// With row weights w_i of sum w, means g' and h', and
//   C = sum w_i (g_i - g')(h_i - h')^T,  G = sum w_i (g_i - g')(g_i - g')^T,  H likewise for h,
// mean and covariance there (Strasser & Weber 1999) say T - mu = vec C and Sigma = H (x) G / (w -
// 1), so that the quadratic form is
//   c = (T - mu)^T Sigma^+ (T - mu) = (w - 1) trace(G^+ C H^+ C^T)
// and is asymptotically chi-square with rank(G) rank(H) degrees of freedom.
//
// For indicators G = diag(n_l) - n n^T / w. Its generalised inverse diag(1 / n_l) serves as well as
// G^+, because the columns of C are in the space that G spans. So no matrix is ever inverted:
//   two numbers          (w - 1) r^2, r the correlation
//   number and levels    (w - 1) (sum of squares between levels) / (total sum of squares)
//   levels and levels    (w - 1) / w times Pearson's chi-square of the contingency table
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/table.h"
#include "stages/grow/statistics.h"

namespace softwood::grow {

struct Association {
  double statistic = 0;
  double degrees = 0;  // of freedom; 0: input or target is constant, there is no test
};

// Sums over rows of two numbers, each measured from some value that occurs: the sum of squares that
// is subtracted to centre them is then at most the number of rows times what is left.
struct PairSums {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};
Association association_of_numbers(const PairSums& sums);

// Sums of one number over all rows and by level of the other variable.
struct GroupSums {
  double squares = 0;              // sum of w_i x_i^2 over all rows
  std::span<const double> weight;  // of each level
  std::span<const double> sum;     // of w_i x_i in each level
};
Association association_of_groups(const GroupSums& sums);

// `counts` are the weights of a table with `columns` columns.
Association association_of_levels(std::span<const double> counts, size_t columns);

// Association of an input with the target over the rows of a node that have a value of it. `slots`
// are the node's, `rows` says which row of the table a slot is.
Association associate(const Column& input, size_t levels, const Target& target,
                      std::span<const RowIndex> rows, std::span<const uint32_t> slots,
                      Scratch& scratch);

}  // namespace softwood::grow
