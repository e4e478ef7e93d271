// Rows that a model may be asked about.
#pragma once

#include "api/held.h"

namespace softwood {

// The rows; a data Error where they were made for other models.
const Table& checked_table(const TreeModel::Held& held, const DataSet& data);
// Rows with known answers; a data Error where there are none.
const Table& table_with_target(const TreeModel::Held& held, const DataSet& data);
// Rows to learn from: a data Error where inputs were not read, which would be learned from as if
// all their cells were missing.
const Table& table_to_learn_from(const DataSet& data);

}  // namespace softwood
