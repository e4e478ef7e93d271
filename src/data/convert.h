// From the columns of a Frame to those of a Table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/frame.h"

namespace softwood {

// "1 row", "2 rows", "3 leaves": of nouns that do not just add an s, the plural is given.
std::string counted(size_t count, std::string_view noun, std::string_view plural = {});

// A cell as it would be written in a file; "" when it is missing.
std::string cell_text(const FrameColumn& column, size_t row);

// "cars.csv, line 12, column 'speed'"; of columns in memory "column 'speed', row 12".
std::string place(const Frame& frame, size_t row, const FrameColumn& column);

// A nominal or ordinal column with codes into `levels`. Numbers are compared with the levels as
// numbers; texts as texts, and with Compare::numbers also as numbers; where the levels are truth
// values, in every spelling (truth.h). Cells that are none of the levels become missing;
// `unknown(row)` is called for each.
enum class Compare { texts, numbers };
Column column_with_levels(const FrameColumn& column, const std::vector<std::string>& levels,
                          Kind kind, const std::function<void(size_t row)>& unknown,
                          Compare compare = Compare::texts);

// Numbers become the levels of a nominal column, named by their shortest text.
void make_nominal(FrameColumn& column);

// The order of levels that nobody has declared: numbers by value, then texts by code points. It
// looks at the two levels alone, so that parts of a table agree about it.
bool level_order(std::string_view a, std::string_view b);
// Puts the levels of a nominal column into that order, unless theirs was declared.
void order_levels(FrameColumn& column);

// The code of the class that is to be the positive one; a usage Error unless it is one of two.
size_t positive_code(const Schema& schema, const std::string& name);

// Keeps only these rows, which are ascending.
void select_rows(Column& column, std::span<const RowIndex> rows);

}  // namespace softwood
