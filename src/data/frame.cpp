#include "data/frame.h"

#include <fmt/format.h>

namespace softwood {

const FrameColumn* Frame::find(const std::string& name) const {
  for (const FrameColumn& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::string Frame::row_name(size_t row) const {
  return fmt::format("{} {}", source.empty() ? "row" : "line", line(row));
}

}  // namespace softwood
