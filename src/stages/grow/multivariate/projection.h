// Cuts of rows along a score, judged by the criterion of the recipe.
#pragma once

#include <utility>
#include <vector>

#include "stages/grow/multivariate/node.h"

namespace softwood::grow {

struct ScoreCut {
  double score = 0;  // of the criterion; 0: there is none
  double cut = 0;    // rows with a score up to it go left
};

// Working memory, kept from call to call.
struct SortScratch {
  std::vector<std::pair<double, uint32_t>> order;
  std::vector<uint32_t> entries;
  std::vector<uint64_t> items, other;
  Scratch search;
};

// The best cut halfway between neighbouring scores.
ScoreCut best_cut(const NodeSample& node, std::span<const double> scores, SortScratch& scratch);
// The same for searches that look at many: scores are rounded to 2^22 steps of their range (or
// finer), which sorts them several times faster.
ScoreCut quick_cut(const NodeSample& node, std::span<const double> scores, SortScratch& scratch);
// What a given cut is worth.
ScoreCut given_cut(const NodeSample& node, std::span<const double> scores, double cut,
                   SortScratch& scratch);

}  // namespace softwood::grow
