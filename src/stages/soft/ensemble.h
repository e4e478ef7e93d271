// Trees of several kinds whose answers are averaged: soft ones, and hard ones with random cuts.
#pragma once

#include "stages/soft/candidate_fits.h"

namespace softwood::soft {

// What a tree answers for the rows, each with as many numbers as the net has outputs: the number in
// units of the target's scale, the probability of the second class, or that of each class.
std::vector<double> answers_of(const gradient::Network& net, std::span<const float> parameters,
                               const gradient::Rows<float>& rows);

// Which of several trees answer best together, their answers being averaged; one may be taken more
// than once. Caruana et al. 2004, "Ensemble selection from libraries of models", section 2. The
// trees are given by what they answer for the rows, which did not train them.
std::vector<size_t> best_members(const gradient::Network& net,
                                 const std::vector<std::vector<double>>& answers,
                                 const gradient::Rows<float>& rows, size_t members);

// Of which kinds the members are, one entry for each; and how many of them stand for trees with
// random cuts.
struct Members {
  std::vector<const Fitted*> trees;
  size_t random = 0;
};

// Kinds are judged by what several trees of a kind answer in the mean for the rows of each part,
// fitted to the others. None when stopped.
Members choose_members(CandidateFits& fits, const std::vector<const Fitted*>& kinds, size_t count);

struct Ensemble {
  std::span<const FittedNetwork> trees;
  size_t random = 0;  // times the mean answer of trees with random cuts counts
};

// What the ensemble answers in the mean, as answers_of has it. Trees with random cuts are grown for
// it from all rows. Nothing when stopped.
std::vector<double> mean_answers(CandidateFits& fits, const Ensemble& ensemble,
                                 std::span<const Sample> asked);

}  // namespace softwood::soft
