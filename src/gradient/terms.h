// Lists of different terms.
#pragma once

#include <algorithm>
#include <vector>

#include "tree/gate.h"

namespace softwood::gradient {

// But for the coefficient, and the spread that goes with it.
inline bool same_term(const Term& a, const Term& b) {
  return a.form == b.form && a.feature == b.feature && a.other == b.other && a.centre == b.centre &&
         a.scale == b.scale;
}

// The number of terms when it is not among them.
inline size_t index_of(const std::vector<Term>& terms, const Term& term) {
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [&](const Term& other) { return same_term(other, term); });
  return static_cast<size_t>(found - terms.begin());
}

// Adds the term with the coefficient 1 where it is not among them.
inline void add_term(const Term& term, std::vector<Term>& terms) {
  if (index_of(terms, term) < terms.size()) return;
  terms.push_back(term);
  terms.back().coefficient = 1;
  terms.back().spread = 0;
}

}  // namespace softwood::gradient
