#include "gradient/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

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
