// Rows of a table in any order, and any number of times.
#pragma once

#include <span>

#include "data/table.h"

namespace softwood {

Column drawn_cells(const Column& column, std::span<const RowIndex> rows);
// With the target; each row weighs as much.
Table drawn_rows(const Table& table, std::span<const RowIndex> rows, double weight = 1);

}  // namespace softwood
