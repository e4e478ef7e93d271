#include "gradient/sharpen.h"

#include <algorithm>
#include <cmath>

namespace softwood::gradient {

void scale_gate(const Network& net, size_t gate, float factor, std::vector<float>& parameters) {
  for (size_t t = 0; t < net.terms; ++t) parameters[net.weight_at(gate, t)] *= factor;
  parameters[net.constant_at(gate)] *= factor;
}

namespace {

double size_of(const Network& net, size_t g, const std::vector<float>& parameters) {
  double squares = 0;
  for (size_t t = 0; t < net.terms; ++t) {
    const double weight = parameters[net.weight_at(g, t)];
    squares += weight * weight;
  }
  return std::sqrt(squares);
}

// Gates that are softer than in `steep` become as steep.
void restore_steepness(const Network& net, const std::vector<float>& steep,
                       std::vector<float>& parameters) {
  for (size_t g = 0; g < net.gates(); ++g) {
    // Those of a logistic gate are as they were: nothing uses them.
    for (size_t side = 0; side < 2; ++side) {
      const size_t width = net.widths_at() + 2 * g + side;
      parameters[width] = std::min(parameters[width], steep[width]);
    }
    const double wanted = size_of(net, g, steep), now = size_of(net, g, parameters);
    if (now > 0 && now < wanted) scale_gate(net, g, static_cast<float>(wanted / now), parameters);
  }
}

void double_steepness(const Network& net, std::vector<float>& parameters) {
  for (size_t g = 0; g < net.gates(); ++g) scale_gate(net, g, 2.0F, parameters);
}

double loss_of_steps(const Network& net, std::vector<float> parameters, const Rows<float>& rows) {
  for (size_t g = 0; g < net.gates(); ++g) scale_gate(net, g, as_steep_as_a_step, parameters);
  return measure(net, parameters.data(), rows).loss;
}

}  // namespace

Sharpened sharpen(const Network& net, const Rows<float>& rows, const Rows<float>* held_out,
                  const Start& start, const Sharpening& plan, uint64_t seed,
                  const Control& control) {
  Start leaves_only = start;
  set_freedom(net, {.gates = false, .cuts = false, .widths = false}, leaves_only);
  Sharpened best;
  best.parameters = start.parameters;
  const Rows<float>& judges = held_out != nullptr ? *held_out : rows;
  best.before = best.after = measure(net, start.parameters.data(), judges).loss;
  const double most = best.before * (1 + plan.most_loss);
  for (size_t round = 0; round < plan.most_rounds && !best.stopped; ++round) {
    Start from = start;
    from.parameters = best.parameters;
    double_steepness(net, from.parameters);
    const std::vector<float> steep = from.parameters;
    const Outcome moved = train(net, rows, held_out, from, plan.schedule, seed, control);
    leaves_only.parameters = moved.parameters;
    restore_steepness(net, steep, leaves_only.parameters);
    Outcome settled = train(net, rows, held_out, leaves_only, plan.schedule, seed, control);
    best.stopped = moved.stopped || settled.stopped;
    if (best.stopped) break;
    const double loss = measure(net, settled.parameters.data(), judges).loss;
    if (held_out != nullptr && !(loss <= most)) break;
    best.parameters = std::move(settled.parameters);
    best.after = loss;
    best.rounds = round + 1;
  }
  best.hard = loss_of_steps(net, best.parameters, judges);
  return best;
}

}  // namespace softwood::gradient
