// Trees with random cuts, and what they answer for rows that they have not seen.
#pragma once

#include "stages/stage.h"

namespace softwood::distilled {

// The number, or the probability of each class, row after row.
struct Answers {
  size_t width = 1;
  std::vector<double> own;        // of each row, by the trees that were grown without its part
  std::vector<double> synthetic;  // of each synthetic row, by all trees
};

// Geurts, Ernst & Wehenkel 2006, "Extremely randomized trees", each grown from all parts of the
// rows but one: `part_of` has the part of each of them. How far the trees grow is
// chosen by what they answer for the other part.
Answers ensemble_answers(const Context& context, std::span<const RowIndex> rows,
                         const std::vector<uint32_t>& part_of, size_t parts,
                         const Sample& synthetic);

}  // namespace softwood::distilled
