// Borrowed columns as those of a Frame, and back.
#pragma once

#include <string>
#include <vector>

#include "base/control.h"
#include "data/frame.h"
#include "softwood/data.h"

namespace softwood {

// Reads cells where they are if they have the library's own form (softwood/data.h), copies them
// otherwise.
// Warns of whole numbers that a double has not enough digits for.
FrameColumn frame_column(const ColumnView& view, const Control& control = {});
Frame frame_of(const DataColumns& columns, const Control& control = {});

// A view of the cells, which it keeps alive.
ColumnView view_of(const std::string& name, const Column& column,
                   const std::vector<std::string>& levels);
DataColumns columns_of(const Frame& frame);

}  // namespace softwood
