// Several trees taught to one: a single tree that answers as their mean does.
//
// Breiman & Shang 1996, "Born again trees": a tree is fitted to what a committee answers. Frosst &
// Hinton 2017, "Distilling a neural network into a soft decision tree".
#pragma once

#include <span>
#include <vector>

#include "gradient/kernel.h"

namespace softwood::soft {

// What a tree answers for the rows, each with as many numbers as the net has outputs: the number in
// units of the target's scale, the probability of the second class, or that of each class.
std::vector<double> answers_of(const gradient::Network& net, std::span<const float> parameters,
                               const gradient::Rows<float>& rows);

// The rows with such answers as their targets.
gradient::Rows<float> taught_rows(const gradient::Network& net, std::span<const double> answers,
                                  gradient::Rows<float> rows);

// Which of several trees answer best together, their answers being averaged; one may be taken more
// than once. Caruana et al. 2004, "Ensemble selection from libraries of models", section 2. The
// trees are given by what they answer for the rows, which did not train them.
std::vector<size_t> best_committee(const gradient::Network& net,
                                   const std::vector<std::vector<double>>& answers,
                                   const gradient::Rows<float>& rows, size_t members);

}  // namespace softwood::soft
