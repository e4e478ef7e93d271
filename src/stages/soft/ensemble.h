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

// Rows that trees are asked for: those of the parts, part after part, and synthetic ones.
class AskedRows {
 public:
  explicit AskedRows(CandidateFits& fits);
  AskedRows(const AskedRows&) = delete;

  const std::vector<Sample>& samples() const { return samples_; }
  // Some of them, and their numbers among all.
  struct Some {
    std::vector<Sample> samples;
    std::vector<uint32_t> numbers;
  };
  Some of(size_t part) const;
  // What a student learns from, and the synthetic rows that tell when it has learned enough. Of
  // what belongs to the part or was made of rows of it there is nothing; none: all parts.
  Some to_learn(std::optional<size_t> without) const;
  Some to_judge(std::optional<size_t> without) const;

 private:
  const Parts& parts_;
  std::vector<Sample> samples_;
  std::vector<size_t> ends_;  // of the parts
  std::unique_ptr<const Table> synthetic_;
  // Of each part: the synthetic rows without it; of all parts at the end.
  std::vector<std::vector<RowIndex>> learned_, judged_;
  std::vector<RowIndex> all_synthetic_;
};

// Trees of several kinds, soft ones and hard ones with random cuts. Each was fitted to all parts of
// the rows but one: Parmanto, Munro & Doyle 1996, "Improving committee diagnosis with resampling
// techniques" (cross-validation committees). So nothing is fitted anew but the hard trees.
class Ensemble {
 public:
  // The kinds are chosen by what their trees answer for the part that each of them did not see.
  // Incomplete where the run was stopped.
  Ensemble(CandidateFits& fits, const AskedRows& asked, const std::vector<const Fitted*>& kinds,
           size_t members);

  // What it answers in the mean for all rows asked, as answers_of has it: those of its trees that
  // did not see the part, or all of them.
  std::vector<double> answers(std::optional<size_t> without) const;
  // Of those the answers for some rows.
  std::vector<double> picked(const std::vector<double>& answers,
                             const std::vector<uint32_t>& rows) const;

 private:
  void ask(CandidateFits& fits, const std::vector<const Fitted*>& kinds);
  void choose(CandidateFits& fits, const Fitted& any, size_t members);
  std::vector<double> mean_answers(size_t part) const;

  const AskedRows& asked_;
  size_t width_ = 1;  // numbers of an answer
  // Of each kind, those with random cuts at the end, and of each part that it did not see.
  std::vector<std::vector<std::vector<double>>> by_kind_;
  std::vector<size_t> times_;  // that each kind counts
};

}  // namespace softwood::soft
