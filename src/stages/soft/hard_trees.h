// Hard trees that the training of soft ones makes use of. They are grown from the rows of
// `derived`'s table among the samples.
#pragma once

#include <span>
#include <vector>

#include "stages/stage.h"

namespace softwood::soft {

// As `grow` makes it, best leaf first: what training may start from.
Tree greedy_tree(Derived& derived, std::span<const Sample> samples, size_t leaves,
                 const Parallel& parallel, const Control& control);

// What many trees with random cuts answer in the mean for the rows of `asked`: the number, or the
// probability of each class; nothing when stopped. Geurts, Ernst & Wehenkel 2006, "Extremely
// randomized trees".
std::vector<double> answers_of_random_trees(Derived& derived, std::span<const Sample> samples,
                                            std::span<const Sample> asked, uint64_t seed,
                                            const Parallel& parallel, const Control& control);

}  // namespace softwood::soft
