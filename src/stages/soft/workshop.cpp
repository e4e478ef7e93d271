#include "stages/soft/workshop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "data/folds.h"
#include "data/typical.h"
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

// Fewer rows are not divided.
constexpr size_t least_rows = 20;
constexpr size_t few_rows = 1000;
// Starts of teachers are others than those that were tried.
constexpr uint64_t first_teacher = 1000;

std::vector<RowIndex> known_rows(const Sample& sample) {
  std::vector<RowIndex> rows;
  for (const RowIndex row : sample.rows) {
    if (!sample.table->target().is_missing(row)) rows.push_back(row);
  }
  return rows;
}

}  // namespace

Parts::Parts(const Context& context, size_t folds) {
  const Table& table = context.table();
  rows_.reserve(2);
  rows_.push_back(known_rows({&table, context.rows}));
  all_.push_back({&table, rows_[0]});
  if (context.validation) {
    rows_.push_back(known_rows(*context.validation));
    if (!rows_[1].empty()) all_.push_back({context.validation->table, rows_[1]});
  }
  if (folds == 0) folds = rows() < few_rows ? 5 : 2;
  if (rows() < least_rows) folds = 1;
  parts_.resize(folds);
  if (folds == 1) {
    parts_[0] = all_;
    return;
  }
  rows_.reserve(2 + 2 * folds);  // samples point into it
  const std::vector<Sample> given = all_;
  for (const Sample& sample : given) add(sample, folds, context.seed);
}

void Parts::add(const Sample& sample, size_t folds, uint64_t seed) {
  const std::vector<uint32_t> fold = stratified_folds(*sample.table, sample.rows, folds, seed);
  for (size_t part = 0; part < folds; ++part) {
    std::vector<RowIndex>& rows = rows_.emplace_back();
    for (size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] == part) rows.push_back(sample.rows[i]);
    }
    parts_[part].push_back({sample.table, rows});
  }
}

std::vector<Sample> Parts::others(size_t part) const {
  if (parts_.size() == 1) return all_;
  std::vector<Sample> list;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i != part) list.insert(list.end(), parts_[i].begin(), parts_[i].end());
  }
  return list;
}

size_t Parts::rows() const {
  size_t count = 0;
  for (const Sample& sample : all_) count += sample.rows.size();
  return count;
}

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
      typical_(typical_values(table_, parts.all()[0].rows)) {}

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
  while (depth > 0 && (outputs() << depth) > most_outputs) --depth;
  return depth;
}

size_t Workshop::size(const Settings& settings) {
  const Network net = network(settings, prepared(settings).inputs);
  const size_t of_gate =
      std::min(settings.most_terms > 0 ? settings.most_terms : net.terms, net.terms);
  return net.gates() * (of_gate + 1) +
         net.leaves * net.outputs * (1 + (net.linear_leaves ? net.terms : 0));
}

const Workshop::Prepared& Workshop::prepared(const Settings& settings) {
  std::unique_ptr<Prepared>& place = prepared_[{settings.map, settings.products}];
  if (!place) {
    Inputs inputs(parts_.all()[0], typical_, settings.map, settings.products);
    place = std::make_unique<Prepared>(Prepared{std::move(inputs), {}, {}});
    for (size_t part = 0; part < parts_.count(); ++part) {
      place->train.push_back(place->inputs.rows<float>(parts_.others(part), scale_));
      place->held_out.push_back(place->inputs.rows<float>(parts_.part(part), scale_));
    }
  }
  return *place;
}

Network Workshop::network(const Settings& settings, const Inputs& inputs) const {
  const gradient::Loss loss = gradient::usual_loss(table_);
  // Without inputs there is nothing to ask for.
  const size_t depth = inputs.terms() == 0 ? 0 : settings.depth;
  return gradient::full_network(depth, inputs.terms(), gradient::outputs_for(loss, table_),
                                settings.linear_leaves && inputs.terms() > 0, loss);
}

Outcome Workshop::fit(const Settings& settings, const Inputs& inputs, const Rows<float>& rows,
                      const Rows<float>* held_out, uint64_t start) const {
  const Network net = network(settings, inputs);
  const uint64_t seed = mix64(seed_ ^ mix64(start));
  Start from = gradient::random_start(net, settings.spread, seed);
  gradient::Schedule schedule = settings.schedule;
  const auto part = [&](size_t steps) {
    return static_cast<size_t>(std::ceil(static_cast<double>(steps) * settings.effort));
  };
  schedule.steps = part(schedule.steps);
  schedule.last = std::min(schedule.last, schedule.steps);
  limit_steps(net, settings.most_work * settings.effort, rows.count, schedule);
  const bool cuts = settings.most_terms > 0 && settings.most_terms < net.terms && net.gates() > 0;
  if (!cuts) return gradient::train(net, rows, held_out, from, schedule, seed, control_);
  gradient::Schedule first = schedule;
  if (settings.steps_before_cut > 0) {
    first.last = std::min(settings.steps_before_cut, first.steps);
  }
  Outcome whole = gradient::train(net, rows, held_out, from, first, seed, control_);
  if (whole.stopped) return whole;
  // The terms that count most, and training on with these.
  from.parameters = whole.parameters;
  gradient::keep_largest(net, settings.most_terms, from);
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
  parallel_.each(outcomes.size(), [&](size_t i) {
    const size_t c = i / (starts * parts), part = i % parts;
    Settings settings = candidates[c];
    settings.schedule.keep_losses = true;
    outcomes[i] = fit(settings, data[c]->inputs, data[c]->train[part], &data[c]->held_out[part],
                      i / parts % starts);
  });
  std::vector<Fitted> best;
  for (size_t i = 0; i < outcomes.size(); i += parts) {
    const size_t c = i / (starts * parts);
    Fitted fitted = judged(std::span(outcomes).subspan(i, parts), *data[c]);
    fitted.settings = candidates[c];
    fitted.start = i / parts % starts;
    if (fitted.start == 0) {
      best.push_back(std::move(fitted));
    } else if (fitted.badness < best.back().badness) {
      best.back() = std::move(fitted);
    }
  }
  return best;
}

// The number of steps is the same for all parts: chosen for each alone it would flatter trees that
// change much from step to step.
Fitted Workshop::judged(std::span<Outcome> outcomes, const Prepared& data) {
  size_t checks = outcomes[0].checks.size();
  for (const Outcome& outcome : outcomes) {
    checks = std::min(checks, outcome.checks.size());
    stopped_ = stopped_ || outcome.stopped;
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
  Fitted fitted;
  fitted.badness = least / rows();
  fitted.parameters = std::move(outcomes[0].parameters);
  for (size_t part = 0; part < outcomes.size(); ++part) {
    const gradient::Check& check = outcomes[part].checks[chosen];
    fitted.losses.insert(fitted.losses.end(), check.losses.begin(), check.losses.end());
    const double share = 1.0 / static_cast<double>(std::max<size_t>(1, data.train[part].count)) /
                         static_cast<double>(outcomes.size());
    fitted.passes += static_cast<double>(check.steps) * share;
    fitted.passes_before_cut += static_cast<double>(outcomes[part].steps_before) * share;
  }
  return fitted;
}

Outcome Workshop::teach(const Settings& settings, const Network& net,
                        const std::vector<std::vector<float>>& teachers,
                        const Rows<float>& rows) const {
  constexpr size_t times_longer = 2;
  Start from = gradient::random_start(net, settings.spread, seed_);
  from.parameters = teachers[0];
  if (settings.most_terms > 0) gradient::keep_largest(net, settings.most_terms, from);
  gradient::Schedule schedule = settings.schedule;
  schedule.set_steps(times_longer * std::max<size_t>(schedule.last, 1));
  schedule.decay = 0;  // what the teachers answer has no noise to be kept from
  return gradient::train(net, taught_rows(net, teachers, rows), nullptr, from, schedule, seed_,
                         control_);
}

Tree Workshop::finish(const Fitted& best, size_t teachers) {
  const Prepared& data = prepared(best.settings);
  const Network net = network(best.settings, data.inputs);
  const std::vector<Sample>& all = parts_.all();
  const Rows<float> rows = data.inputs.rows<float>(all, scale_);
  Settings last = best.settings;
  // The rate falls over as many passes as it did.
  const double more = static_cast<double>(rows.count) /
                      static_cast<double>(std::max<size_t>(1, data.train[0].count));
  last.schedule.steps =
      static_cast<size_t>(std::lround(static_cast<double>(last.schedule.steps) * more));
  const auto steps = [&](double passes) {
    return static_cast<size_t>(std::lround(passes * static_cast<double>(rows.count)));
  };
  last.schedule.last = std::min(last.schedule.steps, steps(best.passes));
  last.steps_before_cut = steps(best.passes_before_cut);
  // A single leaf comes out the same from every start.
  if (net.gates() == 0) teachers = 1;
  std::vector<Outcome> fits(stopped_ ? 0 : teachers);
  parallel_.each(fits.size(), [&](size_t i) {
    fits[i] = fit(last, data.inputs, rows, nullptr, i == 0 ? best.start : first_teacher + i);
  });
  std::vector<std::vector<float>> fitted;
  for (Outcome& outcome : fits) {
    stopped_ = stopped_ || outcome.stopped;
    fitted.push_back(std::move(outcome.parameters));
  }
  // Told to stop: what was chosen on held-out rows is complete, this is not.
  std::vector<float> parameters = stopped_ ? best.parameters : fitted[0];
  if (!stopped_ && teachers > 1) {
    Outcome taught = teach(last, net, fitted, rows);
    stopped_ = taught.stopped;
    if (!stopped_) parameters = std::move(taught.parameters);
  }
  Tree tree = gradient::emit_tree(net, parameters, data.inputs, scale_, all);
  gradient::limit_answers(tree, all);
  return tree;
}

}  // namespace softwood::soft
