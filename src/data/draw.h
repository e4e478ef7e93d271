// Rows of a table in any order, and any number of times.
#pragma once

#include <span>

#include "data/table.h"

namespace softwood {

Column drawn_cells(const Column& column, std::span<const RowIndex> rows);
// With target and weights.
Table drawn_rows(const Table& table, std::span<const RowIndex> rows);

}  // namespace softwood
