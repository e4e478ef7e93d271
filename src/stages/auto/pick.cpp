#include "stages/auto/pick.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "fit/tolerance.h"
#include "stages/auto/constants.h"

namespace softwood::choice {
namespace {

// Bootstrap samples of rows, copies one by one. How often each is drawn is a Poisson number of mean
// 1 (Hanley & MacGibbon 2006, "Creating non-parametric bootstrap samples using Poisson
// frequencies"), so that merged rows need no more than their weights.
class Resampling {
 public:
  explicit Resampling(std::span<const double> weights)
      : weights_(weights), copies_(count_copies(weights)) {}

  // By row: the weight of what was drawn, and of what was not.
  void draw(Random random, std::vector<double>& inside, std::vector<double>& outside) const {
    for (size_t i = 0; i < weights_.size(); ++i) {
      inside[i] = outside[i] = 0;
      const double weight = weights_[i];
      if (copies_ && weight > most_drawn) {
        // So many copies are drawn a normal number of times, nearly, and the share of them that
        // nobody draws hardly varies.
        inside[i] = std::max(0.0, std::round(weight + std::sqrt(weight) * random.normal()));
        outside[i] = weight * never;
        continue;
      }
      const size_t count = copies_ ? static_cast<size_t>(weight) : 1;
      const double each = copies_ ? 1 : weight;
      for (size_t copy = 0; copy < count; ++copy) {
        const size_t times = poisson(random);
        inside[i] += each * static_cast<double>(times);
        if (times == 0) outside[i] += each;
      }
    }
  }

 private:
  static constexpr double most_drawn = 16;           // copies, one by one; by time
  static constexpr double never = 0.36787944117144;  // exp(-1)

  static size_t poisson(Random& random) {
    constexpr size_t most = 20;  // beyond it the sum of probabilities is 1
    const double u = random.uniform();
    double p = never, sum = p;
    size_t times = 0;
    while (u >= sum && times < most) {
      p /= static_cast<double>(++times);
      sum += p;
    }
    return times;
  }

  std::span<const double> weights_;
  bool copies_;
};

}  // namespace

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
    if (readable_only && !is_readable(judged_.entrants[i]->figures, classes_)) continue;
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
  return {pick(Prefer::accuracy), pick(Prefer::balanced), pick(Prefer::readable)};
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
double Picking::variance(size_t chosen, bool plain, bool counts) const {
  const std::span own_losses = losses(chosen, plain);
  std::vector<double> list(own_losses.begin(), own_losses.end());
  std::vector<double> weights(judged_.weights.begin(), judged_.weights.end());
  if (counts) {
    // Few rows may show no error by chance: as many right and wrong answers more, which cost what
    // the costliest of any candidate does.
    double most = 0;
    for (size_t i = 0; i < judged_.entrants.size(); ++i) {
      const std::span others = losses(i, plain);
      most = std::max(most, *std::max_element(others.begin(), others.end()));
    }
    if (!(most > 0)) most = 1;
    const double weight = std::accumulate(weights.begin(), weights.end(), 0.0) /
                          static_cast<double>(std::max<size_t>(1, rows_of(weights)));
    for (size_t i = 0; i < Constants::added_rows; ++i) list.push_back(i % 2 == 0 ? 0 : most);
    weights.resize(list.size(), weight);
  }
  const double own = mean_of(list, weights).standard_error;
  const double share = judged_.learning > 0 ? static_cast<double>(rows_of(judged_.weights)) /
                                                  static_cast<double>(judged_.learning)
                                            : 0;
  return own * own * (1 + share);
}

Expected Picking::estimate(Prefer prefer, uint64_t seed, bool counts, const Control& control,
                           std::optional<size_t> chosen) const {
  // Of the metric, and of plain losses.
  struct Sums {
    double more = 0;  // than the chosen one loses on the same rows
    std::vector<double> means;
  };
  Sums sums[2];
  const size_t rows = judged_.rows;
  const size_t winner = chosen ? *chosen : pick(prefer, judged_.weights);
  double total = 0;
  const Resampling resampling(judged_.weights.first(rows));
  std::vector<double> inside(rows), outside(rows);
  for (size_t sample = 0; sample < Constants::bootstrap_samples; ++sample) {
    if (sample >= Constants::least_samples && control.interrupted()) break;
    resampling.draw(Random(seed, "estimate after the choice", sample), inside, outside);
    const size_t taken = pick(prefer, inside);
    for (const bool plain : {false, true}) {
      const std::span own = losses(winner, plain), other = losses(taken, plain);
      Sums& sum = sums[plain ? 1 : 0];
      sum.means.push_back(weighted_mean(other, judged_.weights));
      for (size_t i = 0; i < rows; ++i) sum.more += outside[i] * (other[i] - own[i]);
    }
    total += std::accumulate(outside.begin(), outside.end(), 0.0);
  }
  const auto expected = [&](bool plain) {
    const Sums& sum = sums[plain ? 1 : 0];
    const double more = total > 0 ? std::max(0.0, sum.more / total) : 0;
    const std::vector<double> alike(sum.means.size(), 1.0);
    // Of the mean of so many samples it is the standard error: of one it is the deviation.
    const double of_choice = mean_of(sum.means, alike).standard_error;
    const double choice = of_choice * of_choice * static_cast<double>(sum.means.size());
    return Mean{weighted_mean(losses(winner, plain), judged_.weights) + more,
                std::sqrt(variance(winner, plain, plain && counts) + choice)};
  };
  return {expected(false), expected(true)};
}

}  // namespace softwood::choice
