#include "stages/soft/workshop.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "data/folds.h"
#include "data/typical.h"

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
  std::vector<RowIndex> train = known_rows({&table, context.rows});
  std::vector<RowIndex> other;
  if (context.validation) other = known_rows(*context.validation);
  if (!other.empty()) {
    rows_ = {std::move(train), std::move(other)};
    samples_ = {{&table, rows_[0]}, {context.validation->table, rows_[1]}};
    return;
  }
  if (train.size() < least_rows) folds = 1;
  rows_.resize(folds);
  if (folds == 1) {
    rows_[0] = std::move(train);
  } else {
    const std::vector<uint32_t> fold = stratified_folds(table, train, folds, context.seed);
    for (size_t i = 0; i < train.size(); ++i) rows_[fold[i]].push_back(train[i]);
  }
  for (const std::vector<RowIndex>& rows : rows_) samples_.push_back({&table, rows});
}

std::vector<Sample> Parts::others(size_t part) const {
  if (samples_.size() == 1) return samples_;
  std::vector<Sample> list;
  for (size_t i = 0; i < samples_.size(); ++i) {
    if (i != part) list.push_back(samples_[i]);
  }
  return list;
}

size_t Parts::rows() const {
  size_t count = 0;
  for (const std::vector<RowIndex>& rows : rows_) count += rows.size();
  return count;
}

// Means, deviations and typical values are those of the first part: the others only have to lie
// about there.
Workshop::Workshop(const Parts& parts, uint64_t seed, const Parallel& parallel,
                   const Control& control)
    : parts_(parts),
      table_(*parts.samples()[0].table),
      seed_(seed),
      parallel_(parallel),
      control_(control),
      scale_(gradient::target_scale(parts.samples()[0])),
      typical_(typical_values(table_, parts.samples()[0].rows)) {}

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

const Workshop::Prepared& Workshop::prepared(const Settings& settings) {
  std::unique_ptr<Prepared>& place = prepared_[{settings.map, settings.products}];
  if (!place) {
    Inputs inputs(parts_.samples()[0], typical_, settings.map, settings.products);
    place.reset(new Prepared{std::move(inputs), {}, {}});
    for (size_t part = 0; part < parts_.samples().size(); ++part) {
      const std::vector<Sample> others = parts_.others(part);
      place->train.push_back(place->inputs.rows<float>(others, scale_));
      place->held_out.push_back(place->inputs.rows<float>({&parts_.samples()[part], 1}, scale_));
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
  limit_steps(net, settings.most_work, rows.count, schedule);
  Outcome outcome = gradient::train(net, rows, held_out, from, schedule, seed, control_);
  if (settings.most_terms > 0 && !outcome.stopped) {
    // The terms that count most, and training on with these.
    from.parameters = outcome.parameters;
    gradient::keep_largest(net, settings.most_terms, from);
    outcome = gradient::train(net, rows, held_out, from, schedule, seed, control_);
  }
  return outcome;
}

std::vector<Fitted> Workshop::fit_all(const std::vector<Settings>& candidates, size_t starts) {
  std::vector<const Prepared*> data;
  for (const Settings& settings : candidates) data.push_back(&prepared(settings));
  const size_t parts = parts_.samples().size();
  std::vector<Outcome> outcomes(candidates.size() * starts * parts);
  parallel_.each(outcomes.size(), [&](size_t i) {
    const size_t c = i / (starts * parts), part = i % parts;
    outcomes[i] = fit(candidates[c], data[c]->inputs, data[c]->train[part],
                      &data[c]->held_out[part], i / parts % starts);
  });
  const bool numbers = table_.schema().task() == Task::regression;
  std::vector<Fitted> best;
  for (size_t i = 0; i < outcomes.size(); i += parts) {
    const size_t c = i / (starts * parts);
    Fitted fitted{candidates[c], i / parts % starts, 0, 0, std::move(outcomes[i].parameters)};
    for (size_t part = 0; part < parts; ++part) {
      const Outcome& outcome = outcomes[i + part];
      stopped_ = stopped_ || outcome.stopped;
      const auto count = static_cast<double>(data[c]->held_out[part].count);
      fitted.badness += count / static_cast<double>(parts_.rows()) *
                        (numbers ? outcome.held_out.wrong : outcome.held_out.loss);
      fitted.passes += static_cast<double>(outcome.steps) /
                       static_cast<double>(std::max<size_t>(1, data[c]->train[part].count)) /
                       static_cast<double>(parts);
    }
    if (fitted.start == 0) {
      best.push_back(std::move(fitted));
    } else if (fitted.badness < best.back().badness) {
      best.back() = std::move(fitted);
    }
  }
  return best;
}

Tree Workshop::finish(const Fitted& best) {
  const Prepared& data = prepared(best.settings);
  const Network net = network(best.settings, data.inputs);
  const std::vector<Sample>& all = parts_.samples();
  const Rows<float> rows = data.inputs.rows<float>(all, scale_);
  Settings last = best.settings;
  // The rate falls over as many passes as it did.
  const double more = static_cast<double>(rows.count) /
                      static_cast<double>(std::max<size_t>(1, data.train[0].count));
  last.schedule.steps =
      static_cast<size_t>(std::lround(static_cast<double>(last.schedule.steps) * more));
  last.schedule.last =
      std::min(last.schedule.steps,
               static_cast<size_t>(std::lround(best.passes * static_cast<double>(rows.count))));
  std::vector<float> parameters = best.parameters;
  if (!stopped_) {
    Outcome outcome = fit(last, data.inputs, rows, nullptr, best.start);
    // Told to stop: what was chosen on held-out rows is complete, this is not.
    stopped_ = outcome.stopped;
    if (!stopped_) parameters = std::move(outcome.parameters);
  }
  return gradient::emit_tree(net, parameters, data.inputs, scale_, all);
}

}  // namespace softwood::soft
