// What a leaf says for every row.
#pragma once

#include <span>

#include "tree/leaf.h"

namespace softwood {

// Puts what a model without terms answers for every row into `answer`.
void constant_answer(const LeafModel& model, std::span<double> answer);

}  // namespace softwood
