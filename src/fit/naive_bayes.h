// Naive Bayes as a softmax of sums: leaf_models.h has the formulas.
#pragma once

#include "fit/leaf_rows.h"

namespace softwood::fit {

struct NaiveBayes {
  LeafModel model;
  std::vector<double> effect;  // of each term: largest coefficient times the term's spread
};

NaiveBayes naive_bayes(const LeafRows& leaf, const LeafClasses& classes);

}  // namespace softwood::fit
