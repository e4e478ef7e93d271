#include "stages/soft/candidate_fits.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/random.h"
#include "data/typical.h"
#include "stages/soft/hard_trees.h"

namespace softwood::soft {

using gradient::Inputs;
using gradient::Network;
using gradient::Outcome;
using gradient::Rows;
using gradient::Start;

namespace {

// Steps that the work allows. Operations of a step: forward and backward of a batch.
void limit_steps(const Network& net, double most_work, size_t rows, gradient::Schedule& schedule) {
  constexpr size_t least_steps = 100, per_output = 4, per_node = 20;
  if (!(most_work > 0)) return;
  const size_t by_row = 2 * net.scored_units() * net.terms + per_output * net.leaves * net.outputs +
                        per_node * net.nodes.size();
  const double allowed =
      most_work * static_cast<double>(rows) / static_cast<double>(schedule.batch * by_row);
  const auto most = std::max(least_steps, static_cast<size_t>(std::min(allowed, 1e9)));
  if (schedule.last == schedule.steps) schedule.last = std::min(schedule.last, most);
  schedule.steps = std::min(schedule.steps, most);
  schedule.last = std::min(schedule.last, schedule.steps);
}

// Starts of teachers are others than those that were tried.
constexpr uint64_t first_teacher = 1000;

// How soft the gates of a greedy tree are at first (CompileOptions): gradients reach only rows that
// lie on a ramp.
constexpr double greedy_softness = 4;
// Different ones.
size_t features_of(const Inputs& inputs) {
  std::set<uint32_t> all;
  for (const std::vector<uint32_t>& of_term : inputs.features()) {
    all.insert(of_term.begin(), of_term.end());
  }
  return all.size();
}

// Three quarters of the rows.
class RowsOfTeacher {
 public:
  RowsOfTeacher(const std::vector<Sample>& from, uint64_t seed, uint64_t teacher)
      : rows_(from.size()) {
    constexpr double share = 0.75;
    Random random(seed, "rows of a teacher", teacher);
    for (size_t s = 0; s < from.size(); ++s) {
      for (const RowIndex row : from[s].rows) {
        if (random.uniform() < share) rows_[s].push_back(row);
      }
      samples_.push_back({from[s].table, rows_[s]});
    }
  }
  RowsOfTeacher(const RowsOfTeacher&) = delete;
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::vector<std::vector<RowIndex>> rows_;
  std::vector<Sample> samples_;
};

double mean_weight(std::span<const Sample> samples) {
  double sum = 0, count = 0;
  for (const Sample& sample : samples) {
    for (const RowIndex row : sample.rows) sum += sample.table->weight(row);
    count += static_cast<double>(sample.rows.size());
  }
  return sum / std::max(count, 1.0);
}

}  // namespace

// Means, deviations and typical values are those of all training rows: what they tell of the rows
// that judge is too little to matter.
CandidateFits::CandidateFits(const Parts& parts, uint64_t seed, const Parallel& parallel,
                             const Control& control)
    : parts_(parts),
      table_(*parts.all()[0].table),
      seed_(seed),
      parallel_(parallel),
      control_(control),
      scale_(gradient::target_scale(parts.all()[0])),
      typical_(typical_values(table_, parts.all()[0].rows)),
      derived_(table_) {}

size_t CandidateFits::numeric_inputs() const {
  size_t count = 0;
  for (uint32_t f = 0; f < table_.features(); ++f) {
    count += table_.input(f).kind == Kind::numeric ? 1 : 0;
  }
  return count;
}

size_t CandidateFits::outputs() const {
  return gradient::outputs_for(gradient::usual_loss(table_), table_);
}

size_t CandidateFits::largest_depth(size_t wanted) const {
  constexpr size_t most_outputs = 1024;
  size_t depth = wanted;
  while (depth > 0 &&
         ((outputs() << depth) > most_outputs || (size_t{1} << depth) > parts_.rows())) {
    --depth;
  }
  return depth;
}

size_t CandidateFits::size(const Settings& settings) {
  const FitData& ground = prepared(settings).grounds[0];
  const Network net = network(settings, ground);
  const size_t features = features_of(ground.terms());
  // About as many terms for each feature that a gate may have.
  size_t of_gate = net.terms;
  if (settings.most_features > 0 && settings.most_features < features) {
    of_gate = (net.terms * settings.most_features + features - 1) / features;
  }
  return net.gates() * (of_gate + 1) +
         net.leaves * net.outputs * (1 + (net.linear_leaves ? net.terms : 0));
}

std::shared_ptr<const Inputs> CandidateFits::inputs_for(const Settings& settings) {
  std::shared_ptr<const Inputs>& place = inputs_[{settings.map, settings.products}];
  if (!place) {
    place =
        std::make_shared<const Inputs>(parts_.all()[0], typical_, settings.map, settings.products);
  }
  return place;
}

CandidateFits::FitData CandidateFits::ground_of(const Settings& settings,
                                                std::span<const Sample> samples) {
  if (settings.greedy_leaves == 0) return {inputs_for(settings), nullptr};
  gradient::CompileOptions options;
  options.all_inputs = true;
  options.map = settings.map;
  options.linear_leaves = settings.linear_leaves;
  options.node_spread = true;
  options.softness = greedy_softness;
  options.steps = LinkForm::ramp;
  const Tree tree =
      greedy_tree(derived_, samples, settings.greedy_leaves, parallel_, control_.silent());
  return {nullptr, std::make_shared<const gradient::CompiledTree>(tree, parts_.all()[0], options)};
}

Rows<float> CandidateFits::rows_of(const FitData& ground, std::span<const Sample> samples) const {
  return ground.greedy ? ground.greedy->rows(samples) : ground.inputs->rows<float>(samples, scale_);
}

const CandidateFits::Prepared& CandidateFits::prepared(const Settings& settings) {
  std::unique_ptr<Prepared>& place =
      prepared_[{settings.map, settings.products, settings.greedy_leaves,
                 settings.greedy_leaves > 0 && settings.linear_leaves}];
  if (!place) {
    place = std::make_unique<Prepared>();
    for (size_t part = 0; part < parts_.count(); ++part) {
      const std::vector<Sample> others = parts_.others(part);
      place->grounds.push_back(ground_of(settings, others));
      place->train.push_back(rows_of(place->grounds[part], others));
      place->held_out.push_back(rows_of(place->grounds[part], parts_.part(part)));
      // Rows have a mean weight of 1 by themselves; a heavy part counts more than a light one.
      const double heavier = mean_weight(parts_.part(part)) / mean_weight(parts_.all());
      for (float& weight : place->held_out[part].weight) weight *= static_cast<float>(heavier);
    }
  }
  return *place;
}

Network CandidateFits::network(const Settings& settings, const FitData& ground) const {
  if (ground.greedy) return ground.greedy->net;
  const gradient::Loss loss = gradient::usual_loss(table_);
  // Without inputs there is nothing to ask for.
  const size_t terms = ground.inputs->terms(), depth = terms == 0 ? 0 : settings.depth;
  return gradient::full_network(depth, terms, gradient::outputs_for(loss, table_),
                                settings.linear_leaves && terms > 0, loss);
}

Outcome CandidateFits::fit(const Settings& settings, const FitData& ground, const Rows<float>& rows,
                           const Rows<float>* held_out, uint64_t start) const {
  const Network net = network(settings, ground);
  const uint64_t seed = mix64(seed_ ^ mix64(start));
  Start from = ground.greedy ? ground.greedy->start : gradient::random_start(net, seed);
  gradient::Schedule schedule = settings.schedule;
  const auto part = [&](size_t steps) {
    return static_cast<size_t>(std::ceil(static_cast<double>(steps) * settings.effort));
  };
  schedule.steps = part(schedule.steps);
  schedule.last = std::min(schedule.last, schedule.steps);
  limit_steps(net, settings.most_work * settings.effort, rows.count, schedule);
  const bool cuts = settings.most_features > 0 && net.gates() > 0 &&
                    settings.most_features < features_of(ground.terms());
  if (!cuts) return gradient::train(net, rows, held_out, from, schedule, seed, control_);
  gradient::Schedule first = schedule;
  if (settings.steps_before_cut > 0) {
    first.last = std::min(settings.steps_before_cut, first.steps);
  }
  Outcome whole = gradient::train(net, rows, held_out, from, first, seed, control_);
  // The features that count most, and training on with these.
  from.parameters = whole.parameters;
  gradient::keep_features(net, ground.terms().features(), settings.most_features, from);
  if (whole.stopped) {
    whole.parameters = from.parameters;
    return whole;
  }
  Outcome outcome = gradient::train(net, rows, held_out, from, schedule, seed, control_);
  outcome.steps_before = whole.steps;
  return outcome;
}

std::vector<Fitted> CandidateFits::fit_all(const std::vector<Settings>& candidates, size_t starts) {
  std::vector<const Prepared*> data;
  data.reserve(candidates.size());
  for (const Settings& settings : candidates) data.push_back(&prepared(settings));
  const size_t parts = parts_.count();
  std::vector<Outcome> outcomes(candidates.size() * starts * parts);
  std::vector<Fitted> fitted(candidates.size() * starts);
  std::vector<std::atomic<size_t>> done(fitted.size());
  parallel_.each(outcomes.size(), [&](size_t i) {
    const size_t f = i / parts, c = f / starts, part = i % parts;
    Settings settings = candidates[c];
    settings.schedule.keep_losses = true;
    outcomes[i] = fit(settings, data[c]->grounds[part], data[c]->train[part],
                      &data[c]->held_out[part], f % starts);
    // The losses of all rows at all checks are large: the last part of a fit leaves what counts.
    if (done[f].fetch_add(1) + 1 < parts) return;
    const std::span<Outcome> own = std::span(outcomes).subspan(f * parts, parts);
    fitted[f] = judged(own, *data[c]);
    fitted[f].settings = candidates[c];
    fitted[f].start = f % starts;
    for (Outcome& outcome : own) outcome = Outcome();
  });
  std::vector<Fitted> best;
  for (Fitted& other : fitted) {
    stopped_ = stopped_ || other.stopped;
    if (other.start == 0) {
      best.push_back(std::move(other));
    } else if (other.held_out_loss < best.back().held_out_loss) {
      best.back() = std::move(other);
    }
  }
  return best;
}

// The number of steps is the same for all parts: chosen for each alone it would flatter trees that
// change much from step to step.
Fitted CandidateFits::judged(std::span<Outcome> outcomes, const Prepared& data) const {
  Fitted fitted;
  size_t checks = outcomes[0].checks.size();
  for (const Outcome& outcome : outcomes) {
    checks = std::min(checks, outcome.checks.size());
    fitted.stopped = fitted.stopped || outcome.stopped;
  }
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
  fitted.held_out_loss = least / rows();
  for (size_t part = 0; part < outcomes.size(); ++part) {
    const gradient::Check& check = outcomes[part].checks[chosen];
    fitted.parameters.push_back(std::move(outcomes[part].parameters));
    fitted.losses.insert(fitted.losses.end(), check.losses.begin(), check.losses.end());
    const double share = 1.0 / static_cast<double>(std::max<size_t>(1, data.train[part].count)) /
                         static_cast<double>(outcomes.size());
    fitted.passes += static_cast<double>(check.steps) * share;
    fitted.passes_before_cut += static_cast<double>(outcomes[part].steps_before) * share;
  }
  return fitted;
}

// As many passes over the rows as were best; the rate falls over as many passes as it did.
Settings CandidateFits::settings_for(const Fitted& fitted, size_t rows) {
  Settings settings = fitted.settings;
  const size_t before = prepared(settings).train[0].count;
  const double more = static_cast<double>(rows) / static_cast<double>(std::max<size_t>(1, before));
  settings.schedule.steps =
      static_cast<size_t>(std::lround(static_cast<double>(settings.schedule.steps) * more));
  const auto steps = [&](double passes) {
    return static_cast<size_t>(std::lround(passes * static_cast<double>(rows)));
  };
  settings.schedule.last = std::min(settings.schedule.steps, steps(fitted.passes));
  settings.steps_before_cut = steps(fitted.passes_before_cut);
  return settings;
}

std::vector<CandidateFits::Model> CandidateFits::fit_members(
    const std::vector<const Fitted*>& members, const std::vector<Sample>& samples, size_t whole) {
  size_t rows = 0;
  for (const Sample& sample : samples) rows += sample.rows.size();
  std::vector<Model> models(members.size());
  std::vector<Settings> settings;
  for (size_t i = 0; i < members.size(); ++i) {
    settings.push_back(settings_for(*members[i], rows));
    const RowsOfTeacher some(samples, seed_, i);
    models[i].ground = ground_of(settings[i], i < whole ? samples : some.samples());
    models[i].net = network(settings[i], models[i].ground);
  }
  std::vector<char> stopped(members.size(), 0);
  parallel_.each(models.size(), [&](size_t i) {
    Outcome outcome = fit(settings[i], models[i].ground, rows_of(models[i].ground, samples),
                          nullptr, i < whole ? members[i]->start : first_teacher + i);
    stopped[i] = outcome.stopped ? 1 : 0;
    models[i].parameters = std::move(outcome.parameters);
  });
  for (const char one : stopped) stopped_ = stopped_ || one != 0;
  return models;
}

}  // namespace softwood::soft
