// Frontier, preferences and the estimate, from losses that are given.
#include "stages/auto/pick.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace softwood::choice {
namespace {

constexpr size_t rows = 400;

Entrant entrant(size_t parameters, double loss, double noise, uint64_t seed,
                TreeFigures figures = {}) {
  Entrant one;
  one.figures = figures;
  one.figures.parameters = parameters;
  Random random(seed, "losses");
  for (size_t i = 0; i < rows; ++i) one.losses.push_back(loss + noise * (random.uniform() - 0.5));
  one.plain = one.losses;
  one.judged = 1;
  return one;
}

struct Field400 {
  std::vector<Entrant> entrants;
  std::vector<double> weights = std::vector<double>(rows, 1.0);
  Judged judged() const {
    Judged found;
    for (const Entrant& one : entrants) found.entrants.push_back(&one);
    found.rows = rows;
    found.weights = weights;
    return found;
  }
  Picks picks(std::vector<char> allowed = {}) const {
    if (allowed.empty()) allowed.assign(entrants.size(), 1);
    const Judged found = judged();
    return Picking(found, allowed, 2).picks();
  }
};

TEST(Picks, AccuracyIsTheLeastLoss) {
  const Field400 field{{entrant(1, 1, 0, 1), entrant(9, 0.4, 0, 2), entrant(99, 0.3, 0, 3)}};
  EXPECT_EQ(field.picks().accuracy, 2U);
  EXPECT_EQ(field.picks().balanced, 2U);
}

TEST(Picks, BalancedIsTheSmallestWithinAStandardError) {
  const Field400 field{{entrant(1, 1, 0, 1), entrant(9, 0.302, 0.2, 2), entrant(99, 0.3, 0.2, 3)}};
  EXPECT_EQ(field.picks().balanced, 1U);
}

TEST(Picks, ReadableIsTheBestThatIs) {
  TreeFigures dense;
  dense.inputs_per_split = 12;
  TreeFigures models;
  models.constant_leaves = false;
  TreeFigures large;
  large.leaves = 17;
  const Field400 field{{entrant(1, 1, 0, 1), entrant(9, 0.5, 0, 2), entrant(99, 0.3, 0, 3, dense),
                        entrant(20, 0.4, 0, 4, models), entrant(20, 0.35, 0, 5, large)}};
  EXPECT_EQ(field.picks().readable, 1U);
  EXPECT_EQ(field.picks().accuracy, 2U);
}

TEST(Picks, WhatIsNotAllowedIsNotTaken) {
  const Field400 field{{entrant(1, 1, 0, 1), entrant(9, 0.4, 0, 2), entrant(99, 0.3, 0, 3)}};
  EXPECT_EQ(field.picks({1, 1, 0}).accuracy, 1U);
}

// After a stop the single leaf may not be taken; what trees gain is measured from it all the same.
TEST(Picks, TheBaselineIsTheFirstAlsoWhereItMayNotBeTaken) {
  Field400 field{{entrant(1, 1, 0, 1), entrant(9, 0.5, 0.2, 2), entrant(99, 0.52, 2, 3)}};
  field.entrants[2].candidate.effort = Effort::costliest;
  ASSERT_GT(field.entrants[2].loss(field.weights).value,
            field.entrants[1].loss(field.weights).value);
  EXPECT_EQ(field.picks({0, 1, 1}).accuracy, 2U);
}

TEST(FrontierOfPicks, HasWhatLosesLessThanAllThatAreNoLarger) {
  const Field400 field{{entrant(1, 1, 0, 1), entrant(99, 0.3, 0, 3), entrant(9, 0.4, 0, 2),
                        entrant(20, 0.5, 0, 4), entrant(9, 0.45, 0, 5)}};
  const Judged judged = field.judged();
  const Picking picking(judged, {1, 1, 1, 1, 1}, 2);
  EXPECT_EQ(picking.frontier(), (std::vector<size_t>{0, 2, 1}));
}

// Of many that differ by chance alone, the best figures better than it is.
TEST(Estimate, AllowsForTheChoice) {
  Field400 field;
  for (uint64_t seed = 1; seed <= 40; ++seed) field.entrants.push_back(entrant(1, 0.5, 4, seed));
  const Judged judged = field.judged();
  const Picking picking(judged, std::vector<char>(40, 1), 2);
  const double chosen = field.entrants[picking.picks().accuracy].loss(field.weights).value;
  const Mean expected = picking.estimate(Prefer::accuracy, 1, false).plain;
  EXPECT_LT(chosen, 0.5 - 1.3 * expected.standard_error);
  EXPECT_NEAR(expected.value, 0.5, 1.2 * expected.standard_error);
}

TEST(Estimate, EndsSoonAfterAnInterrupt) {
  const Field400 field{{entrant(1, 0.5, 1, 1), entrant(9, 0.5, 1, 2)}};
  const Judged judged = field.judged();
  size_t asked = 0;
  Control control;
  control.interrupt = [&] { return ++asked > 0; };
  const Mean expected =
      Picking(judged, {1, 1}, 2).estimate(Prefer::accuracy, 1, false, control).plain;
  EXPECT_EQ(asked, 1U);
  EXPECT_NEAR(expected.value, 0.5, 0.2);
}

TEST(Estimate, IsTheLossItselfWhereThereIsNoChoice) {
  const Field400 field{{entrant(1, 0.5, 1, 1)}};
  const Judged judged = field.judged();
  const Expected expected = Picking(judged, {1}, 2).estimate(Prefer::balanced, 1, false);
  EXPECT_DOUBLE_EQ(expected.plain.value, field.entrants[0].loss(field.weights).value);
  EXPECT_DOUBLE_EQ(expected.loss.value, field.entrants[0].loss(field.weights).value);
}

// A stop may have taken another one, by fewer rows than judge now: the figure is of that one.
TEST(Estimate, IsOfTheOneThatWasTaken) {
  const Field400 field{{entrant(1, 1, 0, 1), entrant(9, 0.4, 0.1, 2), entrant(9, 0.5, 0.1, 3)}};
  const Judged judged = field.judged();
  const Picking picking(judged, {1, 1, 1}, 2);
  ASSERT_EQ(picking.pick(Prefer::accuracy), 1U);
  EXPECT_DOUBLE_EQ(picking.estimate(Prefer::accuracy, 1, false, {}, 2).loss.value,
                   field.entrants[2].loss(field.weights).value);
}

// By the metric and in plain losses, each in its own units; never better than what was chosen.
TEST(Estimate, IsInTheUnitsOfTheMetricAndNoBetterThanWhatWasChosen) {
  for (uint64_t draw = 0; draw < 30; ++draw) {
    SCOPED_TRACE(draw);
    Field400 field;
    for (uint64_t i = 1; i <= 4; ++i) {
      field.entrants.push_back(entrant(1, 0.5 + 0.02 * static_cast<double>(i), 1, 10 * draw + i));
      for (double& plain : field.entrants.back().plain) plain *= 100;
    }
    const Judged judged = field.judged();
    const Picking picking(judged, std::vector<char>(4, 1), 2);
    const Entrant& chosen = field.entrants[picking.picks().accuracy];
    const Expected expected = picking.estimate(Prefer::accuracy, draw, false);
    EXPECT_GE(expected.loss.value, chosen.loss(field.weights).value);
    EXPECT_NEAR(expected.plain.value, 100 * expected.loss.value, 1e-9);
    EXPECT_NEAR(expected.plain.standard_error, 100 * expected.loss.standard_error, 1e-9);
  }
}

// Merged rows count as often as they weigh, few copies and many.
TEST(Estimate, OfMergedRowsIsThatOfTheirCopies) {
  for (const size_t times : {4, 40}) {
    SCOPED_TRACE(times);
    Field400 merged;
    for (uint64_t seed = 1; seed <= 5; ++seed) merged.entrants.push_back(entrant(1, 0.5, 4, seed));
    Field400 copied = merged;
    copied.weights.assign(rows * times, 1);
    for (Entrant& one : copied.entrants) {
      for (size_t copy = 1; copy < times; ++copy) {
        for (size_t i = 0; i < rows; ++i) one.losses.push_back(one.losses[i]);
      }
      one.plain = one.losses;
    }
    merged.weights.assign(rows, static_cast<double>(times));
    Judged all = copied.judged();
    all.rows = rows * times;
    const Judged few = merged.judged();
    const auto estimate = [](const Judged& judged) {
      return Picking(judged, std::vector<char>(5, 1), 2).estimate(Prefer::accuracy, 1, false).plain;
    };
    const Mean one = estimate(few), other = estimate(all);
    EXPECT_NEAR(one.value, other.value, 0.3 * other.standard_error);
    EXPECT_NEAR(one.standard_error, other.standard_error, 0.2 * other.standard_error);
  }
}

// Right and wrong answers of one candidate with this share of errors.
Entrant counted(double share, uint64_t seed, size_t count) {
  Entrant one;
  Random random(seed, "answers");
  for (size_t i = 0; i < count; ++i) one.losses.push_back(random.uniform() < share ? 1 : 0);
  one.plain = one.losses;
  one.judged = 1;
  return one;
}

// How often the true share of errors is within two standard errors, over many draws of candidates
// that are all alike.
double coverage(double share, size_t count, size_t candidates) {
  constexpr uint64_t draws = 200;
  size_t within = 0;
  for (uint64_t draw = 0; draw < draws; ++draw) {
    std::vector<Entrant> entrants;
    for (uint64_t i = 0; i < candidates; ++i) {
      entrants.push_back(counted(share, draw * candidates + i, count));
    }
    const std::vector<double> weights(count, 1.0);
    Judged judged;
    for (const Entrant& one : entrants) judged.entrants.push_back(&one);
    judged.rows = count;
    judged.weights = weights;
    judged.learning = 2 * count;
    const Mean expected = Picking(judged, std::vector<char>(candidates, 1), 2)
                              .estimate(Prefer::accuracy, draw, true)
                              .plain;
    within += std::abs(expected.value - share) <= 2 * expected.standard_error ? 1 : 0;
  }
  return static_cast<double>(within) / draws;
}

TEST(Estimate, IsWithinTwoStandardErrorsNearlyAlways) {
  EXPECT_GE(coverage(0.3, 100, 1), 0.95);
  EXPECT_GE(coverage(0.3, 100, 10), 0.95);  // after a choice
  EXPECT_GE(coverage(0.02, 40, 10), 0.95);  // few rows may show no error
}

TEST(Estimate, IsLessCertainTheFewerRowsTreesLearnedFrom) {
  const Field400 field{{entrant(1, 0.5, 1, 1)}};
  Judged judged = field.judged();
  const auto error = [&](size_t learning) {
    judged.learning = learning;
    return Picking(judged, {1}, 2).estimate(Prefer::accuracy, 1, false).plain.standard_error;
  };
  EXPECT_NEAR(error(rows) / error(0), std::sqrt(2.0), 1e-9);  // 0: the trees that are returned
  EXPECT_LT(error(2 * rows), error(rows));
}

// Of fifty the best leads by one standard error by chance.
TEST(Picks, TheCostliestIsTakenWhereNothingLeadsByTwoStandardErrors) {
  for (const auto& [lead, taken] : {std::pair{1.5, 2U}, std::pair{2.5, 1U}}) {
    SCOPED_TRACE(lead);
    Field400 field{{entrant(1, 1, 0.2, 1), entrant(9, 0.5, 0.2, 2), entrant(99, 0.5, 0.2, 3)}};
    field.entrants[2].candidate.effort = Effort::costliest;
    const double error = 0.1 / std::sqrt(rows - 1.0);  // of the difference
    for (size_t i = 0; i < rows; ++i) {
      field.entrants[1].losses[i] =
          field.entrants[2].losses[i] - lead * error + (i % 2 == 0 ? 0.1 : -0.1);
    }
    EXPECT_EQ(field.picks().accuracy, taken);
  }
}

// A soft tree is preferred where nothing is better by a standard error, unless it knows nothing.
TEST(Picks, TheCostliestIsNotPreferredWhereItKnowsNoMoreThanALeaf) {
  Field400 field{{entrant(1, 0.5, 0.2, 1), entrant(9, 0.499, 0.2, 2), entrant(99, 0.52, 2, 3)}};
  field.entrants[2].candidate.effort = Effort::costliest;
  EXPECT_NE(field.picks().accuracy, 2U);
}

}  // namespace
}  // namespace softwood::choice
