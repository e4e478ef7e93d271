#include "render/text/condition.h"

#include <gtest/gtest.h>

#include "lower/lower.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

std::string condition(const Gate& gate, uint32_t child, const Schema& schema,
                      size_t room = no_limit) {
  const Model model{schema, Tree(schema.task(), schema.classes()), {}, {}};
  return condition_text(lower(model), lower_gate(gate), child, room);
}

TEST(ConditionText, ShowsWhereAsinhIsMeasuredFrom) {
  const Schema schema = testing::mixed_schema(Task::regression);
  ScoreGate gate;
  gate.terms = {{TermForm::asinh, 1, 0, 2, 0, 1, 2}};
  gate.cut = 0.5;
  EXPECT_EQ(condition(gate, 0, schema), "2*asinh((b - 1)/2) <= 0.5");
  gate.terms[0] = {TermForm::asinh, 1, 0, 1, 0, -1, 1};
  EXPECT_EQ(condition(gate, 1, schema), "asinh(b + 1) > 0.5");
}

TEST(ConditionText, ReadsWell) {
  const Schema schema = testing::mixed_schema(Task::regression);
  EXPECT_EQ(condition(threshold_gate(0, 2.4499999999999997), 0, schema), "a <= 2.45");
  EXPECT_EQ(condition(threshold_gate(0, 12345678.25), 1, schema), "a > 12345678.25");
  EXPECT_EQ(condition(threshold_gate(2, 1.5), 0, schema), "grade <= mid");
  EXPECT_EQ(condition(threshold_gate(2, 0.5), 1, schema), "grade > low");
  EXPECT_EQ(condition(LevelsGate{3, 2, {0, 1, 0, -1}}, 0, schema), "colour in {red, blue}");
  EXPECT_EQ(condition(LevelsGate{3, 2, {0, 1, 0, -1}}, 1, schema), "colour = green");
  ScoreGate gate;
  gate.terms = {{TermForm::value, 0, 0, 0.5},
                {TermForm::square, 1, 0, -2},
                {TermForm::product, 0, 1, 1.5},
                {TermForm::level, 3, 0, 3}};
  gate.cut = 3;
  EXPECT_EQ(condition(gate, 0, schema), "0.5*a - 2*b^2 + 1.5*a*b + 3*[colour=red] <= 3");
  gate.link.form = LinkForm::logistic;
  EXPECT_EQ(condition(gate, 1, schema),
            "0.5*a - 2*b^2 + 1.5*a*b + 3*[colour=red] > 3 (soft, 10 % to 90 % from 0.802775 to "
            "5.19722)");
  ScoreGate ramp = threshold_gate(0, 2.45);
  ramp.link = {LinkForm::ramp, 0.35, 0.55};
  EXPECT_EQ(condition(ramp, 0, schema), "a <= 2.45 (soft from 2.1 to 3)");
}

TEST(ConditionText, TermsWithTheLargestEffectComeFirst) {
  const Schema schema = testing::mixed_schema(Task::regression);
  ScoreGate gate;
  // Effects 0.5 * 1 = 0.5, 2 * 0.1 = 0.2, 0.1 * 13 = 1.3.
  gate.terms = {{TermForm::value, 0, 0, 0.5, 1},
                {TermForm::value, 1, 0, -2, 0.1},
                {TermForm::product, 0, 1, 0.1, 13}};
  gate.cut = 3;
  EXPECT_EQ(condition(gate, 0, schema), "0.1*a*b + 0.5*a - 2*b <= 3");
  EXPECT_EQ(condition(gate, 0, schema, 26), "0.1*a*b + 0.5*a - 2*b <= 3");
  EXPECT_EQ(condition(gate, 0, schema, 25), "0.1*a*b + ... 2 more <= 3");
  // Without spreads the order stays.
  for (Term& term : gate.terms) term.spread = 0;
  EXPECT_EQ(condition(gate, 0, schema), "0.5*a - 2*b + 0.1*a*b <= 3");
}

TEST(ConditionText, OneValueTimesANumberIsAConditionOnTheValue) {
  const Schema schema = testing::mixed_schema(Task::regression);
  ScoreGate gate;
  gate.terms = {{TermForm::value, 0, 0, -2}};
  gate.cut = 3;
  EXPECT_EQ(condition(gate, 0, schema), "a >= -1.5");
  EXPECT_EQ(condition(gate, 1, schema), "a < -1.5");
}

TEST(ConditionText, SoftGatesOverLevelsNameThem) {
  Schema schema;
  schema.features = {{"grade", Kind::ordinal, {"low", "mid", "high", "top"}}};
  schema.target = {"y", Kind::numeric, {}};
  ScoreGate gate = threshold_gate(0, 1.25);
  gate.link = {LinkForm::ramp, 0.5, 1.5};
  // mid is 0.25 below the cut, of 0.5; high 0.75 above it, of 1.5.
  EXPECT_EQ(condition(gate, 0, schema), "grade <= mid (soft: mid 75 %, high 25 %)");
  EXPECT_EQ(condition(gate, 1, schema), "grade > mid (soft: mid 25 %, high 75 %)");
  gate.link = {LinkForm::ramp, 0.1, 0.1};
  EXPECT_EQ(condition(gate, 0, schema), "grade <= mid");
  gate.terms[0].coefficient = -2;
  gate.cut = -2.5;
  gate.link = {LinkForm::logistic, 0, 0};
  EXPECT_EQ(condition(gate, 0, schema),
            "grade >= high (soft: low 8 %, mid 38 %, high 82 %, top 97 %)");
}

TEST(ConditionText, RangesOfSoftGatesAreLeftOutWhereThereIsNoRoom) {
  const Schema schema = testing::mixed_schema(Task::regression);
  ScoreGate gate = threshold_gate(0, 2);
  gate.link = {LinkForm::ramp, 1, 1};
  EXPECT_EQ(condition(gate, 0, schema, 25), "a <= 2 (soft from 1 to 3)");
  EXPECT_EQ(condition(gate, 0, schema, 24), "a <= 2 (soft)");
}

// The range goes before a term does.
TEST(ConditionText, ThreeTermsAreShownWholeWhereTheyFit) {
  const Schema schema = testing::mixed_schema(Task::regression);
  ScoreGate gate;
  gate.terms = {
      {TermForm::product, 0, 1, 0.1}, {TermForm::value, 0, 0, 0.5}, {TermForm::value, 1, 0, -2}};
  gate.cut = 3;
  gate.link.form = LinkForm::logistic;
  const std::string whole = "0.1*a*b + 0.5*a - 2*b <= 3";
  EXPECT_EQ(condition(gate, 0, schema), whole + " (soft, 10 % to 90 % from 0.802775 to 5.19722)");
  EXPECT_EQ(condition(gate, 0, schema, 71), whole + " (soft)");
  EXPECT_EQ(condition(gate, 0, schema, 33), whole + " (soft)");
  EXPECT_EQ(condition(gate, 0, schema, 32), "0.1*a*b + ... 2 more <= 3 (soft)");
}

TEST(ConditionText, LongNamesAreCutWhereThereIsNoRoom) {
  Schema schema = testing::mixed_schema(Task::regression);
  schema.features[0].name = "concentration_of_äther";
  ScoreGate gate = threshold_gate(0, 2);
  gate.link = {LinkForm::ramp, 1, 1};
  EXPECT_EQ(condition(gate, 0, schema, 40), "concentration_of_äther <= 2 (soft)");
  EXPECT_EQ(condition(gate, 0, schema, 33), "concentration_of_ä... <= 2 (soft)");
  EXPECT_EQ(condition(gate, 0, schema, 0), "concentra... <= 2 (soft)");
}

TEST(ConditionText, LongSetsAreShortened) {
  Schema schema;
  schema.features = {{"city", Kind::nominal, {}}};
  LevelsGate gate{0, 2, {}};
  for (int i = 0; i < 60; ++i) {
    schema.features[0].levels.push_back("c" + std::to_string(i));
    gate.child_of_level.push_back(i % 2);
  }
  EXPECT_EQ(condition(gate, 0, schema, 40), "city in {c0, c2, c4, c6, ... 26 more}");
  EXPECT_EQ(condition(gate, 0, schema, 0), "city in {c0, ... 29 more}");
}

TEST(ConditionText, NamesAreQuotedOnlyWhereTheyWouldMislead) {
  Schema schema;
  schema.features = {{"petal length (cm)", Kind::numeric, {}},
                     {"x<y", Kind::numeric, {}},
                     {"state", Kind::nominal, {"new york", "a, b", ""}}};
  EXPECT_EQ(condition(threshold_gate(0, 1), 0, schema), "petal length (cm) <= 1");
  EXPECT_EQ(condition(threshold_gate(1, 1), 0, schema), "\"x<y\" <= 1");
  EXPECT_EQ(condition(LevelsGate{2, 2, {0, 0, 1}}, 0, schema), "state in {new york, \"a, b\"}");
  EXPECT_EQ(condition(LevelsGate{2, 2, {0, 0, 1}}, 1, schema), "state = \"\"");
  ScoreGate sum;
  sum.terms = {{TermForm::value, 0, 0, 2}};
  EXPECT_EQ(condition(sum, 0, schema), "petal length (cm) <= 0");
}

}  // namespace
}  // namespace softwood::render
