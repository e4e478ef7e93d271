// Several trees taught to one: a single tree that answers as their mean does.
//
// Breiman & Shang 1996, "Born again trees": a tree is fitted to what a committee answers. Frosst &
// Hinton 2017, "Distilling a neural network into a soft decision tree".
#pragma once

#include <span>
#include <vector>

#include "stages/gradient/kernel.h"

namespace softwood::soft {

// The rows with the mean answer of the teachers as their target.
gradient::Rows<float> taught_rows(const gradient::Network& net,
                                  std::span<const std::vector<float>> teachers,
                                  const gradient::Rows<float>& rows);

}  // namespace softwood::soft
