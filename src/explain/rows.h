// Tables of inputs alone, which explanations put together.
#pragma once

#include <span>
#include <vector>

#include "data/table.h"

namespace softwood {

// Columns for the inputs at `inputs`; all others are missing throughout, and there is no target.
Table table_of_inputs(const Schema& schema, size_t rows, std::span<const uint32_t> inputs,
                      std::vector<Column> columns);

// Some rows of a table, with these inputs.
Table rows_of(const Table& table, std::span<const RowIndex> rows, std::span<const uint32_t> inputs);
// A number or the index of a level (NaN: missing) in every row.
Column constant_column(Kind kind, size_t rows, double value);

// So many rows of a table that stand for all of them, chosen by a hash of these inputs: the same
// wherever they stand.
Table background_of(const Table& table, size_t rows, std::span<const uint32_t> inputs);

}  // namespace softwood
