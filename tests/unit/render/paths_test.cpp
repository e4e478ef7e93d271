#include "render/text/paths.h"

#include <gtest/gtest.h>

#include "lower/lower.h"
#include "render/text/condition.h"
#include "support/sample_models.h"

namespace softwood::render {
namespace {

TEST(Paths, RowsWithoutAValueMayHaveTheirOwnChild) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  Missing own;
  own.rule = MissingRule::own;
  const NodeIndex first = model.tree.split(0, threshold_gate(0, 0.5), own);
  const LoweredTree tree = lower(model);
  EXPECT_EQ(branch_text(tree, *tree.nodes[0].split, 2), "a missing");
  EXPECT_EQ(path_conditions(lower(model), first + 2), (std::vector<std::string>{"a missing"}));
}

TEST(Paths, AreMergedWhereOneImpliesTheOther) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  Tree& tree = model.tree;
  NodeIndex i = tree.split(0, threshold_gate(0, 2.45), {}) + 1;
  i = tree.split(i, LevelsGate{3, 2, {0, 0, 0, 1}}, {});
  i = tree.split(i, threshold_gate(0, 9), {});
  i = tree.split(i, threshold_gate(0, 4.95), {}) + 1;
  i = tree.split(i, LevelsGate{3, 2, {0, 1, 0, -1}}, {});
  EXPECT_EQ(path_conditions(lower(model), i),
            (std::vector<std::string>{"a > 4.95", "a <= 9", "colour in {red, blue}"}));
  EXPECT_TRUE(path_conditions(lower(model), 0).empty());
}

// Six digits would say "a <= -3" and "a > -3".
TEST(Paths, ShowAsManyDigitsAsTellCutsApart) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  NodeIndex i = model.tree.split(0, threshold_gate(0, -2.9999999), {});
  i = model.tree.split(i, threshold_gate(0, -3.0000002), {}) + 1;
  EXPECT_EQ(path_conditions(lower(model), i),
            (std::vector<std::string>{"a <= -2.9999999", "a > -3.0000002"}));
}

TEST(Paths, SayWhichPartOfARowASoftSplitSends) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  model.schema.features.resize(1);
  ScoreGate soft = threshold_gate(0, 2);
  soft.link = {LinkForm::ramp, 1, 1};
  model.tree.split(0, soft, {});
  const Table table(model.schema, 4, {Column{Kind::numeric, {{2, 1.5, 0, missing_number}}, {}, 0}},
                    Column{}, {});
  PathTexts texts(lower(model));
  EXPECT_EQ(texts.text(2, table, 0), "a > 2 (soft from 1 to 3; 50 % go this way)");
  EXPECT_EQ(texts.text(1, table, 1), "a <= 2 (soft from 1 to 3; 75 % go this way)");
  EXPECT_EQ(texts.text(1, table, 2), "a <= 2 (soft from 1 to 3)");
  EXPECT_EQ(texts.text(1, table, 3), "a missing (taken as a <= 2 (soft from 1 to 3))");
  model.tree.node(0).missing().rule = MissingRule::impute;
  model.tree.set_typical({1.5});
  EXPECT_EQ(PathTexts(lower(model)).text(1, table, 3),
            "a missing (taken as a <= 2 (soft from 1 to 3; 75 % go this way))");
}

TEST(Paths, EndWithTheFormulaOfALeafThatHasAModel) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  const NodeIndex first = model.tree.split(0, threshold_gate(0, 2), {});
  LeafModel line;
  line.terms = {{TermForm::value, 0, 0, 1.0}, {TermForm::value, 1, 0, 1.0}};
  line.coefficients = {3, 0.5, -2};
  line.low = 0;
  line.high = 9;
  model.tree.node(first + 1).model = Owned<LeafModel>(line);
  model.tree.set_typical(std::vector<double>(model.schema.features.size(), 0));
  Random random(1, "formula");
  const Table table = testing::random_table(model.schema, 1, random);
  const double a = table.input(0).numbers[0];
  const std::string text = PathTexts(lower(model)).text(first + 1, table, 0);
  const size_t formula = text.find("; ");
  ASSERT_NE(formula, std::string::npos) << text << a;
  EXPECT_NE(text.find("= 3 + 0.5*a - 2*b, from 0 to 9"), std::string::npos) << text;
  EXPECT_EQ(PathTexts(lower(model)).text(first, table, 0).find("; "), std::string::npos);
}

// Not known to the model is another thing than not there, though both are treated alike.
TEST(Paths, SayThatALevelIsUnknown) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  Missing own;
  own.rule = MissingRule::own;
  const NodeIndex first = model.tree.split(0, LevelsGate{3, 2, {0, 0, 0, 1}}, {});
  model.tree.split(first, LevelsGate{4, 2, {0, 1}}, own);
  Random random(1, "unknown");
  const Table some = testing::random_table(model.schema, 1, random);
  const Table table(
      model.schema, 1,
      {some.input(0), some.input(1), some.input(2), Column{Kind::nominal, {}, {{missing_code}}, 1},
       Column{Kind::nominal, {}, {{missing_code}}, 1}},
      Column{}, {});
  EXPECT_EQ(PathTexts(lower(model)).text(5, table, 0),
            "colour missing (taken as colour in {red, green, blue}) and shape missing");
  EXPECT_EQ(
      PathTexts(lower(model), {{{0, 3}, "pink"}, {{0, 4}, "oval"}}).text(5, table, 0),
      "colour = pink unknown (taken as colour in {red, green, blue}) and shape = oval unknown "
      "(taken as missing)");
}

// What a ramp does where there are data.
TEST(Paths, ShowRampsWithinTheTrainingRows) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  ScoreGate soft = threshold_gate(0, 2);
  soft.link = {LinkForm::ramp, 1, 10};
  model.tree.split(0, soft, {});
  const auto shown = [&](double low, double high, uint32_t child) {
    model.provenance.ranges.assign(model.schema.features.size(), {});
    model.provenance.ranges[0] = {low, high};
    const LoweredTree tree = lower(model);
    return condition_text(tree, tree.nodes[0].split->condition, child);
  };
  EXPECT_EQ(shown(0, 20, 0), "a <= 2 (soft from 1 to 12)");
  EXPECT_EQ(shown(0, 7, 0), "a <= 2 (soft from 100 % at 1 to 25 % at 7)");
  EXPECT_EQ(shown(0, 7, 1), "a > 2 (soft from 0 % at 1 to 75 % at 7)");
  EXPECT_EQ(shown(2, 20, 0), "a <= 2 (soft from 50 % at 2 to 0 % at 12)");
  EXPECT_EQ(shown(13, 20, 0), "a <= 2 (beyond the training rows, 0 % of which go this way)");
}

TEST(Paths, SoftConditionsAreNotMerged) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  ScoreGate soft = threshold_gate(0, 2);
  soft.link = {LinkForm::ramp, 1, 1};
  const NodeIndex i = model.tree.split(0, soft, {});
  const NodeIndex j = model.tree.split(i, threshold_gate(0, 1), {});
  EXPECT_EQ(path_conditions(lower(model), j),
            (std::vector<std::string>{"a <= 2 (soft from 1 to 3)", "a <= 1"}));
}

}  // namespace
}  // namespace softwood::render
