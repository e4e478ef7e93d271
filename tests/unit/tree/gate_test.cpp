#include "tree/gate.h"

#include "data/sorted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "softwood/error.h"
#include "support/sample_models.h"

namespace softwood {
namespace {

Table small_table() {
  const Schema schema = testing::mixed_schema(Task::regression);
  Column a{Kind::numeric, {{1, 2, missing_number}}, {}, 1};
  Column b{Kind::numeric, {{3, -1, 5}}, {}, 0};
  Column grade{Kind::ordinal, {}, std::vector<int32_t>{0, 2, 1}, 0};
  Column colour{Kind::nominal, {}, std::vector<int32_t>{0, -1, 2}, 1};
  Column shape{Kind::nominal, {}, std::vector<int32_t>{1, 0, 1}, 0};
  return {schema, 3, {a, b, grade, colour, shape}, Column{}, {}};
}

std::vector<double> weights(const Gate& gate) {
  const Table table = small_table();
  const std::vector<RowIndex> rows{0, 1, 2};
  std::vector<double> result(3 * gate_children(gate));
  gate_weights(gate, table, rows, result);
  return result;
}

TEST(Gate, MiddleIsHalfwayAndNeverTheUpperValue) {
  EXPECT_EQ(middle(1, 2), 1.5);
  EXPECT_EQ(middle(-1e308, 1e308), 0);
  EXPECT_EQ(middle(1e308, 1.5e308), 1.25e308);
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(middle(1.0, next), 1.0);
  const double after = std::nextafter(next, 2.0);
  EXPECT_EQ(middle(next, after), next);  // the exact middle would round to the even `after`
}

TEST(Gate, ThresholdSendsEqualValuesToTheFirstChild) {
  const auto w = weights(threshold_gate(0, 1));
  EXPECT_EQ(w[0], 1);
  EXPECT_EQ(w[1], 0);
  EXPECT_EQ(w[2], 0);
  EXPECT_EQ(w[3], 1);
  EXPECT_TRUE(std::isnan(w[4]));
}

TEST(Gate, OrdinalFeaturesCountTheirLevels) {
  const auto w = weights(threshold_gate(2, 1));
  EXPECT_EQ(w[0], 1);
  EXPECT_EQ(w[2], 0);
  EXPECT_EQ(w[4], 1);
}

TEST(Gate, ScoreSumsItsTerms) {
  ScoreGate gate;
  gate.terms = {{TermForm::value, 0, 0, 0.5},
                {TermForm::square, 1, 0, -2},
                {TermForm::product, 0, 1, 1.5},
                {TermForm::level, 4, 1, 3}};
  // Row 0: 0.5 - 18 + 4.5 + 3 = -10; row 1: 1 - 2 - 3 + 0 = -4.
  gate.link.form = LinkForm::logistic;
  gate.cut = -10;
  const auto w = weights(gate);
  EXPECT_DOUBLE_EQ(w[0], 0.5);
  EXPECT_DOUBLE_EQ(w[2], 1 / (1 + std::exp(6.0)));
  EXPECT_DOUBLE_EQ(w[2] + w[3], 1);
  EXPECT_TRUE(std::isnan(w[4]));
}

TEST(Gate, MapsNumbersByAsinh) {
  ScoreGate gate;
  gate.terms = {{TermForm::asinh, 1, 0, 2, 0, 1, 2}};  // row 0: b = 3, so 2 asinh(1)
  gate.link.form = LinkForm::logistic;
  EXPECT_DOUBLE_EQ(weights(gate)[0], 1 / (1 + std::exp(2 * std::asinh(1.0))));
  gate.terms[0].scale = 0;
  EXPECT_THROW(check_gate(gate, testing::mixed_schema(Task::regression)), Error);
}

TEST(Gate, LevelsGoToTheirChildren) {
  const auto w = weights(LevelsGate{3, 3, {2, 0, -1, 1}});
  EXPECT_EQ(w[0], 0);
  EXPECT_EQ(w[2], 1);
  EXPECT_TRUE(std::isnan(w[3]));  // missing cell
  EXPECT_TRUE(std::isnan(w[6]));  // level that the gate does not know
}

TEST(Gate, RampIsLinearOnBothSides) {
  const Link ramp{LinkForm::ramp, 2, 4};
  EXPECT_EQ(link_weight(ramp, 8, 10), 1);
  EXPECT_EQ(link_weight(ramp, 9, 10), 0.75);
  EXPECT_EQ(link_weight(ramp, 10, 10), 0.5);
  EXPECT_EQ(link_weight(ramp, 12, 10), 0.25);
  EXPECT_EQ(link_weight(ramp, 14, 10), 0);
  EXPECT_EQ(link_weight(ramp, 99, 10), 0);
}

// Dvorak & Savicky, section 2: without width a ramp is the step, but for rows on the threshold.
TEST(Gate, RampWithoutWidthIsAStepThatDividesItsThreshold) {
  const Link ramp{LinkForm::ramp, 0, 0};
  EXPECT_EQ(link_weight(ramp, 9.5, 10), 1);
  EXPECT_EQ(link_weight(ramp, 10, 10), 0.5);
  EXPECT_EQ(link_weight(ramp, 10.5, 10), 0);
  const Link one_sided{LinkForm::ramp, 0, 2};
  EXPECT_EQ(link_weight(one_sided, 9.999, 10), 1);
  EXPECT_EQ(link_weight(one_sided, 10, 10), 0.5);
  EXPECT_EQ(link_weight(one_sided, 11, 10), 0.25);
}

TEST(Gate, LogisticStaysFinite) {
  const Link logistic{LinkForm::logistic, 0, 0};
  EXPECT_EQ(link_weight(logistic, 1e300, 0), 0);
  EXPECT_EQ(link_weight(logistic, -1e300, 0), 1);
}

TEST(Gate, SharesAreThoseOfTheEffects) {
  ScoreGate gate;
  // Effects 0.5 * 1 = 0.5, 2 * 0.1 = 0.2, 0.1 * 13 = 1.3.
  gate.terms = {{TermForm::value, 0, 0, 0.5, 1},
                {TermForm::value, 1, 0, -2, 0.1},
                {TermForm::product, 0, 1, 0.1, 13}};
  // The product counts half for each of its features.
  std::vector<double> shares(2, 0.0);
  for (const FeatureShare& part : gate_shares(gate)) shares[part.feature] += part.share;
  EXPECT_NEAR(shares[0], (0.65 + 0.5) / 2, 1e-12);
  EXPECT_NEAR(shares[1], (0.65 + 0.2) / 2, 1e-12);
  // Without spreads they are even.
  for (Term& term : gate.terms) term.spread = 0;
  EXPECT_NEAR(gate_shares(gate)[1].share, 1.0 / 3, 1e-12);
}

// Levels with an order are named; of those that a soft gate divides the part that goes to the
// child.
// Ranges are left out before names are cut.
TEST(Gate, ParametersAreTheNonZeroNumbers) {
  EXPECT_EQ(gate_parameters(threshold_gate(0, 2)), 1U);
  EXPECT_EQ(gate_parameters(threshold_gate(0, 0)), 0U);
  EXPECT_EQ(gate_parameters(LevelsGate{3, 2, {0, 1, 0, -1}}), 3U);
  ScoreGate gate;
  gate.terms = {
      {TermForm::value, 0, 0, 0.5}, {TermForm::value, 1, 0, 1}, {TermForm::value, 2, 0, 0}};
  gate.cut = 1;
  gate.link = {LinkForm::ramp, 0, 2};
  EXPECT_EQ(gate_parameters(gate), 4U);
  EXPECT_EQ(gate_features(gate), (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Gate, CheckFindsWhatDoesNotFitTheSchema) {
  const Schema schema = testing::mixed_schema(Task::regression);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(check_gate(threshold_gate(2, 1), schema));
  EXPECT_THROW(check_gate(threshold_gate(3, 1), schema), Error);  // nominal
  EXPECT_THROW(check_gate(threshold_gate(9, 1), schema), Error);
  EXPECT_THROW(check_gate(threshold_gate(0, infinity), schema), Error);
  EXPECT_THROW(check_gate(ScoreGate{}, schema), Error);
  EXPECT_THROW(check_gate(LevelsGate{0, 2, {}}, schema), Error);
  EXPECT_THROW(check_gate(LevelsGate{4, 2, {0}}, schema), Error);
  EXPECT_THROW(check_gate(LevelsGate{4, 2, {0, 2}}, schema), Error);
  EXPECT_THROW(check_gate(LevelsGate{4, 1, {0, 0}}, schema), Error);
  ScoreGate ramp = threshold_gate(0, 1);
  ramp.link = {LinkForm::ramp, -1, 0};
  EXPECT_THROW(check_gate(ramp, schema), Error);
  ScoreGate level;
  level.terms = {{TermForm::level, 4, 2, 1}};
  EXPECT_THROW(check_gate(level, schema), Error);
}

TEST(Gate, AnswersWhatItIs) {
  const Gate threshold = threshold_gate(1, 2.5);
  const Gate levels = LevelsGate{3, 2, {0, 1, -1, 0}};
  EXPECT_EQ(gate_kind(threshold), "score");
  EXPECT_EQ(gate_kind(levels), "levels");
  ASSERT_TRUE(as_threshold(threshold));
  EXPECT_EQ(as_threshold(threshold)->feature, 1U);
  EXPECT_EQ(as_threshold(threshold)->cut, 2.5);
  EXPECT_FALSE(as_threshold(levels));
  EXPECT_EQ(linear_form(levels), nullptr);
  EXPECT_EQ(level_map(threshold), nullptr);
  EXPECT_EQ(level_map(levels)->child_of_level[2], -1);
  EXPECT_FALSE(as_ramp(levels));
}

TEST(Gate, OnlyAPlainValueWithAStepIsAThreshold) {
  ScoreGate gate = threshold_gate(0, 1);
  gate.terms[0].coefficient = 2;
  EXPECT_FALSE(as_threshold(gate));
  gate = threshold_gate(0, 1);
  gate.terms[0].form = TermForm::square;
  EXPECT_FALSE(as_threshold(gate));
  EXPECT_FALSE(as_threshold(softened(threshold_gate(0, 1), 1, 1)));
}

TEST(Gate, PlainThresholdsAreScoresLikeOthers) {
  const ScoreGate plain = threshold_gate(1, 2.5);
  const Gate gate = plain;
  EXPECT_EQ(gate, Gate(plain));
  EXPECT_FALSE(gate == Gate(threshold_gate(1, 2)));
  EXPECT_FALSE(gate == Gate(threshold_gate(0, 2.5)));
  ASSERT_NE(linear_form(gate), nullptr);
  EXPECT_EQ(*linear_form(gate), plain);
  EXPECT_EQ(linear_form(gate), linear_form(gate));  // made once
  // What a threshold says beyond feature and cut is kept.
  const Gate noted = with_spreads(gate, std::vector<double>{0.5});
  EXPECT_EQ(linear_form(noted)->terms[0].spread, 0.5);
  EXPECT_EQ(as_threshold(noted)->cut, 2.5);
  EXPECT_FALSE(noted == gate);
  EXPECT_FALSE(gate == noted);
  EXPECT_EQ(weights(gate), weights(noted));
  const Gate with_missing = threshold_gate(0, 1),
             with_missing_noted = with_spreads(with_missing, std::vector<double>{1});
  const std::vector<double> one = weights(with_missing), other = weights(with_missing_noted);
  EXPECT_EQ(std::vector(one.begin(), one.begin() + 4),
            std::vector(other.begin(), other.begin() + 4));
  EXPECT_TRUE(std::isnan(one[4]) && std::isnan(other[4]));
  EXPECT_EQ(gate_shares(gate).size(), 1U);
  EXPECT_EQ(gate_shares(gate)[0].share, gate_shares(noted)[0].share);
  EXPECT_EQ(gate_parameters(gate), gate_parameters(noted));
  EXPECT_EQ(gate_features(gate), gate_features(noted));
}

TEST(Gate, IsHardWhereItHasAStep) {
  EXPECT_TRUE(is_hard(threshold_gate(0, 1)));
  EXPECT_TRUE(is_hard(LevelsGate{3, 2, {0, 1, -1, 0}}));
  ScoreGate gate = threshold_gate(0, 1);
  for (const LinkForm form : {LinkForm::ramp, LinkForm::logistic}) {
    gate.link.form = form;
    EXPECT_FALSE(is_hard(gate));
    EXPECT_EQ(hardened(gate), Gate(threshold_gate(0, 1)));
  }
}

TEST(Gate, HasTheFormOfARampUnlessItIsLogisticOrHasNoValueToBeSoftAt) {
  const std::optional<RampForm> step = as_ramp(threshold_gate(1, 3));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->below, 0);
  const std::optional<RampForm> soft = as_ramp(softened(threshold_gate(1, 3), 0.5, 2));
  ASSERT_TRUE(soft);
  EXPECT_EQ(soft->feature, 1U);
  EXPECT_EQ(soft->cut, 3);
  EXPECT_EQ(soft->below, 0.5);
  EXPECT_EQ(soft->above, 2);
  EXPECT_FALSE(as_ramp(threshold_gate(1, above_all_values)));
  ScoreGate logistic = threshold_gate(1, 3);
  logistic.link.form = LinkForm::logistic;
  EXPECT_FALSE(as_ramp(logistic));
}

TEST(Gate, CopiesDifferInWhatIsAskedFor) {
  const Gate gate = ScoreGate{{{TermForm::value, 0, 0, 2}, {TermForm::square, 1, 0, 3}}, 1, {}};
  const Gate same = gate;
  const Gate moved = with_cut(gate, 5);
  EXPECT_EQ(linear_form(moved)->cut, 5);
  EXPECT_EQ(linear_form(moved)->terms, linear_form(gate)->terms);
  const Gate noted = with_spreads(gate, std::vector<double>{0.1, 0.2});
  EXPECT_EQ(linear_form(noted)->terms[1].spread, 0.2);
  EXPECT_EQ(same, gate);
  EXPECT_FALSE(moved == gate);
  EXPECT_FALSE(noted == gate);
  EXPECT_FALSE(Gate(LevelsGate{3, 2, {0, 1, -1, 0}}) == gate);
}

}  // namespace
}  // namespace softwood
