#include "stages/auto/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.h"
#include "softwood/error.h"
#include "tree/costs.h"

namespace softwood::choice {
namespace {

constexpr double least_probability = 1e-15;  // as evaluate clips it
constexpr double most_loss = 1e200;          // sums of it are finite

bool is_whole(double weight) {
  constexpr double most = 9007199254740992.0;  // 2^53
  return weight <= most && static_cast<double>(static_cast<int64_t>(weight)) == weight;
}

bool is_for_regression(Metric metric) { return metric == Metric::mse || metric == Metric::mae; }

// Adds to each row the share of the rows on the other side of class `k` that are ranked wrongly
// against it, ties by half, times its part of the mean: both sides count alike.
void add_ranking_losses(const Predictions& answers, const Sample& sample, size_t k, double part,
                        std::vector<double>& losses) {
  const Table& table = *sample.table;
  const size_t rows = sample.rows.size();
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto score = [&](size_t i) { return answers.answers[i * answers.width + k]; };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return score(a) != score(b) ? score(a) < score(b) : a < b; });
  const auto inside = [&](size_t i) {
    return table.target().codes[sample.rows[i]] == static_cast<int32_t>(k);
  };
  const auto weight = [&](size_t i) { return table.weight(sample.rows[i]); };
  double all_inside = 0, all_outside = 0;
  for (size_t i = 0; i < rows; ++i) (inside(i) ? all_inside : all_outside) += weight(i);
  if (!(all_inside > 0) || !(all_outside > 0)) return;
  const double total = all_inside + all_outside;
  double inside_below = 0, outside_below = 0;
  for (size_t begin = 0, end = 0; begin < rows; begin = end) {
    double inside_here = 0, outside_here = 0;
    for (end = begin; end < rows && score(order[end]) == score(order[begin]); ++end) {
      (inside(order[end]) ? inside_here : outside_here) += weight(order[end]);
    }
    const double above = (all_outside - outside_below - outside_here / 2) / all_outside;
    const double below = (inside_below + inside_here / 2) / all_inside;
    for (size_t j = begin; j < end; ++j) {
      const size_t i = order[j];
      losses[i] += part * total / 2 * (inside(i) ? above / all_inside : below / all_outside);
    }
    inside_below += inside_here;
    outside_below += outside_here;
  }
}

std::vector<double> ranking_losses(const Predictions& answers, const Sample& sample) {
  std::vector<double> losses(sample.rows.size(), 0.0);
  if (answers.width == 2) {
    add_ranking_losses(answers, sample, 1, 1, losses);
    return losses;
  }
  // As evaluate: over the classes that some rows have and some have not.
  std::vector<double> weights(answers.width, 0.0);
  double total = 0;
  for (const RowIndex row : sample.rows) {
    const double weight = sample.table->weight(row);
    weights[static_cast<size_t>(sample.table->target().codes[row])] += weight;
    total += weight;
  }
  const auto count = std::count_if(weights.begin(), weights.end(),
                                   [&](double weight) { return weight > 0 && weight < total; });
  const double part = 1 / static_cast<double>(std::max<std::ptrdiff_t>(1, count));
  for (size_t k = 0; k < answers.width; ++k) add_ranking_losses(answers, sample, k, part, losses);
  return losses;
}

double class_loss(Metric metric, const Predictions& answers, size_t i, size_t observed) {
  if (metric == Metric::logloss) {
    const double p = answers.answers[i * answers.width + observed];
    return -math::log(std::clamp(p, least_probability, 1.0));
  }
  const size_t predicted = answers.top_class(i);
  if (metric == Metric::error || answers.costs.empty()) return predicted == observed ? 0 : 1;
  return answers.costs[observed * answers.width + predicted];
}

}  // namespace

std::string metric_name(Metric metric) {
  for (const Named<Metric>& entry : metrics) {
    if (entry.value == metric) return entry.name;
  }
  return {};
}

Metric metric_for(Metric metric, Task task) {
  const bool regression = task == Task::regression;
  if (metric == Metric::usual) return regression ? Metric::mse : Metric::logloss;
  if (is_for_regression(metric) != regression) {
    throw Error(ErrorKind::usage,
                fmt::format("metric={} is for {}", metric_name(metric),
                            regression ? "classes, and the target is numeric"
                                       : "regression, and the target has classes"),
                {}, regression ? "take mse or mae" : "take logloss, error, cost or auc");
  }
  return metric;
}

Metric plain_metric(Task task, bool costs) {
  if (task == Task::regression) return Metric::mse;
  return costs ? Metric::cost : Metric::error;
}

std::vector<double> row_losses(Metric metric, const Predictions& answers, const Sample& sample) {
  if (metric == Metric::auc) return ranking_losses(answers, sample);
  const Column& target = sample.table->target();
  std::vector<double> losses;
  losses.reserve(sample.rows.size());
  for (size_t i = 0; i < sample.rows.size(); ++i) {
    const RowIndex row = sample.rows[i];
    if (is_for_regression(metric)) {
      const double gap = answers.answers[i] - target.numbers[row];
      losses.push_back(std::min(metric == Metric::mse ? gap * gap : std::abs(gap), most_loss));
    } else {
      losses.push_back(class_loss(metric, answers, i, static_cast<size_t>(target.codes[row])));
    }
  }
  return losses;
}

std::vector<double> weights_of(const Sample& sample) {
  std::vector<double> weights;
  weights.reserve(sample.rows.size());
  for (const RowIndex row : sample.rows) weights.push_back(sample.table->weight(row));
  return weights;
}

bool count_copies(std::span<const double> weights) {
  return std::all_of(weights.begin(), weights.end(), is_whole);
}

size_t rows_of(std::span<const double> weights) {
  if (!count_copies(weights)) return weights.size();
  return static_cast<size_t>(std::accumulate(weights.begin(), weights.end(), 0.0));
}

double weighted_mean(std::span<const double> losses, std::span<const double> weights) {
  double total = 0, sum = 0;
  for (size_t i = 0; i < losses.size(); ++i) {
    total += weights[i];
    sum += weights[i] * losses[i];
  }
  return total > 0 ? sum / total : 0;
}

Mean mean_of(std::span<const double> losses, std::span<const double> weights) {
  double total = 0, squared = 0, sum = 0;
  bool copies = true;
  for (size_t i = 0; i < losses.size(); ++i) {
    copies = copies && is_whole(weights[i]);
    total += weights[i];
    squared += weights[i] * weights[i];
    sum += weights[i] * losses[i];
  }
  if (!(total > 0)) return {};
  Mean mean{sum / total, 0};
  double variance = 0;
  for (size_t i = 0; i < losses.size(); ++i) {
    const double gap = losses[i] - mean.value;
    variance += weights[i] * gap * gap;
  }
  // Other weights than counts of copies: of so many rows of equal weight (Kish 1965).
  const double rows = copies ? total : total * total / squared;
  if (rows > 1) mean.standard_error = std::sqrt(variance / total / (rows - 1));
  return mean;
}

Mean mean_difference(std::span<const double> a, std::span<const double> b,
                     std::span<const double> weights) {
  std::vector<double> gaps(a.size());
  for (size_t i = 0; i < a.size(); ++i) gaps[i] = a[i] - b[i];
  return mean_of(gaps, weights);
}

}  // namespace softwood::choice
