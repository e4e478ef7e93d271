// Rows that try what a tree asks: values on its cuts, next to them and between them, its levels and
// one that it does not know, and missing ones.
#pragma once

#include <string>

#include "render/export/exporter.h"
#include "softwood/lowered.h"

namespace softwood::render {

// A CSV file with the inputs of the tree as columns; missing cells are empty. The same tree gives
// the same rows. Formats that round have a logarithm of their own: no row lies on the cut of a sum
// that takes one, where the last digit would decide.
std::string self_test_rows(const LoweredTree& exported, Exactness exactness = Exactness::bits,
                           size_t rows = 1000);

}  // namespace softwood::render
