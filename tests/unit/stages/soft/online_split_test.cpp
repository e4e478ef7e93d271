// The steps of the published training: against finite differences of the loss.
#include "stages/soft/online_split.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace softwood::soft {
namespace {

using gradient::Loss;

struct Case {
  Loss loss;
  size_t outputs;
  double target;
};

const Case cases[] = {{Loss::squared, 1, 0.7},
                      {Loss::logistic, 1, 0},
                      {Loss::logistic, 1, 1},
                      {Loss::softmax, 3, 0},
                      {Loss::softmax, 3, 2}};

std::vector<double> some_numbers(size_t count, const char* what) {
  Random random(4, what);
  std::vector<double> list(count);
  for (double& number : list) number = random.normal();
  return list;
}

struct Example {
  explicit Example(const Case& chosen)
      : loss(chosen.loss),
        x(some_numbers(4, "x")),
        others(some_numbers(chosen.outputs, "others")),
        leaf(some_numbers(chosen.outputs, "leaf")),
        split{some_numbers(5, "weights"), some_numbers(chosen.outputs, "left"),
              some_numbers(chosen.outputs, "right")},
        row{x.data(), others.data(), chosen.target, 1.5, 0.6} {}
  Example(const Example&) = delete;

  // Weight times minus the logarithm of the probability, or half the squared error, written down
  // from the definitions.
  double loss_of(const Split& changed) const {
    double score = changed.weights[4];
    for (size_t t = 0; t < 4; ++t) score += changed.weights[t] * x[t];
    const double g = 1 / (1 + std::exp(-score));
    std::vector<double> root;
    for (size_t k = 0; k < leaf.size(); ++k) {
      const double mixed = g * changed.left[k] + (1 - g) * changed.right[k];
      root.push_back(others[k] + row.path * (mixed - leaf[k]));
    }
    if (loss == Loss::squared) return row.weight * std::pow(root[0] - row.target, 2) / 2;
    if (loss == Loss::logistic) {
      const double p = 1 / (1 + std::exp(-root[0]));
      return -row.weight * std::log(row.target > 0 ? p : 1 - p);
    }
    double sum = 0;
    for (const double output : root) sum += std::exp(output);
    return -row.weight * std::log(std::exp(root[static_cast<size_t>(row.target)]) / sum);
  }

  Loss loss;
  std::vector<double> x, others, leaf;
  Split split;
  OnlineRow row;
};

std::vector<double*> numbers_of(Split& split) {
  std::vector<double*> list;
  for (std::vector<double>* part : {&split.weights, &split.left, &split.right}) {
    for (double& number : *part) list.push_back(&number);
  }
  return list;
}

TEST(OnlineTraining, StepsAgainstTheGradientOfTheLoss) {
  for (const Case& chosen : cases) {
    SCOPED_TRACE(static_cast<int>(chosen.loss));
    Example example(chosen);
    constexpr double rate = 0.25, width = 1e-5;
    OnlineTraining training(chosen.loss, 0.5, example.leaf, example.split);
    training.step(example.row, rate);
    Split after = training.split();
    Split changed = example.split;
    const std::vector<double*> before = numbers_of(example.split), number = numbers_of(changed),
                               moved = numbers_of(after);
    for (size_t i = 0; i < number.size(); ++i) {
      const double kept = *number[i];
      *number[i] = kept + width;
      const double above = example.loss_of(changed);
      *number[i] = kept - width;
      const double below = example.loss_of(changed);
      *number[i] = kept;
      EXPECT_NEAR((*before[i] - *moved[i]) / rate, (above - below) / (2 * width), 1e-6) << i;
    }
    // With a rate of 0 only a part of the last step is made again, and only once.
    training.step(example.row, 0);
    Split again = training.split();
    const std::vector<double*> last = numbers_of(again);
    for (size_t i = 0; i < last.size(); ++i) {
      EXPECT_NEAR(*last[i] - *moved[i], 0.5 * (*moved[i] - *before[i]), 1e-12);
    }
    training.step(example.row, 0);
    Split still = training.split();
    const std::vector<double*> end = numbers_of(still);
    for (size_t i = 0; i < end.size(); ++i) EXPECT_EQ(*end[i], *last[i]);
  }
}

}  // namespace
}  // namespace softwood::soft
