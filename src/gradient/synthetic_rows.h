// Rows between rows, for a tree that is distilled from an ensemble: there are as many as are
// wanted, and the ensemble answers for them.
//
// Breiman & Shang 1996, "Born again trees", make rows from the values of two others; Bucila,
// Caruana & Niculescu-Mizil 2006, "Model compression", section 3, take a row and one near it, as is
// done here.
#pragma once

#include <cstdint>

#include "base/control.h"
#include "gradient/inputs.h"

namespace softwood::gradient {

// `cells` are the rows of the samples, one after the other, standardised. Each new row lies on the
// line between a row and the nearest of some others; levels and missing cells are taken from
// either. Its weight is that of the first; its target has no meaning.
// `whole_as_levels`: so are the cells of numeric columns that have nothing but whole numbers in the
// samples: what lies between two codes may mean nothing.
// `made_of` gets the numbers of the two rows that each was made of, the samples one after the
// other.
using RowPair = std::pair<size_t, size_t>;
Table synthetic_rows(std::span<const Sample> samples, const Rows<float>& cells, size_t count,
                     uint64_t seed, std::vector<RowPair>* made_of = nullptr,
                     bool whole_as_levels = false, const Control& control = {});

}  // namespace softwood::gradient
