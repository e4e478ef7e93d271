#include "stages/soft/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.h"
#include "gradient/synthetic_rows.h"
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

AskedRows::AskedRows(CandidateFits& fits) : parts_(fits.run().parts) {
  std::vector<uint32_t> part_of;
  for (size_t part = 0; part < parts_.count(); ++part) {
    for (const Sample& sample : parts_.part(part)) {
      samples_.push_back(sample);
      part_of.insert(part_of.end(), sample.rows.size(), static_cast<uint32_t>(part));
    }
    ends_.push_back(part_of.size());
  }
  const size_t count =
      std::min(Constants::most_synthetic, Constants::synthetic_times * parts_.rows());
  std::vector<gradient::RowPair> made_of;
  synthetic_ = std::make_unique<const Table>(gradient::synthetic_rows(
      samples_, fits.data().plain_rows(samples_), count, fits.run().seed, &made_of));
  all_synthetic_ = all_rows(*synthetic_);
  samples_.push_back({synthetic_.get(), all_synthetic_});
  learned_.resize(parts_.count() + 1);
  judged_.resize(parts_.count() + 1);
  for (size_t part = 0; part <= parts_.count(); ++part) {
    for (const RowIndex row : all_synthetic_) {
      const auto [first, second] = made_of[row];
      const bool seen = part_of[first] == part || part_of[second] == part;
      if (seen && parts_.count() > 1) continue;
      (row % Constants::one_judges_of == 0 ? judged_ : learned_)[part].push_back(row);
    }
  }
}

AskedRows::Some AskedRows::of(size_t part) const {
  const size_t begin = part > 0 ? ends_[part - 1] : 0;
  Some some{parts_.part(part), std::vector<uint32_t>(ends_[part] - begin)};
  std::iota(some.numbers.begin(), some.numbers.end(), static_cast<uint32_t>(begin));
  return some;
}

AskedRows::Some AskedRows::to_judge(std::optional<size_t> without) const {
  Some some;
  const std::vector<RowIndex>& synthetic = judged_[without.value_or(parts_.count())];
  some.samples.push_back({synthetic_.get(), synthetic});
  for (const RowIndex row : synthetic) {
    some.numbers.push_back(static_cast<uint32_t>(ends_.back() + row));
  }
  return some;
}

AskedRows::Some AskedRows::to_learn(std::optional<size_t> without) const {
  Some all;
  for (size_t part = 0; part < parts_.count(); ++part) {
    if (without == part && parts_.count() > 1) continue;
    const Some own = of(part);
    all.samples.insert(all.samples.end(), own.samples.begin(), own.samples.end());
    all.numbers.insert(all.numbers.end(), own.numbers.begin(), own.numbers.end());
  }
  const std::vector<RowIndex>& synthetic = learned_[without.value_or(parts_.count())];
  all.samples.push_back({synthetic_.get(), synthetic});
  for (const RowIndex row : synthetic) {
    all.numbers.push_back(static_cast<uint32_t>(ends_.back() + row));
  }
  return all;
}

Ensemble::Ensemble(CandidateFits& fits, const AskedRows& asked,
                   const std::vector<const Fitted*>& kinds, size_t members)
    : asked_(asked), width_(fits.data().outputs()) {
  ask(fits, kinds);
  if (!fits.run().stopped) choose(fits, *kinds[0], members);
}

void Ensemble::ask(CandidateFits& fits, const std::vector<const Fitted*>& kinds) {
  FitRun& run = fits.run();
  FitData& data = fits.data();
  const size_t parts = run.parts.count();
  std::vector<const FitData::ByPart*> by_part;
  for (const Fitted* kind : kinds) by_part.push_back(&data.by_part(kind->settings));
  by_kind_.assign(kinds.size(), std::vector<std::vector<double>>(parts));
  run.parallel.each(kinds.size() * parts, [&](size_t i) {
    const size_t kind = i / parts, part = i % parts;
    const FitBasis& basis = by_part[kind]->bases[part];
    by_kind_[kind][part] =
        answers_of(data.network(kinds[kind]->settings, basis), kinds[kind]->parameters[part],
                   data.rows(basis, asked_.samples()));
  });
  // Random trees know the rows that they were grown from by heart: others must judge them.
  if (parts == 1 || run.parts.all()[0].rows.size() < 2) return;
  std::vector<std::vector<double>>& random = by_kind_.emplace_back();
  for (size_t part = 0; part < parts && !run.stopped; ++part) {
    random.push_back(random_answers(run, data, run.parts.others(part), asked_.samples()));
  }
}

void Ensemble::choose(CandidateFits& fits, const Fitted& any, size_t members) {
  const FitData::ByPart& data = fits.data().by_part(any.settings);
  std::vector<std::vector<double>> answers(by_kind_.size());
  Rows<float> rows;
  for (size_t part = 0; part < data.held_out.size(); ++part) {
    const std::vector<uint32_t> numbers = asked_.of(part).numbers;
    for (size_t kind = 0; kind < by_kind_.size(); ++kind) {
      const std::vector<double> own = picked(by_kind_[kind][part], numbers);
      answers[kind].insert(answers[kind].end(), own.begin(), own.end());
    }
    const Rows<float>& judges = data.held_out[part];
    rows.count += judges.count;
    rows.target.insert(rows.target.end(), judges.target.begin(), judges.target.end());
    rows.weight.insert(rows.weight.end(), judges.weight.begin(), judges.weight.end());
  }
  times_.assign(by_kind_.size(), 0);
  const Network net = fits.data().network(any.settings, data.bases[0]);
  for (const size_t kind : best_members(net, answers, rows, members)) ++times_[kind];
}

std::vector<double> Ensemble::mean_answers(size_t part) const {
  const auto all = static_cast<double>(std::accumulate(times_.begin(), times_.end(), size_t{0}));
  std::vector<double> mean(by_kind_[0][part].size(), 0.0);
  for (size_t kind = 0; kind < times_.size(); ++kind) {
    const double share = static_cast<double>(times_[kind]) / all;
    if (!(share > 0)) continue;
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += share * by_kind_[kind][part][i];
  }
  return mean;
}

std::vector<double> Ensemble::answers(std::optional<size_t> without) const {
  if (without) return mean_answers(*without);
  const size_t parts = by_kind_[0].size();
  std::vector<double> mean(by_kind_[0][0].size(), 0.0);
  for (size_t part = 0; part < parts; ++part) {
    const std::vector<double> own = mean_answers(part);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += own[i] / static_cast<double>(parts);
  }
  return mean;
}

std::vector<double> Ensemble::picked(const std::vector<double>& answers,
                                     const std::vector<uint32_t>& rows) const {
  std::vector<double> list;
  list.reserve(rows.size() * width_);
  for (const uint32_t row : rows) {
    const auto begin = answers.begin() + static_cast<std::ptrdiff_t>(row * width_);
    list.insert(list.end(), begin, begin + static_cast<std::ptrdiff_t>(width_));
  }
  return list;
}

}  // namespace softwood::soft
