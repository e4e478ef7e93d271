// Stopping by a significance level: whether the children of a split differ more than chance allows.
#pragma once

#include "tree/tree.h"

namespace softwood::grow {

// The logarithm of the p-value of the hypothesis that the children of an inner node do not differ,
// from their sums. Classes: Pearson's chi-square of the table children x classes, as Quinlan 1986,
// "Induction of decision trees", stops by. Regression: (N - 1) times the share of the squared
// deviations that is between the children, chi-square too with one degree less than there are
// children (the permutation test of Hothorn, Hornik & Zeileis 2006 for a nominal input).
// 0 when there is nothing to test.
double split_log_p(const Tree& tree, NodeIndex node);

}  // namespace softwood::grow
