// A term of a leaf model for many rows.
#pragma once

#include <span>

#include "tree/gate.h"

namespace softwood {

// As term_value (kinds.h) for each row, with the same bits. They are in `room`, of the size of
// `rows`, or where the column has them. `contiguous`: the rows follow each other.
const double* term_values(const Term& term, const Table& table, std::span<const RowIndex> rows,
                          bool contiguous, std::span<const double> typical, std::span<double> room);

}  // namespace softwood
