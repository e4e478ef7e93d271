// Distillation: single trees that learn to answer as an ensemble does.
//
// Breiman & Shang 1996, "Born again trees": a tree is fitted to what an ensemble answers. Frosst &
// Hinton 2017, "Distilling a neural network into a soft decision tree".
#pragma once

#include "stages/soft/ensemble.h"

namespace softwood::soft {

// The rows with the answers of an ensemble (see answers_of) as their targets.
gradient::Rows<float> distilled_rows(const gradient::Network& net, std::span<const double> answers,
                                     gradient::Rows<float> rows);

// Trains the students, fitted to the rows as `fitted` says, to answer as the ensemble does for the
// rows and for synthetic ones. Then asks them for other synthetic rows and returns the number of
// the smallest student that answers about as well as the best; its parameters alone have changed.
// When stopped, 0 and all students as they were.
size_t distill(CandidateFits& fits, std::span<FittedNetwork> students,
               const std::vector<const Fitted*>& fitted, const Ensemble& ensemble);

}  // namespace softwood::soft
