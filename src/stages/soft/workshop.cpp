#include "stages/soft/workshop.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/random.h"
#include "data/typical.h"
#include "stages/soft/greedy_tree.h"
#include "stages/soft/hard_start.h"
#include "stages/soft/invent.h"
#include "stages/soft/teach.h"

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
// The kinds among which teachers are chosen, and how many trees of each are tried.
constexpr size_t most_kinds = 6, tried_of_kind = 2;
// Rows that a taught tree is asked for besides its own.
constexpr size_t times_invented = 2, most_invented = 10000;

// Different ones.
size_t features_of(const Inputs& inputs) {
  std::set<uint32_t> all;
  for (const std::vector<uint32_t>& of_term : inputs.features()) {
    all.insert(of_term.begin(), of_term.end());
  }
  return all.size();
}

// The numbers of a single leaf that answers what the rows are in the mean.
std::vector<float> leaf_parameters(const Network& leaf, const Rows<float>& rows) {
  const std::vector<double> shares(rows.count, 1.0);
  Rows<double> known;
  known.count = rows.count;
  known.target.assign(rows.target.begin(), rows.target.end());
  known.weight.assign(rows.weight.begin(), rows.weight.end());
  const std::vector<double> answer = leaf_answer(leaf.loss, leaf.outputs, known, shares);
  std::vector<float> parameters(leaf.parameters(), 0.0F);
  for (size_t k = 0; k < leaf.outputs; ++k) {
    parameters[leaf.constant_at(leaf.unit_of_leaf(0, k))] = static_cast<float>(answer[k]);
  }
  return parameters;
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

// The best that differ in more than their decay.
std::vector<const Fitted*> different(const std::vector<Fitted>& pool, size_t most) {
  std::vector<const Fitted*> sorted, kept;
  for (const Fitted& fitted : pool) sorted.push_back(&fitted);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Fitted* a, const Fitted* b) { return a->badness < b->badness; });
  for (const Fitted* fitted : sorted) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Fitted* other) {
      return same_shape(other->settings, fitted->settings);
    });
    if (!known && kept.size() < most) kept.push_back(fitted);
  }
  return kept;
}

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
Workshop::Workshop(const Parts& parts, uint64_t seed, const Parallel& parallel,
                   const Control& control)
    : parts_(parts),
      table_(*parts.all()[0].table),
      seed_(seed),
      parallel_(parallel),
      control_(control),
      scale_(gradient::target_scale(parts.all()[0])),
      typical_(typical_values(table_, parts.all()[0].rows)),
      derived_(table_) {}

size_t Workshop::numeric_inputs() const {
  size_t count = 0;
  for (uint32_t f = 0; f < table_.features(); ++f) {
    count += table_.input(f).kind == Kind::numeric ? 1 : 0;
  }
  return count;
}

size_t Workshop::outputs() const {
  return gradient::outputs_for(gradient::usual_loss(table_), table_);
}

size_t Workshop::largest_depth(size_t wanted) const {
  constexpr size_t most_outputs = 1024;
  size_t depth = wanted;
  while (depth > 0 &&
         ((outputs() << depth) > most_outputs || (size_t{1} << depth) > parts_.rows())) {
    --depth;
  }
  return depth;
}

size_t Workshop::size(const Settings& settings) {
  const Ground& ground = prepared(settings).grounds[0];
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

std::shared_ptr<const Inputs> Workshop::inputs_for(const Settings& settings) {
  std::shared_ptr<const Inputs>& place = inputs_[{settings.map, settings.products}];
  if (!place) {
    place =
        std::make_shared<const Inputs>(parts_.all()[0], typical_, settings.map, settings.products);
  }
  return place;
}

Workshop::Ground Workshop::ground_of(const Settings& settings, std::span<const Sample> samples) {
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

Rows<float> Workshop::rows_of(const Ground& ground, std::span<const Sample> samples) const {
  return ground.greedy ? ground.greedy->rows(samples) : ground.inputs->rows<float>(samples, scale_);
}

const Workshop::Prepared& Workshop::prepared(const Settings& settings) {
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

Network Workshop::network(const Settings& settings, const Ground& ground) const {
  if (ground.greedy) return ground.greedy->net;
  const gradient::Loss loss = gradient::usual_loss(table_);
  // Without inputs there is nothing to ask for.
  const size_t terms = ground.inputs->terms(), depth = terms == 0 ? 0 : settings.depth;
  return gradient::full_network(depth, terms, gradient::outputs_for(loss, table_),
                                settings.linear_leaves && terms > 0, loss);
}

Outcome Workshop::fit(const Settings& settings, const Ground& ground, const Rows<float>& rows,
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

std::vector<Fitted> Workshop::fit_all(const std::vector<Settings>& candidates, size_t starts) {
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
    } else if (other.badness < best.back().badness) {
      best.back() = std::move(other);
    }
  }
  return best;
}

// The number of steps is the same for all parts: chosen for each alone it would flatter trees that
// change much from step to step.
Fitted Workshop::judged(std::span<Outcome> outcomes, const Prepared& data) const {
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
  fitted.badness = least / rows();
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
Settings Workshop::settings_for(const Fitted& fitted, size_t rows) {
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

std::vector<Workshop::Model> Workshop::fit_members(const std::vector<const Fitted*>& members,
                                                   const std::vector<Sample>& samples,
                                                   size_t whole) {
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

// Kinds are judged by what several trees of a kind answer in the mean for the rows of each part,
// fitted to the others.
std::vector<const Fitted*> Workshop::committee(const std::vector<const Fitted*>& kinds,
                                               size_t members) {
  std::vector<const Fitted*> tried;
  for (size_t start = 0; start < tried_of_kind; ++start) {
    tried.insert(tried.end(), kinds.begin(), kinds.end());
  }
  std::vector<std::vector<double>> answers(kinds.size());
  Rows<float> rows;
  const Network any = network(kinds[0]->settings, prepared(kinds[0]->settings).grounds[0]);
  for (size_t part = 0; part < parts_.count(); ++part) {
    const std::vector<Model> models = fit_members(tried, parts_.others(part), 0);
    if (stopped_) return {};
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      std::vector<Model> same;
      for (size_t i = kind; i < models.size(); i += kinds.size()) same.push_back(models[i]);
      const std::vector<double> mean = mean_answers(same, parts_.part(part));
      answers[kind].insert(answers[kind].end(), mean.begin(), mean.end());
    }
    const Rows<float>& judges = prepared(kinds[0]->settings).held_out[part];
    rows.count += judges.count;
    rows.target.insert(rows.target.end(), judges.target.begin(), judges.target.end());
    rows.weight.insert(rows.weight.end(), judges.weight.begin(), judges.weight.end());
  }
  std::vector<const Fitted*> chosen;
  for (const size_t kind : best_committee(any, answers, rows, members)) {
    chosen.push_back(kinds[kind]);
  }
  return chosen;
}

std::vector<double> Workshop::mean_answers(std::span<const Model> models,
                                           std::span<const Sample> samples) const {
  std::vector<double> mean;
  for (const Model& model : models) {
    const std::vector<double> answers =
        answers_of(model.net, model.parameters, rows_of(model.ground, samples));
    mean.resize(answers.size(), 0.0);
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] += answers[i] / static_cast<double>(models.size());
    }
  }
  return mean;
}

size_t Workshop::teach(std::span<Model> pupils, const std::vector<const Fitted*>& fitted,
                       std::span<const Model> teachers) {
  constexpr size_t times_longer = 4;
  std::vector<Sample> asked = parts_.all();
  const Rows<float> cells = inputs_for(Settings())->rows<float>(asked, scale_);
  const size_t count = std::min(most_invented, times_invented * parts_.rows());
  const Table more = invented_rows(asked, cells, count, seed_);
  const Table others = invented_rows(asked, cells, count / 2 + 1, mix64(seed_));
  const std::vector<RowIndex> more_rows = all_rows(more), other_rows = all_rows(others);
  asked.push_back({&more, more_rows});
  const std::vector<Sample> judges = {{&others, other_rows}};
  const std::vector<double> lesson = mean_answers(teachers, asked),
                            question = mean_answers(teachers, judges);
  std::vector<Settings> settings;
  for (const Fitted* of : fitted) settings.push_back(settings_for(*of, parts_.rows()));
  std::vector<Outcome> outcomes(pupils.size());
  parallel_.each(pupils.size(), [&](size_t i) {
    const Model& pupil = pupils[i];
    const size_t most_features = settings[i].most_features;
    Start from =
        pupil.ground.greedy ? pupil.ground.greedy->start : gradient::random_start(pupil.net, seed_);
    from.parameters = pupil.parameters;
    if (most_features > 0) {
      gradient::keep_features(pupil.net, pupil.ground.terms().features(), most_features, from);
    }
    gradient::Schedule schedule = settings[i].schedule;
    schedule.set_steps(times_longer * std::max<size_t>(schedule.last, 1));
    schedule.decay = 0;  // what the teachers answer has no noise to be kept from
    const Rows<float> held_out = taught_rows(pupil.net, question, rows_of(pupil.ground, judges));
    outcomes[i] =
        gradient::train(pupil.net, taught_rows(pupil.net, lesson, rows_of(pupil.ground, asked)),
                        &held_out, from, schedule, seed_, control_);
  });
  size_t best = 0;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    stopped_ = stopped_ || outcomes[i].stopped;
    if (outcomes[i].held_out.loss < outcomes[best].held_out.loss) best = i;
  }
  if (stopped_) return 0;
  pupils[best].parameters = std::move(outcomes[best].parameters);
  return best;
}

Workshop::Model Workshop::untrained(const Prepared& data) {
  Settings leaf;
  leaf.depth = 0;
  const Ground ground = ground_of(leaf, {});
  const Network net = network(leaf, ground);
  return {ground, net, leaf_parameters(net, data.train[0])};
}

bool Workshop::has_gates(const Fitted& fitted) {
  return network(fitted.settings, prepared(fitted.settings).grounds[0]).gates() > 0;
}

Finished Workshop::finish(const Fitted& best, const std::vector<Fitted>& pool, size_t teachers,
                          bool any_kind) {
  const std::vector<Sample>& all = parts_.all();
  std::vector<const Fitted*> members = {&best};
  // A single leaf can't learn what trees know.
  const bool taught = teachers > 1 && has_gates(best);
  const std::vector<const Fitted*> kinds = different(pool, most_kinds);
  for (const Fitted* kind : kinds) {
    if (taught && any_kind && kind != &best && has_gates(*kind)) members.push_back(kind);
  }
  const size_t pupils = members.size();
  if (taught && !stopped_) {
    const std::vector<const Fitted*> chosen = committee(kinds, teachers);
    members.insert(members.end(), chosen.begin(), chosen.end());
    report(0.8);
  }
  std::vector<Model> models;
  if (!stopped_) models = fit_members(members, all, pupils);
  // Told to stop: what was chosen on held-out rows is complete, this is not.
  if (stopped_) {
    const Prepared& data = prepared(best.settings);
    models = {{data.grounds[0], network(best.settings, data.grounds[0]), best.parameters[0]}};
    if (!(best.passes > 0)) models = {untrained(data)};
  }
  size_t last = 0;
  if (!stopped_ && taught) {
    report(0.9);
    members.resize(pupils);
    last = teach(std::span(models).first(pupils), members, std::span(models).subspan(pupils));
  }
  const Model& result = models[last];
  const gradient::CompiledTree* const greedy = result.ground.greedy.get();
  Tree tree = gradient::emit_tree(result.net, result.parameters, result.ground.terms(), scale_, all,
                                  greedy != nullptr ? &greedy->origin : nullptr);
  gradient::limit_answers(tree, all);
  return {std::move(tree), members[last]};
}

}  // namespace softwood::soft
