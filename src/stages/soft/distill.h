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

// What came of students that learned from trees without some parts of the rows, for these parts.
struct Trial {
  const Fitted* student = nullptr;  // the smallest of those that are about as good as the best
  double taught = 0, alone = 0;     // mean loss of the student, and of `best` by itself
  bool helps = false;               // the student is not clearly worse
  size_t rows = 0;                  // that judged
};
Trial try_students(CandidateFits& fits, const AskedRows& asked, const Ensemble& ensemble,
                   const Fitted& best, const std::vector<const Fitted*>& students);

// A tree of this kind that learned from the ensemble. It starts from the first of the fits that
// were judged. When stopped, as it was then.
FittedNetwork taught(CandidateFits& fits, const AskedRows& asked, const Ensemble& ensemble,
                     const Fitted& student);

}  // namespace softwood::soft
