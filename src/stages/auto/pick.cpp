#include "stages/auto/pick.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
  list.front() = weighted_mean(losses(0), weights);
  for (const size_t i : allowed_) list[i] = weighted_mean(losses(i), weights);
  return list;
}

size_t Picking::most_accurate(std::span<const double> means,
                              std::span<const double> weights) const {
  const size_t best = least(means, false);
  for (const size_t i : allowed_) {
    if (judged_.entrants[i]->candidate.effort != Effort::costliest) continue;
    if (means[i] >= means.front()) continue;  // knows no more than a single leaf
    const Mean gap = mean_difference(losses(i), losses(best), weights);
    if (gap.value <= Constants::leading_errors * gap.standard_error) return i;
  }
  return best;
}

size_t Picking::smallest_within(size_t best, std::span<const double> means,
                                std::span<const double> weights) const {
  size_t found = best;
  for (const size_t i : allowed_) {
    if (parameters(i) > parameters(found)) continue;
    if (parameters(i) == parameters(found) && means[i] >= means[found]) continue;
    const Mean gap = mean_difference(losses(i), losses(best), weights);
    if (gap.value <=
        fit::allowed_loss(fit::balanced_choice, means[best], means.front(), gap.standard_error)) {
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

// The part that is due to the rows: those that judge, and those that the trees learned from. Trees
// of other rows would differ, which disjoint judging parts do not show. Nadeau & Bengio 2003,
// "Inference for the generalization error", section 3: the variance of the mean grows by the
// judging rows as a share of the learning rows.
double Picking::variance(size_t chosen, bool counts) const {
  const auto rows_of = [&](size_t i) {
    return std::span(judged_.entrants[i]->plain).first(judged_.rows);
  };
  std::vector<double> list(rows_of(chosen).begin(), rows_of(chosen).end());
  std::vector<double> weights(judged_.weights.begin(), judged_.weights.end());
  if (counts) {
    // Few rows may show no error by chance: as many right and wrong answers more, which cost what
    // the costliest of any candidate does.
    double most = 0;
    for (size_t i = 0; i < judged_.entrants.size(); ++i) {
      most = std::max(most, *std::max_element(rows_of(i).begin(), rows_of(i).end()));
    }
    if (!(most > 0)) most = 1;
    const double weight = std::accumulate(weights.begin(), weights.end(), 0.0) /
                          static_cast<double>(std::max<size_t>(1, weights.size()));
    for (size_t i = 0; i < Constants::added_rows; ++i) list.push_back(i % 2 == 0 ? 0 : most);
    weights.resize(list.size(), weight);
  }
  const double own = mean_of(list, weights).standard_error;
  const double share = judged_.learning > 0 ? static_cast<double>(judged_.rows) /
                                                  static_cast<double>(judged_.learning)
                                            : 0;
  return own * own * (1 + share);
}

Mean Picking::estimate(Prefer prefer, uint64_t seed, bool counts, const Control& control) const {
  const size_t rows = judged_.rows;
  double sum = 0, total = 0;
  std::vector<double> inside(rows), chosen_means;
  for (size_t sample = 0; sample < Constants::bootstrap_samples; ++sample) {
    if (sample >= Constants::least_samples && control.interrupted()) break;
    Random random(seed, "estimate after the choice", sample);
    std::fill(inside.begin(), inside.end(), 0.0);
    std::vector<char> drawn(rows, 0);
    for (size_t i = 0; i < rows; ++i) {
      const size_t row = random.below(rows);
      inside[row] += judged_.weights[row];
      drawn[row] = 1;
    }
    const std::span plain = std::span(judged_.entrants[pick(prefer, inside)]->plain).first(rows);
    chosen_means.push_back(weighted_mean(plain, judged_.weights));
    for (size_t i = 0; i < rows; ++i) {
      if (drawn[i] != 0) continue;
      sum += judged_.weights[i] * plain[i];
      total += judged_.weights[i];
    }
  }
  const size_t winner = pick(prefer, judged_.weights);
  const double own =
      weighted_mean(std::span(judged_.entrants[winner]->plain).first(rows), judged_.weights);
  const std::vector<double> alike(chosen_means.size(), 1.0);
  // Of the mean of so many samples it is the standard error: of one it is the deviation.
  const double of_choice = mean_of(chosen_means, alike).standard_error;
  const double choice = of_choice * of_choice * static_cast<double>(chosen_means.size());
  return {total > 0 ? sum / total : own, std::sqrt(variance(winner, counts) + choice)};
}

}  // namespace softwood::choice
