// The gradient kernel: against finite differences, against a plain loop, and the tree that comes of
// it.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "data/typical.h"
#include "fit/softmax.h"
#include "gradient/emit.h"
#include "gradient/start.h"
#include "support/plain_network.h"
#include "support/tables.h"
#include "tree/model.h"
#include "use/predict.h"

namespace softwood::gradient {
namespace {

struct Case {
  Loss loss;
  size_t outputs;
  bool linear_leaves;
};

const Case cases[] = {
    {Loss::squared, 1, false},           {Loss::squared, 1, true},
    {Loss::logistic, 1, false},          {Loss::logistic, 1, true},
    {Loss::softmax, 3, false},           {Loss::softmax, 3, true},
    {Loss::mixed_log, 3, false},         {Loss::mixed_log, 2, false},
    {Loss::mixed_exponential, 2, false}, {Loss::mixed_squared, 3, false},
};

// A full tree of depth 3 with ramps among its gates, and one node with given weights.
Network some_network(const Case& chosen) {
  Network net = full_network(3, 5, chosen.outputs, chosen.linear_leaves, chosen.loss);
  net.links[1] = SoftLink::ramp;
  net.links[4] = SoftLink::ramp;
  net.nodes[2].gate = -1;
  net.nodes[2].fixed = 0;
  for (size_t i = 3; i < net.gates(); ++i) --net.nodes[i].gate;
  net.links.pop_back();
  net.fixed_columns = 2;
  return net;
}

template <class Real>
std::vector<Real> some_parameters(const Network& net) {
  std::vector<Real> parameters(net.parameters(), Real(0));
  Random random(7, "parameters");
  for (size_t g = 0; g < net.gates(); ++g) {
    for (size_t t = 0; t < net.terms; ++t) {
      parameters[net.weight_at(g, t)] = static_cast<Real>(random.normal());
    }
    parameters[net.constant_at(g)] = static_cast<Real>(0.3 * random.normal());
    parameters[net.widths_at() + 2 * g] = static_cast<Real>(1 + 0.3 * random.normal());
    parameters[net.widths_at() + 2 * g + 1] = static_cast<Real>(1 + 0.3 * random.normal());
  }
  for (size_t u = net.unit_of_leaf(0, 0); u < net.unit_of_leaf(net.leaves, 0); ++u) {
    parameters[net.constant_at(u)] = static_cast<Real>(random.normal());
    if (!net.linear_leaves) continue;
    for (size_t t = 0; t < net.terms; ++t) {
      parameters[net.weight_at(u, t)] = static_cast<Real>(random.normal());
    }
  }
  return parameters;
}

template <class Real>
Rows<Real> some_rows(const Network& net, size_t count, uint64_t seed = 3) {
  Rows<Real> rows;
  rows.count = count;
  rows.stride = net.padded_terms();
  rows.cells.assign(count * rows.stride, Real(0));
  Random random(seed, "rows");
  for (size_t i = 0; i < count; ++i) {
    for (size_t t = 0; t < net.terms; ++t) {
      rows.cells[i * rows.stride + t] = static_cast<Real>(random.normal());
    }
    rows.target.push_back(net.loss == Loss::squared
                              ? static_cast<Real>(random.normal())
                              : static_cast<Real>(random.below(std::max<size_t>(2, net.outputs))));
    rows.weight.push_back(static_cast<Real>(0.5 + random.uniform()));
    for (size_t c = 0; c < net.fixed_columns; c += 2) {
      const double share = random.uniform();
      rows.fixed.push_back(static_cast<Real>(share));
      rows.fixed.push_back(static_cast<Real>(1 - share));
    }
    // Rows without a value at a ramp and at a logistic gate.
    if (i % 3 == 0) rows.given.push_back({static_cast<uint32_t>(i), 1, i % 2 == 0 ? 0.25F : 1.0F});
    if (i % 4 == 0) rows.given.push_back({static_cast<uint32_t>(i), 2, 0.75F});
  }
  return rows;
}

std::vector<uint32_t> first_rows(size_t count) {
  std::vector<uint32_t> list(count);
  std::iota(list.begin(), list.end(), 0U);
  return list;
}

double loss_sum(const Network& net, const std::vector<double>& parameters,
                const Rows<double>& rows) {
  const double weight = std::accumulate(rows.weight.begin(), rows.weight.end(), 0.0);
  return measure(net, parameters.data(), rows).loss * weight;
}

TEST(GradientKernel, AgreesWithFiniteDifferences) {
  for (const Case& chosen : cases) {
    SCOPED_TRACE(static_cast<int>(chosen.loss));
    const Network net = some_network(chosen);
    std::vector<double> parameters = some_parameters<double>(net);
    const Rows<double> rows = some_rows<double>(net, 77);
    std::vector<double> gradient(net.parameters(), 0.0);
    Kernel<double>(net).backward(parameters.data(), rows, first_rows(77), gradient.data());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const double kept = parameters[i], step = 1e-5;
      const auto at = [&](double value) {
        parameters[i] = value;
        const double loss = loss_sum(net, parameters, rows);
        parameters[i] = kept;
        return loss;
      };
      const double numeric = (at(kept + step) - at(kept - step)) / (2 * step);
      // Some rows lie within a step of a corner of a ramp.
      const bool padding = gradient[i] == 0 && numeric == 0;
      if (!padding) {
        EXPECT_NEAR(gradient[i], numeric, 1e-6 * std::max(1.0, std::fabs(numeric))) << i;
      }
    }
  }
}

TEST(GradientKernel, EqualsAPlainLoopOverRowsAndNodes) {
  for (const Case& chosen : cases) {
    SCOPED_TRACE(static_cast<int>(chosen.loss));
    const Network net = some_network(chosen);
    const std::vector<double> parameters = some_parameters<double>(net);
    const Rows<double> rows = some_rows<double>(net, 128);
    std::vector<double> gradient(net.parameters(), 0.0), plain(net.parameters(), 0.0);
    Kernel<double>(net).backward(parameters.data(), rows, first_rows(128), gradient.data());
    test::PlainNetwork(net).backward(parameters, rows, first_rows(128), plain);
    for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(gradient[i], plain[i], 1e-10) << i;
    // Floats are as near as they can be.
    std::vector<float> single(parameters.begin(), parameters.end()), slopes(plain.size(), 0.0F);
    const Rows<float> same = some_rows<float>(net, 128);
    Kernel<float>(net).backward(single.data(), same, first_rows(128), slopes.data());
    for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(slopes[i], plain[i], 2e-3) << i;
  }
}

template <class Real>
void expect_same_bits() {
  for (const Case& chosen : cases) {
    const Network net = some_network(chosen);
    const std::vector<Real> parameters = some_parameters<Real>(net);
    const Rows<Real> rows = some_rows<Real>(net, 100);
    const auto gradient = [&](Instructions most) {
      std::vector<Real> sums(net.parameters(), Real(0));
      Kernel<Real>(net, most).backward(parameters.data(), rows, first_rows(100), sums.data());
      return sums;
    };
    const std::vector<Real> portable = gradient(Instructions::portable);
    EXPECT_EQ(gradient(Instructions::avx2), portable);
    EXPECT_EQ(gradient(Instructions::avx512), portable);
  }
}

TEST(GradientKernel, GivesTheSameBitsWithAndWithoutVectorInstructions) {
  expect_same_bits<float>();
  expect_same_bits<double>();
}

TEST(GradientKernel, LeavesOutRowsOfNoWeightAndCountsWeightsAsRows) {
  const Network net = some_network(cases[2]);
  const std::vector<double> parameters = some_parameters<double>(net);
  Rows<double> rows = some_rows<double>(net, 3);
  rows.weight = {2, 0, 1};
  std::vector<double> weighted(net.parameters(), 0.0), repeated(weighted);
  Kernel<double>(net).backward(parameters.data(), rows, first_rows(3), weighted.data());
  rows.weight = {1, 1, 1};
  const std::vector<uint32_t> twice = {0, 0, 2};
  Kernel<double>(net).backward(parameters.data(), rows, twice, repeated.data());
  for (size_t i = 0; i < weighted.size(); ++i) EXPECT_NEAR(weighted[i], repeated[i], 1e-13);
}

// A tree of 64 leaves with steep gates, and rows that lie near each other.
struct SteepCase {
  SteepCase(SoftLink link, bool linear_leaves)
      : net(full_network(6, 5, 1, linear_leaves, Loss::logistic)) {
    net.links.assign(net.gates(), link);
    parameters = some_parameters<float>(net);
    for (size_t g = 0; g < net.gates(); ++g) {
      for (size_t t = 0; t < net.terms; ++t) parameters[net.weight_at(g, t)] *= 40;
    }
    rows = some_rows<float>(net, 128);
    rows.given.clear();
    for (size_t i = 0; i < rows.cells.size(); ++i) {
      rows.cells[i] = rows.cells[i % rows.stride] + 0.05F * rows.cells[i];
    }
  }
  // With nothing left out: the pass back needs all.
  std::vector<float> all_outputs() const {
    Kernel<float> kernel(net);
    std::vector<float> gradient(net.parameters(), 0.0F), outputs;
    kernel.backward(parameters.data(), rows, first_rows(128), gradient.data());
    for (size_t i = 0; i < 128; ++i) outputs.push_back(kernel.output(0, i));
    return outputs;
  }
  std::vector<float> outputs(Instructions most = Instructions::avx512) const {
    Kernel<float> kernel(net, most);
    std::vector<float> outputs;
    kernel.forward(parameters.data(), rows, first_rows(128));
    for (size_t i = 0; i < 128; ++i) outputs.push_back(kernel.output(0, i));
    return outputs;
  }
  // They spoil no output, whatever they answer.
  std::vector<size_t> leaves_left_out() const {
    SteepCase spoilt = *this;
    std::vector<size_t> list;
    for (size_t leaf = 0; leaf < net.leaves; ++leaf) {
      spoilt.parameters = parameters;
      spoilt.parameters[net.constant_at(net.unit_of_leaf(leaf, 0))] = std::nanf("");
      const std::vector<float> out = spoilt.outputs();
      if (std::none_of(out.begin(), out.end(), [](float o) { return std::isnan(o); })) {
        list.push_back(leaf);
      }
    }
    return list;
  }

  Network net;
  std::vector<float> parameters;
  Rows<float> rows;
};

TEST(GradientKernel, LeavesOutSubtreesThatNothingReaches) {
  for (const bool linear : {false, true}) {
    const SteepCase ramps(SoftLink::ramp, linear);
    EXPECT_GT(ramps.leaves_left_out().size(), 32U);
    EXPECT_EQ(ramps.outputs(), ramps.all_outputs());
    EXPECT_EQ(ramps.outputs(), ramps.outputs(Instructions::portable));
  }
}

TEST(GradientKernel, LeavesOutNoMoreThanIsNegligible) {
  for (const bool linear : {false, true}) {
    SteepCase logistic(SoftLink::logistic, linear);
    EXPECT_EQ(logistic.outputs(), logistic.outputs(Instructions::portable));
    const std::vector<size_t> left_out = logistic.leaves_left_out();
    EXPECT_GT(left_out.size(), 8U);
    // When these alone answer anything, all that a whole pass answers was left out.
    const Network& net = logistic.net;
    constexpr float large = 1e6F;
    for (size_t leaf = 0; leaf < net.leaves; ++leaf) {
      const size_t unit = net.unit_of_leaf(leaf, 0);
      for (size_t t = 0; linear && t < net.terms; ++t) {
        logistic.parameters[net.weight_at(unit, t)] = 0;
      }
      const bool out = std::find(left_out.begin(), left_out.end(), leaf) != left_out.end();
      logistic.parameters[net.constant_at(unit)] = out ? large : 0;
    }
    float most = 0;
    for (const float output : logistic.all_outputs()) most = std::max(most, output);
    EXPECT_GT(most, 0);
    EXPECT_LE(most, negligible_path * large * static_cast<float>(left_out.size()));
    for (const float output : logistic.outputs()) EXPECT_EQ(output, 0);
  }
}

TEST(GradientKernel, MeasuresRowsInAnyOrder) {
  const SteepCase ramps(SoftLink::ramp, false);
  const Rows<float> rows = some_rows<float>(ramps.net, 1000);
  const std::vector<uint32_t> order = by_leaf(ramps.net, ramps.parameters.data(), rows);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::vector<float> losses, ordered;
  const Fit fit = measure(ramps.net, ramps.parameters.data(), rows, &losses);
  const Fit same = measure(ramps.net, ramps.parameters.data(), rows, &ordered, order);
  EXPECT_EQ(fit.loss, same.loss);
  EXPECT_EQ(fit.wrong, same.wrong);
  EXPECT_EQ(losses, ordered);
}

// One gate whose leaves answer the two classes: the probability is the gate's.
TEST(SoftTree, OfOneNodeIsALogisticRegression) {
  const Table table = test::random_table({.rows = 300, .classes = 2, .numeric = 3}, 11);
  const std::vector<RowIndex> list = all_rows(table);
  const Sample sample{&table, list};
  const std::vector<double> typical = typical_values(table, list);
  const Inputs inputs(sample, typical, Map::none, Products::none);
  const Rows<float> rows = inputs.rows<float>({&sample, 1}, {});
  const Network net = full_network(1, inputs.terms(), 2, false, Loss::mixed_log);
  Start start(net);
  set_freedom(net, {.leaves = false}, start);
  start.parameters[net.constant_at(net.unit_of_leaf(0, 1))] = 30;
  start.parameters[net.constant_at(net.unit_of_leaf(1, 0))] = 30;
  Schedule schedule;
  schedule.set_steps(3000);
  schedule.batch = 300;
  schedule.rate = 0.05;
  schedule.average = 0;
  const Outcome outcome = train(net, rows, nullptr, start, schedule, 1, {});
  const std::vector<double> weights(table.rows(), 1.0);
  const fit::Design design = fit::make_design(table, list, weights, typical);
  std::vector<uint32_t> classes(table.target().codes.begin(), table.target().codes.end());
  const fit::Softmax logistic = fit::softmax_regression(design, classes, 2, 1e-9);
  EXPECT_NEAR(outcome.held_out.loss, logistic.loss / 300, 1e-6);
  for (size_t t = 0; t < inputs.terms(); ++t) {
    const auto at = static_cast<Eigen::Index>(t);
    EXPECT_NEAR(outcome.parameters[net.weight_at(0, t)],
                logistic.coefficients(at, 1) - logistic.coefficients(at, 0), 2e-3);
  }
}

struct TrainedNet {
  Network net;
  Inputs inputs;
  TargetScale scale;
  Rows<float> rows;
  std::vector<float> parameters;
};

TrainedNet train_some(const Sample& sample, Map map, Products products, bool linear_leaves) {
  const Table& table = *sample.table;
  Inputs inputs(sample, typical_values(table, sample.rows), map, products);
  const TargetScale scale = target_scale(sample);
  Rows<float> rows = inputs.rows<float>({&sample, 1}, scale);
  const Loss loss = usual_loss(table);
  const Network net =
      full_network(2, inputs.terms(), outputs_for(loss, table), linear_leaves, loss);
  Schedule schedule;
  schedule.set_steps(200);
  Outcome outcome = train(net, rows, nullptr, random_start(net, 5), schedule, 5, {});
  return {net, std::move(inputs), scale, std::move(rows), std::move(outcome.parameters)};
}

TEST(SoftTree, AnswersAsItsNetworkDoes) {
  for (const size_t classes : {0, 2, 3}) {
    for (const Map map : {Map::none, Map::asinh}) {
      for (const Products products : {Products::none, Products::all}) {
        for (const bool linear : {false, true}) {
          const Table table = test::random_table(
              {.rows = 120, .classes = classes, .nominal = 1, .ordinal = 1, .missing = 0.1}, 9);
          const std::vector<RowIndex> list = all_rows(table);
          const Sample sample{&table, list};
          const TrainedNet made = train_some(sample, map, products, linear);
          const Tree tree =
              emit_tree(made.net, made.parameters, made.inputs, made.scale, {&sample, 1});
          const Predictions answers = predict(tree, table, list, Parallel(1));
          Kernel<float> kernel(made.net);
          kernel.forward(made.parameters.data(), made.rows, first_rows(list.size()));
          for (size_t i = 0; i < list.size(); ++i) {
            const double output = kernel.output(0, i);
            if (classes == 0) {
              ASSERT_NEAR(answers.answers[i], made.scale.centre + made.scale.scale * output, 1e-3);
            } else if (classes == 2) {
              ASSERT_NEAR(answers.answers[2 * i + 1], 1 / (1 + std::exp(-output)), 1e-4);
            } else {
              double sum = 0;
              for (size_t k = 0; k < 3; ++k) sum += std::exp(double{kernel.output(k, i)} - output);
              ASSERT_NEAR(answers.answers[3 * i], 1 / sum, 1e-4);
            }
          }
        }
      }
    }
  }
}

TEST(SoftTree, DoesNotDependOnWhereTheDataLie) {
  // The same numbers in other units.
  const Table table = test::random_table({.rows = 150, .classes = 2, .numeric = 3}, 21);
  std::vector<Column> moved;
  for (size_t f = 0; f < table.features(); ++f) {
    ColumnDraft column(table.input(f));
    for (double& cell : column.numbers) cell = 1000 + 16 * cell;
    moved.push_back(std::move(column));
  }
  const Table other(table.schema(), table.rows(), moved, table.target(), {});
  const std::vector<RowIndex> list = all_rows(table);
  const auto answers = [&](const Table& data) {
    const Sample sample{&data, list};
    const TrainedNet made = train_some(sample, Map::none, Products::none, false);
    const Tree tree = emit_tree(made.net, made.parameters, made.inputs, made.scale, {&sample, 1});
    return predict(tree, data, list, Parallel(1)).answers;
  };
  const std::vector<double> here = answers(table), there = answers(other);
  for (size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1e-3);
}

TEST(Training, EndsWithTheBestOfTheHeldOutRowsAndDependsOnTheSeedAlone) {
  const Table table =
      test::random_table({.rows = 200, .classes = 2, .numeric = 4, .noise = 0.4}, 2);
  std::vector<RowIndex> first, second;
  for (const RowIndex row : all_rows(table)) (row % 2 == 0 ? first : second).push_back(row);
  const Sample train_rows{&table, first}, others{&table, second};
  const Inputs inputs(train_rows, typical_values(table, first), Map::none, Products::none);
  const Rows<float> rows = inputs.rows<float>({&train_rows, 1}, {});
  const Rows<float> held_out = inputs.rows<float>({&others, 1}, {});
  const Network net = full_network(3, inputs.terms(), 1, false, Loss::logistic);
  Schedule schedule;
  schedule.set_steps(2000);
  const Start start = random_start(net, 1);
  const Outcome best = train(net, rows, &held_out, start, schedule, 1, {});
  const Outcome last = train(net, rows, nullptr, start, schedule, 1, {});
  EXPECT_LT(best.held_out.loss, measure(net, start.parameters.data(), held_out).loss);
  EXPECT_LT(best.held_out.loss, measure(net, last.parameters.data(), held_out).loss);
  EXPECT_EQ(best.held_out.loss, measure(net, best.parameters.data(), held_out).loss);
  EXPECT_EQ(train(net, rows, &held_out, start, schedule, 1, {}).parameters, best.parameters);
  EXPECT_NE(train(net, rows, &held_out, start, schedule, 2, {}).parameters, best.parameters);
}

TEST(Start, KeepsTheLargestFeaturesOfEachGate) {
  const Network net = full_network(1, 4, 1, false, Loss::squared);
  Start start = random_start(net, 1);
  for (size_t t = 0; t < 4; ++t) {
    start.parameters[net.weight_at(0, t)] = std::vector<float>{0.5F, -2, 1, -0.1F}[t];
  }
  Start pairs = start;
  keep_features(net, std::vector<std::vector<uint32_t>>{{0}, {1}, {2}, {3}}, 2, start);
  EXPECT_EQ(start.parameters[net.weight_at(0, 0)], 0);
  EXPECT_EQ(start.parameters[net.weight_at(0, 1)], -2);
  EXPECT_EQ(start.parameters[net.weight_at(0, 2)], 1);
  EXPECT_EQ(start.pace[net.weight_at(0, 3)], 0);
  EXPECT_EQ(start.pace[net.weight_at(0, 1)], 1);
  // Terms 0 and 2 are of feature 7, the last is the product of 7 and 5, which is in term 1.
  keep_features(net, std::vector<std::vector<uint32_t>>{{7}, {5}, {7}, {7, 5}}, 1, pairs);
  EXPECT_EQ(pairs.parameters[net.weight_at(0, 0)], 0);
  EXPECT_EQ(pairs.parameters[net.weight_at(0, 1)], -2);
  EXPECT_EQ(pairs.parameters[net.weight_at(0, 2)], 0);
  EXPECT_EQ(pairs.parameters[net.weight_at(0, 3)], 0);
}

}  // namespace
}  // namespace softwood::gradient
