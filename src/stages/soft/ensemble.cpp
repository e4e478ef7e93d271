#include "stages/soft/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "stages/soft/constants.h"
#include "stages/soft/hard_trees.h"

namespace softwood::soft {

using gradient::Loss;
using gradient::Network;
using gradient::Rows;

namespace {

// Numbers as they are; classes as probabilities: of the second one where there are two.
void to_answers(const Network& net, std::span<double> outputs) {
  if (net.loss == Loss::logistic) {
    outputs[0] = 1 / (1 + math::exp(-outputs[0]));
  } else if (net.loss == Loss::softmax) {
    math::softmax(outputs);
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
      loss -= weight * math::log(std::max(least, first ? 1 - answer : answer));
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

std::vector<size_t> best_members(const Network& net,
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

namespace {

std::vector<double> mean_of_trees(const FitData& data, std::span<const FittedNetwork> trees,
                                  std::span<const Sample> asked) {
  std::vector<double> mean;
  for (const FittedNetwork& tree : trees) {
    const std::vector<double> answers =
        answers_of(tree.net, tree.parameters, data.rows(tree.basis, asked));
    mean.resize(answers.size(), 0.0);
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] += answers[i] / static_cast<double>(trees.size());
    }
  }
  return mean;
}

// Of trees with random cuts, grown from the samples, as answers_of has it.
std::vector<double> random_answers(FitRun& run, FitData& data, std::span<const Sample> samples,
                                   std::span<const Sample> asked) {
  std::vector<double> all = answers_of_random_trees(data.derived(), samples, asked, run.seed,
                                                    run.parallel, run.control.silent());
  run.note_stop(run.control.should_stop().has_value());
  const Loss loss = gradient::usual_loss(run.table());
  if (loss == Loss::softmax) return all;
  // Of two classes the second.
  const size_t width = loss == Loss::logistic ? 2 : 1;
  std::vector<double> answers(all.size() / width);
  for (size_t i = 0; i < answers.size(); ++i) {
    answers[i] = width == 2 ? all[2 * i + 1] : (all[i] - data.scale().centre) / data.scale().scale;
  }
  return answers;
}

}  // namespace

Members choose_members(CandidateFits& fits, const std::vector<const Fitted*>& kinds, size_t count) {
  FitRun& run = fits.run();
  FitData& data = fits.data();
  const Parts& parts = run.parts;
  std::vector<const Fitted*> tried;
  for (size_t start = 0; start < Constants::tried_per_kind; ++start) {
    tried.insert(tried.end(), kinds.begin(), kinds.end());
  }
  // Random trees know the rows that they were grown from by heart: others must judge them.
  const bool random = parts.count() > 1 && parts.all()[0].rows.size() > 1;
  std::vector<std::vector<double>> answers(kinds.size() + (random ? 1 : 0));  // theirs at the end
  const auto add = [&](size_t kind, const std::vector<double>& more) {
    answers[kind].insert(answers[kind].end(), more.begin(), more.end());
  };
  Rows<float> rows;
  const FitData::ByPart& first = data.by_part(kinds[0]->settings);
  const Network any = data.network(kinds[0]->settings, first.bases[0]);
  for (size_t part = 0; part < parts.count(); ++part) {
    const std::vector<FittedNetwork> networks = fits.fit_to(tried, parts.others(part), 0);
    for (size_t kind = 0; kind < kinds.size() && !run.stopped; ++kind) {
      std::vector<FittedNetwork> same;
      for (size_t i = kind; i < networks.size(); i += kinds.size()) same.push_back(networks[i]);
      add(kind, mean_of_trees(data, same, parts.part(part)));
    }
    if (random && !run.stopped) {
      add(kinds.size(), random_answers(run, data, parts.others(part), parts.part(part)));
    }
    if (run.stopped) return {};
    const Rows<float>& judges = first.held_out[part];
    rows.count += judges.count;
    rows.target.insert(rows.target.end(), judges.target.begin(), judges.target.end());
    rows.weight.insert(rows.weight.end(), judges.weight.begin(), judges.weight.end());
  }
  Members chosen;
  for (const size_t kind : best_members(any, answers, rows, count)) {
    if (kind < kinds.size()) {
      chosen.trees.push_back(kinds[kind]);
    } else {
      ++chosen.random;
    }
  }
  return chosen;
}

std::vector<double> mean_answers(CandidateFits& fits, const Ensemble& ensemble,
                                 std::span<const Sample> asked) {
  FitRun& run = fits.run();
  const auto all = static_cast<double>(ensemble.trees.size() + ensemble.random);
  std::vector<double> mean = mean_of_trees(fits.data(), ensemble.trees, asked);
  for (double& answer : mean) answer *= static_cast<double>(ensemble.trees.size()) / all;
  if (ensemble.random == 0) return mean;
  const std::vector<double> random = random_answers(run, fits.data(), run.parts.all(), asked);
  if (run.stopped) return {};
  mean.resize(random.size(), 0.0);
  for (size_t i = 0; i < random.size(); ++i) {
    mean[i] += random[i] * static_cast<double>(ensemble.random) / all;
  }
  return mean;
}

}  // namespace softwood::soft
