#include "stages/soft/candidate_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "softwood/error.h"
#include "stages/soft/constants.h"
#include "stages/soft/hard_start.h"

namespace softwood::soft {

using gradient::Network;
using gradient::Outcome;
using gradient::Rows;
using gradient::Start;

namespace {

// Steps that the work allows. Operations of a step: forward and backward of a batch.
void limit_steps(const Network& net, const Settings& settings, size_t rows,
                 gradient::Schedule& schedule) {
  if (!(settings.most_work > 0)) return;
  const double most_work = settings.most_work * settings.effort;
  const size_t least = settings.effort < Constants::screening_effort
                           ? Constants::least_first_steps
                           : Constants::least_limited_steps;
  const size_t by_row = 2 * net.scored_units() * net.terms +
                        Constants::work_per_output * net.leaves * net.outputs +
                        Constants::work_per_node * net.nodes.size();
  const double allowed =
      most_work * static_cast<double>(rows) / static_cast<double>(schedule.batch * by_row);
  const auto most = std::max(least, static_cast<size_t>(std::min(allowed, 1e9)));
  if (schedule.last == schedule.steps) schedule.last = std::min(schedule.last, most);
  schedule.steps = std::min(schedule.steps, most);
  schedule.last = std::min(schedule.last, schedule.steps);
}

}  // namespace

Outcome CandidateFits::fit(const Settings& settings, const FitBasis& basis, const Rows<float>& rows,
                           const Rows<float>* held_out, uint64_t start) const {
  const Network net = data_.network(settings, basis);
  const uint64_t seed = mix64(run_.seed ^ mix64(start));
  // Leaves begin with what all rows say: with rare classes most steps would go into that alone.
  Start from = basis.greedy
                   ? basis.greedy->start
                   : gradient::random_start(net, seed, leaf_answer(net.loss, net.outputs, rows));
  gradient::Schedule schedule = settings.schedule;
  const auto part = [&](size_t steps) {
    return static_cast<size_t>(std::ceil(static_cast<double>(steps) * settings.effort));
  };
  schedule.steps = part(schedule.steps);
  schedule.last = std::min(schedule.last, schedule.steps);
  limit_steps(net, settings, rows.count, schedule);
  const bool cuts = settings.most_features > 0 && net.gates() > 0 &&
                    settings.most_features < features_of(basis.terms());
  if (!cuts) return gradient::train(net, rows, held_out, from, schedule, seed, run_.control);
  gradient::Schedule first = schedule;
  if (settings.steps_before_cut > 0) {
    first.last = std::min(settings.steps_before_cut, first.steps);
  }
  Outcome whole = gradient::train(net, rows, held_out, from, first, seed, run_.control);
  // The features that count most, and training on with these.
  from.parameters = whole.parameters;
  gradient::keep_features(net, basis.terms().features(), settings.most_features, from);
  if (whole.stopped) {
    whole.parameters = from.parameters;
    return whole;
  }
  Outcome outcome = gradient::train(net, rows, held_out, from, schedule, seed, run_.control);
  outcome.steps_before = whole.steps;
  return outcome;
}

std::vector<const FitData::ByPart*> CandidateFits::prepared(
    const std::vector<Settings>& candidates) {
  std::vector<const FitData::ByPart*> data;
  data.reserve(candidates.size());
  try {
    for (const Settings& settings : candidates) {
      if (!data.empty() && run_.control.should_stop()) break;
      data.push_back(&data_.by_part(settings));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted || data.empty()) throw;
  }
  run_.note_stop(data.size() < candidates.size());
  return data;
}

std::optional<Fitted> CandidateFits::kept(const std::string& key, const Settings& settings,
                                          size_t parts, const FitData::ByPart& data) const {
  if (run_.finished == nullptr || run_.stopped) return {};
  const std::optional<Bytes> bytes = run_.finished->find(key);
  if (!bytes) return {};
  Fitted fitted;
  size_t rows = 0;
  try {
    ByteReader in(*bytes);
    fitted.held_out_loss = in.value<double>();
    fitted.passes = in.value<double>();
    fitted.passes_before_cut = in.value<double>();
    fitted.losses = in.vector<float>();
    for (size_t part = 0; part < parts; ++part) {
      fitted.parameters.push_back(in.vector<float>());
      const size_t size = data_.network(settings, data.bases[part]).parameters();
      if (fitted.parameters.back().size() != size) return {};
      rows += data.held_out[part].count;
    }
    in.end();
  } catch (const Error&) {
    return {};
  }
  fitted.judged = fitted.losses.size() == rows;
  return fitted.judged ? std::optional(std::move(fitted)) : std::nullopt;
}

void CandidateFits::keep(const std::string& key, const Fitted& fitted) const {
  if (run_.finished == nullptr || run_.stopped || fitted.stopped || !fitted.judged) return;
  ByteWriter out;
  out.value(fitted.held_out_loss);
  out.value(fitted.passes);
  out.value(fitted.passes_before_cut);
  out.vector(fitted.losses);
  for (const std::vector<float>& numbers : fitted.parameters) out.vector(numbers);
  run_.finished->add(key, out.take());
}

std::vector<Fitted> CandidateFits::fit_all(const std::vector<Settings>& candidates, size_t starts,
                                           size_t judging_parts) {
  const std::vector<const FitData::ByPart*> data = prepared(candidates);
  const size_t parts = judging_parts > 0 ? judging_parts : run_.parts.count();
  std::vector<Outcome> outcomes(data.size() * starts * parts);
  std::vector<Fitted> fitted(data.size() * starts);
  std::vector<std::atomic<size_t>> done(fitted.size());
  // As long as nobody has stopped it, every run makes the same calls.
  const size_t call = calls_++;
  std::vector<char> known(fitted.size(), 0);
  const auto key = [&](size_t f) { return fmt::format("fit {} {}", call, f); };
  for (size_t f = 0; f < fitted.size(); ++f) {
    const Settings& settings = candidates[f / starts];
    std::optional<Fitted> found = kept(key(f), settings, parts, *data[f / starts]);
    if (!found) continue;
    fitted[f] = std::move(*found);
    fitted[f].settings = settings;
    fitted[f].start = f % starts;
    known[f] = 1;
  }
  run_.parallel.each(outcomes.size(), [&](size_t i) {
    const size_t f = i / parts, c = f / starts, part = i % parts;
    if (known[f] != 0) return;
    Settings settings = candidates[c];
    settings.schedule.keep_losses = true;
    outcomes[i] = fit(settings, data[c]->bases[part], data[c]->train[part],
                      &data[c]->held_out[part], f % starts + Constants::starts_by_part * part);
    // The losses of all rows at all checks are large: the last part of a fit leaves what counts.
    if (done[f].fetch_add(1) + 1 < parts) return;
    const std::span<Outcome> own = std::span(outcomes).subspan(f * parts, parts);
    fitted[f] = judged(own, *data[c]);
    fitted[f].settings = candidates[c];
    fitted[f].start = f % starts;
    keep(key(f), fitted[f]);
    for (Outcome& outcome : own) outcome = Outcome();
  });
  std::vector<Fitted> best;
  for (size_t c = 0; c < data.size(); ++c) {
    Fitted* first = nullptr;
    for (Fitted& other : std::span(fitted).subspan(c * starts, starts)) {
      run_.note_stop(other.stopped);
      if (!other.judged) continue;
      if (first == nullptr || other.held_out_loss < first->held_out_loss) first = &other;
    }
    if (first != nullptr) best.push_back(std::move(*first));
  }
  if (best.empty() && !candidates.empty()) {
    throw Error(ErrorKind::interrupted, "interrupted before a tree was trained");
  }
  return best;
}

// The number of steps is the same for all parts: chosen for each alone it would flatter trees that
// change much from step to step.
Fitted CandidateFits::judged(std::span<Outcome> outcomes, const FitData::ByPart& data) const {
  Fitted fitted;
  size_t checks = outcomes[0].checks.size();
  for (const Outcome& outcome : outcomes) {
    checks = std::min(checks, outcome.checks.size());
    fitted.stopped = fitted.stopped || outcome.stopped;
  }
  fitted.judged = checks > 0;
  if (!fitted.judged) return fitted;
  size_t chosen = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t check = 0; check < checks; ++check) {
    double sum = 0;
    for (const Outcome& outcome : outcomes) {
      const std::vector<float>& losses = outcome.checks[check].losses;
      sum = std::accumulate(losses.begin(), losses.end(), sum);
    }
    if (sum < least) {
      least = sum;
      chosen = check;
    }
  }
  for (size_t part = 0; part < outcomes.size(); ++part) {
    const gradient::Check& check = outcomes[part].checks[chosen];
    fitted.parameters.push_back(std::move(outcomes[part].parameters));
    fitted.losses.insert(fitted.losses.end(), check.losses.begin(), check.losses.end());
    const double share = 1.0 / static_cast<double>(std::max<size_t>(1, data.train[part].count)) /
                         static_cast<double>(outcomes.size());
    fitted.passes += static_cast<double>(check.steps) * share;
    fitted.passes_before_cut += static_cast<double>(outcomes[part].steps_before) * share;
  }
  fitted.held_out_loss = least / static_cast<double>(std::max<size_t>(1, fitted.losses.size()));
  return fitted;
}

Settings CandidateFits::settings_for(const Fitted& fitted, size_t rows) {
  Settings settings = fitted.settings;
  const size_t before = data_.by_part(settings).train[0].count;
  const double more = static_cast<double>(rows) / static_cast<double>(std::max<size_t>(1, before));
  settings.schedule.steps =
      static_cast<size_t>(std::lround(static_cast<double>(settings.schedule.steps) * more));
  const auto steps = [&](double passes) {
    return static_cast<size_t>(std::lround(passes * static_cast<double>(rows)));
  };
  settings.schedule.last = std::min(settings.schedule.steps, steps(fitted.passes));
  settings.steps_before_cut = steps(fitted.passes_before_cut);
  const double fewer = std::min(1.0, run_.rows() / static_cast<double>(rows));
  settings.schedule.decay *= fewer;
  settings.schedule.l1 *= std::sqrt(fewer);
  return settings;
}

FittedNetwork CandidateFits::fit_whole(const Fitted& fitted) {
  const std::vector<Sample>& all = run_.parts.all();
  const Settings settings = settings_for(fitted, run_.parts.all_rows());
  FittedNetwork network;
  network.basis = data_.basis(settings, all);
  network.net = data_.network(settings, network.basis);
  Outcome outcome =
      fit(settings, network.basis, data_.rows(network.basis, all), nullptr, fitted.start);
  run_.note_stop(outcome.stopped);
  network.parameters = std::move(outcome.parameters);
  return network;
}

}  // namespace softwood::soft
