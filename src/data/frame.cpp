#include "data/frame.h"

namespace softwood {

const FrameColumn* Frame::find(const std::string& name) const {
  for (const FrameColumn& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

}  // namespace softwood
