// Rows that try what a tree asks: values on its cuts, next to them and between them, its levels and
// one that it does not know, and missing ones.
#pragma once

#include <string>

#include "softwood/lowered.h"

namespace softwood::render {

// A CSV file with the inputs of the tree as columns; missing cells are empty. The same tree gives
// the same rows.
std::string self_test_rows(const LoweredTree& exported, size_t rows = 1000);

}  // namespace softwood::render
