// Borrowed columns as those of a Frame, and back.
#pragma once

#include <string>
#include <vector>

#include "base/control.h"
#include "data/frame.h"
#include "softwood/data.h"

namespace softwood {

// Reads cells where they are if they have the library's own form (softwood/data.h), copies them
// otherwise. `notes` receives what is lost by that.
FrameColumn frame_column(const ColumnView& view, NoteList* notes = nullptr);
Frame frame_of(const DataColumns& columns, NoteList* notes = nullptr);

// Refuses an infinite number of a column; rows are numbered from 0 on.
[[noreturn]] void fail_infinite(const std::string& column, size_t row, double number);
// A column of these numbers, none of which may be infinite.
Column number_column(const std::string& name, Cells<double> numbers);

// A view of the cells, which it keeps alive.
ColumnView view_of(const std::string& name, const Column& column,
                   const std::vector<std::string>& levels);
DataColumns columns_of(const Frame& frame);

}  // namespace softwood
