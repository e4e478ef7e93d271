// What a soft tree of a full shape is made of, and what came of fitting one.
#pragma once

#include <vector>

#include "gradient/inputs.h"
#include "gradient/trainer.h"

namespace softwood::soft {

struct Settings {
  size_t depth = 4;
  // 0: a full tree with random gates; else training starts from a greedy tree with at most so many
  // leaves.
  size_t greedy_leaves = 0;
  bool linear_leaves = false;
  gradient::Map map = gradient::Map::none;
  gradient::Products products = gradient::Products::none;
  size_t most_features = 0;     // of a gate; 0: any number
  size_t steps_before_cut = 0;  // to that number; 0: as many as are best
  double most_work = 0;  // operations of a fit, by row, that its steps are held to; 0: any number
  double effort = 1;     // share of the steps that are made
  gradient::Schedule schedule;
};

// Whether trees with such terms and leaves differ in nothing but their size and their training.
inline bool same_make(const Settings& a, const Settings& b) {
  return a.map == b.map && a.products == b.products && a.linear_leaves == b.linear_leaves &&
         (a.greedy_leaves > 0) == (b.greedy_leaves > 0);
}
// Whether they differ in nothing but their training.
inline bool same_shape(const Settings& a, const Settings& b) {
  return same_make(a, b) &&
         (a.greedy_leaves > 0 ? a.greedy_leaves == b.greedy_leaves : a.depth == b.depth);
}

// Whether they come to the same fit.
inline bool same_fit(const Settings& a, const Settings& b) {
  return same_shape(a, b) && a.schedule.decay == b.schedule.decay &&
         a.schedule.l1 == b.schedule.l1 && a.most_work == b.most_work && a.effort == b.effort;
}

// A candidate that was fitted to all parts of the rows but one at a time, and judged by that one.
struct Fitted {
  Settings settings;
  uint64_t start = 0;        // number of the start
  double held_out_loss = 0;  // mean over the held-out parts: squared error, or loss
  // Of the held-out rows, part after part, weights counted; held_out_loss is their mean.
  std::vector<float> losses;
  double passes = 0;                           // over the rows, after which the fits were best
  double passes_before_cut = 0;                // to few terms
  std::vector<std::vector<float>> parameters;  // of the fits, part by part, of those that judged
  bool stopped = false;                        // before the end, by the user
  bool judged = false;                         // else it was interrupted before
};

}  // namespace softwood::soft
