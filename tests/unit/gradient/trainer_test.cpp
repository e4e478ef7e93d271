#include "gradient/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "gradient/start.h"
#include "support/interruption.h"

namespace softwood::gradient {
namespace {

// One input that is the target.
Rows<float> line(size_t count) {
  Rows<float> rows;
  rows.count = count;
  rows.stride = 4;
  for (size_t i = 0; i < count; ++i) {
    const float x = static_cast<float>(i) / static_cast<float>(count) - 0.5F;
    rows.cells.insert(rows.cells.end(), {x, 0, 0, 0});
    rows.target.push_back(x);
    rows.weight.push_back(1);
  }
  return rows;
}

class ShortTraining : public testing::Test {
 protected:
  ShortTraining() { schedule.set_steps(50); }
  Outcome run(const Rows<float>* held_out, const Control& control) const {
    return train(net, rows, held_out, start, schedule, 1, control);
  }

  Network net = full_network(1, 1, 1, false, Loss::squared);
  Rows<float> rows = line(200);
  Start start = random_start(net, 1);
  Schedule schedule;
};

// The target is the first of three inputs; the others are noise.
TEST(Training, HoldsWeightsWithoutAnEffectAtZero) {
  Rows<float> rows;
  rows.count = 400;
  rows.stride = 4;
  Random random(3, "noise");
  for (size_t i = 0; i < rows.count; ++i) {
    const auto x = static_cast<float>(random.normal());
    rows.cells.insert(rows.cells.end(), {x, static_cast<float>(random.normal()),
                                         static_cast<float>(random.normal()), 0});
    rows.target.push_back(x);
    rows.weight.push_back(1);
  }
  const Network leaf = full_network(0, 3, 1, true, Loss::squared);
  Schedule schedule;
  schedule.set_steps(1000);
  const auto weights = [&](double l1) {
    schedule.l1 = l1;
    const Outcome outcome = train(leaf, rows, nullptr, random_start(leaf, 1), schedule, 1, {});
    const float* const w = &outcome.parameters[leaf.weight_at(leaf.unit_of_leaf(0, 0), 0)];
    return std::vector<float>(w, w + 3);
  };
  EXPECT_NE(weights(0)[1], 0);
  const std::vector<float> sparse = weights(0.2);
  EXPECT_NEAR(sparse[0], 1, 0.05);
  EXPECT_EQ(sparse[1], 0);
  EXPECT_EQ(sparse[2], 0);
  EXPECT_EQ(weights(2)[0], 0);  // stronger than any gradient
}

// As many numbers as fill no whole number of registers, with decay and penalty.
TEST(Training, GivesTheSameBitsWithAndWithoutVectorInstructions) {
  Rows<float> rows = line(300);
  for (size_t i = 0; i < rows.count; ++i) rows.target[i] = static_cast<float>(i / 100);
  const Network net = full_network(2, 1, 3, false, Loss::softmax);
  Schedule schedule;
  schedule.set_steps(60);
  schedule.decay = 2;
  schedule.l1 = 0.1;
  const auto trained = [&](Instructions most) {
    schedule.most = most;
    return train(net, rows, nullptr, random_start(net, 1), schedule, 1, {}).parameters;
  };
  EXPECT_NE(net.parameters() % 16, 0U);
  const std::vector<float> portable = trained(Instructions::portable);
  EXPECT_EQ(trained(Instructions::avx2), portable);
  EXPECT_EQ(trained(Instructions::avx512), portable);
}

TEST(RandomStart, HasLeavesNearTheAnswer) {
  const Network net = full_network(2, 3, 2, false, Loss::softmax);
  const Start start = random_start(net, 1, std::vector<double>{-5, 7});
  for (size_t leaf = 0; leaf < net.leaves; ++leaf) {
    EXPECT_NEAR(start.parameters[net.constant_at(net.unit_of_leaf(leaf, 0))], -5, 0.5);
    EXPECT_NEAR(start.parameters[net.constant_at(net.unit_of_leaf(leaf, 1))], 7, 0.5);
  }
}

// A fit that waited for its turn must not begin by measuring all its rows.
TEST_F(ShortTraining, MeasuresNothingWhenItIsInterruptedBeforeIt) {
  schedule.keep_losses = true;
  for (const Rows<float>* held_out : {static_cast<const Rows<float>*>(&rows), {}}) {
    test::Interruption at_once(1);
    const Outcome outcome = run(held_out, at_once.control());
    EXPECT_TRUE(outcome.stopped);
    EXPECT_TRUE(outcome.checks.empty());
    EXPECT_TRUE(std::isinf(outcome.held_out.loss));
    EXPECT_EQ(outcome.parameters, start.parameters);
    EXPECT_EQ(outcome.steps, 0U);
    EXPECT_EQ(at_once.asked(), 1U);
  }
}

// A budget has a result; and so has what must be finished.
TEST_F(ShortTraining, IsMeasuredOtherwise) {
  Control budget, must_finish;
  budget.deadline = Control::Clock::now();
  must_finish.must_finish = true;
  must_finish.interrupt = [] { return true; };
  for (const Control& control : {Control(), budget, must_finish}) {
    for (const Rows<float>* held_out : {static_cast<const Rows<float>*>(&rows), {}}) {
      EXPECT_TRUE(std::isfinite(run(held_out, control).held_out.loss));
    }
  }
}

TEST_F(ShortTraining, WithoutHeldOutRowsIsMeasuredByTheLastStep) {
  const Outcome outcome = run(nullptr, {});
  EXPECT_EQ(outcome.steps, 50U);
  EXPECT_EQ(outcome.held_out.loss, measure(net, outcome.parameters.data(), rows).loss);
  EXPECT_LT(outcome.held_out.loss, measure(net, start.parameters.data(), rows).loss);
}

}  // namespace
}  // namespace softwood::gradient
