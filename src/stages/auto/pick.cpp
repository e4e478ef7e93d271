#include "stages/auto/pick.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "fit/tolerance.h"
#include "stages/auto/constants.h"

namespace softwood::choice {

Picking::Picking(const Judged& judged, const std::vector<char>& allowed, size_t classes)
    : judged_(judged), classes_(classes) {
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (allowed[i] != 0) allowed_.push_back(i);
  }
}

// `losses` are means, by number.
size_t Picking::least(std::span<const double> losses, bool readable_only) const {
  size_t best = allowed_.front();
  double least = std::numeric_limits<double>::infinity();
  for (const size_t i : allowed_) {
    if (readable_only && !is_readable(judged_.entrants[i]->looks, classes_)) continue;
    const bool smaller = losses[i] == least && parameters(i) < parameters(best);
    if (!(losses[i] < least || smaller)) continue;
    best = i;
    least = losses[i];
  }
  if (!std::isinf(least)) return best;
  return *std::min_element(allowed_.begin(), allowed_.end(),
                           [&](size_t a, size_t b) { return parameters(a) < parameters(b); });
}

Picks Picking::picks_with(std::span<const double> weights) const {
  std::vector<double> means(judged_.entrants.size(), 0.0);
  for (const size_t i : allowed_) means[i] = mean_of(losses(i), weights).value;
  Picks picks;
  picks.accuracy = least(means, false);
  picks.readable = least(means, true);
  picks.balanced = picks.accuracy;
  const double top = means[picks.accuracy];
  const double baseline = means[allowed_.front()];  // the first one is a single leaf
  for (const size_t i : allowed_) {
    if (parameters(i) > parameters(picks.balanced)) continue;
    if (parameters(i) == parameters(picks.balanced) && means[i] >= means[picks.balanced]) continue;
    const Mean gap = mean_difference(losses(i), losses(picks.accuracy), weights);
    if (gap.value > fit::allowed_loss(fit::balanced_choice, top, baseline, gap.standard_error)) {
      continue;
    }
    picks.balanced = i;
  }
  return picks;
}

std::vector<size_t> Picking::frontier() const {
  std::vector<double> means(judged_.entrants.size(), 0.0);
  for (const size_t i : allowed_) means[i] = mean_of(losses(i), judged_.weights).value;
  std::vector<size_t> order = allowed_;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return parameters(a) != parameters(b) ? parameters(a) < parameters(b) : means[a] < means[b];
  });
  std::vector<size_t> list;
  for (const size_t i : order) {
    if (list.empty() || means[i] < means[list.back()]) list.push_back(i);
  }
  return list;
}

Mean Picking::estimate(Prefer prefer, uint64_t seed) const {
  const size_t rows = judged_.rows;
  double sum = 0, total = 0;
  std::vector<double> inside(rows);
  for (size_t sample = 0; sample < Constants::bootstrap_samples; ++sample) {
    Random random(seed, "estimate after the choice", sample);
    std::fill(inside.begin(), inside.end(), 0.0);
    std::vector<char> drawn(rows, 0);
    for (size_t i = 0; i < rows; ++i) {
      const size_t row = random.below(rows);
      inside[row] += judged_.weights[row];
      drawn[row] = 1;
    }
    const size_t chosen = picks_with(inside).by(prefer);
    const std::vector<double>& plain = judged_.entrants[chosen]->plain;
    for (size_t i = judged_.unbiased_from; i < rows; ++i) {
      if (drawn[i] != 0) continue;
      sum += judged_.weights[i] * plain[i];
      total += judged_.weights[i];
    }
  }
  const size_t winner = picks().by(prefer);
  const Mean own = mean_of(std::span(judged_.entrants[winner]->plain).first(rows), judged_.weights);
  return {total > 0 ? sum / total : own.value, own.standard_error};
}

}  // namespace softwood::choice
