#include "lower/lower.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/sample_models.h"
#include "tree/importance.h"

namespace softwood {
namespace {

TEST(Lower, NodesHaveTheirPlaceTheirRowsAndTheirAnswer) {
  const LoweredTree tree = lower(testing::iris_model());
  ASSERT_EQ(tree.nodes.size(), 5U);
  EXPECT_EQ(tree.leaves, 3U);
  EXPECT_EQ(tree.depth, 2U);
  EXPECT_EQ(tree.parameters, 7U);
  EXPECT_EQ(tree.nodes[4].parent, 2U);
  EXPECT_EQ(tree.nodes[4].depth, 2U);
  EXPECT_TRUE(tree.nodes[4].is_leaf());
  EXPECT_EQ(tree.nodes[3].class_weights, (std::vector<double>{0, 49, 5}));
  EXPECT_EQ(tree.nodes[3].weight, 54);
  EXPECT_EQ(tree.nodes[3].share, 54.0 / 150);
  EXPECT_EQ(tree.nodes[3].risk, 5);
  EXPECT_EQ(tree.nodes[3].answer, (std::vector<double>{0, 49.0 / 54, 5.0 / 54}));
}

TEST(Lower, SplitsHaveConditionRuleAndNotes) {
  const LoweredTree tree = lower(testing::iris_model());
  ASSERT_TRUE(tree.nodes[2].split);
  const LoweredSplit& split = *tree.nodes[2].split;
  const auto& score = std::get<LoweredScore>(split.condition);
  ASSERT_EQ(score.terms.size(), 1U);
  EXPECT_EQ(score.terms[0].input, 3U);
  EXPECT_EQ(score.cut, 1.75);
  EXPECT_EQ(score.link, LinkKind::step);
  EXPECT_EQ(split.first_child, 3U);
  EXPECT_EQ(split.children, 2U);
  EXPECT_EQ(split.missing.action, MissingAction::child);
  EXPECT_EQ(split.missing.child, 1U);
  EXPECT_EQ(split.gain, 0.38969404186795487);
  EXPECT_TRUE(std::isnan(split.alpha));
  EXPECT_EQ(tree.nodes[0].split->alpha, 0.5);
}

TEST(Lower, TermsKeepWhatTheirKindNeeds) {
  ScoreGate gate;
  gate.terms = {{TermForm::product, 0, 2, 0.5, 3},
                {TermForm::level, 3, 1, 2},
                {TermForm::asinh, 1, 0, -1, 0, 4, 5},
                {TermForm::square, 1, 0, 7}};
  gate.cut = 2;
  gate.link = {LinkForm::ramp, 0.25, 0.75};
  const auto score = std::get<LoweredScore>(lower_gate(gate));
  EXPECT_EQ(score.terms[0].kind, TermKind::product);
  EXPECT_EQ(score.terms[0].second, 2U);
  EXPECT_EQ(score.terms[0].coefficient, 0.5);
  EXPECT_EQ(score.terms[0].spread, 3);
  EXPECT_EQ(score.terms[1].kind, TermKind::level);
  EXPECT_EQ(score.terms[1].level, 1U);
  EXPECT_EQ(score.terms[2].kind, TermKind::asinh);
  EXPECT_EQ(score.terms[2].centre, 4);
  EXPECT_EQ(score.terms[2].scale, 5);
  EXPECT_EQ(score.terms[3].kind, TermKind::square);
  EXPECT_EQ(score.link, LinkKind::ramp);
  EXPECT_EQ(score.below, 0.25);
  EXPECT_EQ(score.above, 0.75);
  const auto levels = std::get<LoweredLevels>(lower_gate(LevelsGate{3, 3, {0, -1, 2, 1}}));
  EXPECT_EQ(levels.input, 3U);
  EXPECT_EQ(levels.children, 3U);
  EXPECT_EQ(levels.child_of_level, (std::vector<int32_t>{0, -1, 2, 1}));
}

TEST(Lower, InputsHaveLevelsTypicalValuesAndImportance) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  EXPECT_TRUE(std::isnan(lower(model).inputs[0].typical));
  model.tree.set_typical({0.25, missing_number, 1, 2, 0});
  const LoweredTree tree = lower(model);
  ASSERT_EQ(tree.inputs.size(), 5U);
  EXPECT_EQ(tree.inputs[2].kind, InputKind::ordinal);
  EXPECT_EQ(tree.inputs[2].levels, (std::vector<std::string>{"low", "mid", "high"}));
  EXPECT_EQ(tree.inputs[3].kind, InputKind::nominal);
  EXPECT_EQ(tree.inputs[0].typical, 0.25);
  EXPECT_TRUE(std::isnan(tree.inputs[1].typical));
  EXPECT_FALSE(tree.is_classifier());
  const Model iris = testing::iris_model();
  EXPECT_EQ(lower(iris).inputs[2].importance, importance_of(iris)[2]);
}

TEST(Lower, SaysHowLeavesAnswer) {
  Model model = testing::iris_model();
  EXPECT_EQ(lower(model).formulas, FormulaKind::none);
  EXPECT_EQ(lower(model).estimate, EstimateKind::frequencies);
  model.tree.set_leaf_plan({.estimator = LeafEstimator::m_estimate, .m = 3});
  EXPECT_EQ(lower(model).estimate, EstimateKind::m_estimate);
  EXPECT_EQ(lower(model).m, 3);
  model.tree.set_leaf_plan(fitted_leaves("logistic"));
  EXPECT_EQ(lower(model).formulas, FormulaKind::fitted);
  EXPECT_EQ(lower(model).estimate, EstimateKind::laplace);
  EXPECT_EQ(lower(model).mixing.kind, MixingKind::answers);
  model.tree.set_leaf_plan(trained_leaves(LeafMixing::scores));
  EXPECT_EQ(lower(model).formulas, FormulaKind::trained);
  EXPECT_EQ(lower(model).mixing.kind, MixingKind::scores);
  model.tree.set_costs({0, 1, 2, 3, 0, 4, 5, 6, 0});
  EXPECT_EQ(lower(model).decision.costs[3], 3);
}

TEST(Lower, FormulasHaveAnOutputPerClassListed) {
  LeafModel leaf;
  leaf.link = LeafLink::softmax;
  leaf.terms = {{TermForm::value, 1, 0, 1.0}};
  leaf.classes = {0, 2};
  leaf.coefficients = {1, 2, 3, 4};
  const LoweredFormula formula = lower_leaf_model(leaf);
  ASSERT_EQ(formula.outputs.size(), 2U);
  EXPECT_EQ(formula.outputs[1].class_index, 2U);
  EXPECT_EQ(formula.outputs[1].constant, 3);
  EXPECT_EQ(formula.outputs[1].coefficients, (std::vector<double>{4}));
}

TEST(Lower, KeepsTheOriginAndTheComplexityTable) {
  Model model = testing::iris_model();
  model.schema.weight = "w";
  const LoweredTree tree = lower(model);
  EXPECT_EQ(tree.origin.method, "cart");
  EXPECT_EQ(tree.origin.recipe, "grow | prune");
  EXPECT_EQ(tree.origin.rows, 150U);
  EXPECT_EQ(tree.origin.weight_column, "w");
  ASSERT_TRUE(tree.complexity);
  EXPECT_EQ(tree.complexity->chosen, 2U);
  EXPECT_EQ(tree.complexity->trees[1].cv_error, 0.64);
  EXPECT_EQ(tree.complexity->root_risk, 100);
}

}  // namespace
}  // namespace softwood
