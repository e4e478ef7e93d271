// The hard tree that the training of a soft one may start from.
#pragma once

#include <span>

#include "stages/stage.h"

namespace softwood::soft {

// As `grow` makes it, best leaf first, from the rows of `derived`'s table among the samples.
Tree greedy_tree(Derived& derived, std::span<const Sample> samples, size_t leaves,
                 const Parallel& parallel, const Control& control);

}  // namespace softwood::soft
