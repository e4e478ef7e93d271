// The limit of rows that are divided among the branches of a node.
#pragma once

#include <cstddef>
#include <span>

namespace softwood {

// Throws a failure Error where so many rows, each with a part of so many bytes for every share
// above 0, would take more memory than is sensible. A branch for each of 100 000 levels can ask for
// that.
void check_divided(size_t rows, std::span<const double> shares, size_t bytes);

}  // namespace softwood
