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

std::vector<double> Picking::means(std::span<const double> weights) const {
  std::vector<double> list(judged_.entrants.size(), 0.0);
  for (const size_t i : allowed_) list[i] = weighted_mean(losses(i), weights);
  return list;
}

size_t Picking::most_accurate(std::span<const double> means,
                              std::span<const double> weights) const {
  const size_t best = least(means, false);
  for (const size_t i : allowed_) {
    if (judged_.entrants[i]->candidate.effort != Effort::costliest) continue;
    const Mean gap = mean_difference(losses(i), losses(best), weights);
    if (gap.value <= Constants::leading_errors * gap.standard_error) return i;
  }
  return best;
}

// The first that may be taken is the baseline: a single leaf keeps all limits.
size_t Picking::smallest_within(size_t best, std::span<const double> means,
                                std::span<const double> weights) const {
  size_t found = best;
  for (const size_t i : allowed_) {
    if (parameters(i) > parameters(found)) continue;
    if (parameters(i) == parameters(found) && means[i] >= means[found]) continue;
    const Mean gap = mean_difference(losses(i), losses(best), weights);
    if (gap.value <= fit::allowed_loss(fit::balanced_choice, means[best], means[allowed_.front()],
                                       gap.standard_error)) {
      found = i;
    }
  }
  return found;
}

size_t Picking::pick(Prefer prefer, std::span<const double> weights) const {
  const std::vector<double> list = means(weights);
  if (prefer == Prefer::readable) return least(list, true);
  const size_t best = most_accurate(list, weights);
  return prefer == Prefer::balanced ? smallest_within(best, list, weights) : best;
}

Picks Picking::picks() const {
  const auto by = [&](Prefer prefer) { return pick(prefer, judged_.weights); };
  return {by(Prefer::accuracy), by(Prefer::balanced), by(Prefer::readable)};
}

std::vector<size_t> Picking::frontier() const {
  const std::vector<double> lost = means(judged_.weights);
  std::vector<size_t> order = allowed_;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return parameters(a) != parameters(b) ? parameters(a) < parameters(b) : lost[a] < lost[b];
  });
  std::vector<size_t> list;
  for (const size_t i : order) {
    if (list.empty() || lost[i] < lost[list.back()]) list.push_back(i);
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
    const size_t chosen = pick(prefer, inside);
    const std::vector<double>& plain = judged_.entrants[chosen]->plain;
    for (size_t i = 0; i < rows; ++i) {
      if (drawn[i] != 0) continue;
      sum += judged_.weights[i] * plain[i];
      total += judged_.weights[i];
    }
  }
  const size_t winner = pick(prefer, judged_.weights);
  const Mean own = mean_of(std::span(judged_.entrants[winner]->plain).first(rows), judged_.weights);
  return {total > 0 ? sum / total : own.value, own.standard_error};
}

}  // namespace softwood::choice
