// What all functions that answer rows check.
#pragma once

#include <fmt/format.h>

#include <span>

#include "softwood/error.h"
#include "tree/model.h"

namespace softwood {

template <class T>
void check_size(std::span<T> buffer, size_t wanted) {
  if (buffer.size() == wanted) return;
  throw Error(ErrorKind::usage,
              fmt::format("the buffer has room for {} values, not for {}", buffer.size(), wanted));
}

inline void refuse_regression(const Model& model) {
  if (model.schema.task() == Task::classification) return;
  throw Error(ErrorKind::usage, "the model predicts a number, not a class", {}, "use predict");
}

}  // namespace softwood
