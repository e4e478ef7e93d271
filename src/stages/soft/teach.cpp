#include "stages/soft/teach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace softwood::soft {

using gradient::Loss;
using gradient::Network;
using gradient::Rows;

namespace {

// Numbers as they are; classes as probabilities: of the second one where there are two.
void to_answers(const Network& net, std::span<double> outputs) {
  if (net.loss == Loss::logistic) {
    outputs[0] = 1 / (1 + std::exp(-outputs[0]));
  } else if (net.loss == Loss::softmax) {
    const double top = *std::max_element(outputs.begin(), outputs.end());
    double sum = 0;
    for (double& output : outputs) sum += output = std::exp(output - top);
    for (double& output : outputs) output /= sum;
  }
}

// Of (sums + more) * share as answers.
double mean_loss(const Network& net, const std::vector<double>& sums,
                 const std::vector<double>& more, const Rows<float>& rows, double share) {
  constexpr double least = 1e-6;
  double loss = 0;
  for (size_t i = 0; i < rows.count; ++i) {
    const double target = rows.target[i], weight = rows.weight[i];
    const size_t own =
        i * net.outputs + (net.loss == Loss::softmax ? static_cast<size_t>(target) : 0);
    const double answer = (sums[own] + more[own]) * share;
    if (net.loss == Loss::squared) {
      loss += weight * (answer - target) * (answer - target) / 2;
    } else {
      const bool first = net.loss == Loss::logistic && target == 0;
      loss -= weight * std::log(std::max(least, first ? 1 - answer : answer));
    }
  }
  return loss;
}

}  // namespace

std::vector<double> answers_of(const Network& net, std::span<const float> parameters,
                               const Rows<float>& rows) {
  const size_t width = net.outputs;
  std::vector<double> answers(rows.count * width);
  std::vector<uint32_t> all(rows.count);
  std::iota(all.begin(), all.end(), 0U);
  gradient::Kernel<float> kernel(net);
  for (size_t begin = 0; begin < rows.count; begin += gradient::block_rows) {
    const size_t count = std::min(gradient::block_rows, rows.count - begin);
    kernel.forward(parameters.data(), rows, std::span(all).subspan(begin, count));
    for (size_t i = 0; i < count; ++i) {
      const std::span<double> outputs(&answers[(begin + i) * width], width);
      for (size_t k = 0; k < width; ++k) outputs[k] = kernel.output(k, i);
      to_answers(net, outputs);
    }
  }
  return answers;
}

Rows<float> taught_rows(const Network& net, std::span<const double> answers, Rows<float> rows) {
  (net.loss == Loss::softmax ? rows.shares : rows.target).assign(answers.begin(), answers.end());
  return rows;
}

std::vector<size_t> best_committee(const Network& net,
                                   const std::vector<std::vector<double>>& answers,
                                   const Rows<float>& rows, size_t members) {
  std::vector<double> sums(rows.count * net.outputs, 0.0);
  std::vector<size_t> chosen;
  while (chosen.size() < members) {
    size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t m = 0; m < answers.size(); ++m) {
      const double loss =
          mean_loss(net, sums, answers[m], rows, 1 / static_cast<double>(chosen.size() + 1));
      if (loss < least) {
        least = loss;
        best = m;
      }
    }
    chosen.push_back(best);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += answers[best][i];
  }
  return chosen;
}

}  // namespace softwood::soft
