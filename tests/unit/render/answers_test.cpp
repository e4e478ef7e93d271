#include "render/text/answers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lower/lower.h"
#include "support/sample_models.h"
#include "support/views.h"

namespace softwood::render {
namespace {

using test::show_rules;
using test::show_tree;

Model model_with(const LeafModel& leaf, const LeafPlan& plan) {
  const Task task = leaf.link == LeafLink::identity ? Task::regression : Task::classification;
  Model model{testing::leaf_schema(task), Tree(task, 3), {"", "grow", 1, "", "", 0}, {}};
  model.tree.node(0).model = Owned<LeafModel>(leaf);
  model.tree.set_typical({4, 1});
  model.tree.set_leaf_plan(plan);
  return model;
}

std::vector<std::string> lines(const LeafModel& leaf, const LeafPlan& plan,
                               size_t most_terms = 12) {
  const LoweredTree tree = lower(model_with(leaf, plan));
  return formula_lines(tree, *tree.nodes[0].formula, most_terms);
}

TEST(Formulas, ArePrintedInTheUnitsOfTheData) {
  EXPECT_EQ(lines(testing::line_leaf(), fitted_leaves("linear")),
            std::vector<std::string>{"y = 3 + 0.5*a - 2*[colour=blue], from 0 to 9"});
  EXPECT_EQ(lines(testing::line_leaf(), fitted_leaves("linear"), 0),
            std::vector<std::string>{"y = 3 + 2 more terms, from 0 to 9"});
  EXPECT_EQ(lines(testing::odds_leaf(), fitted_leaves("logistic")),
            std::vector<std::string>{"log odds of so to no = 1 - 0.5*a"});
}

TEST(Formulas, WithoutTermsAreShares) {
  LeafModel constant = testing::odds_leaf();
  constant.terms.clear();
  constant.coefficients = {0, std::log(3)};
  EXPECT_EQ(lines(constant, trained_leaves(LeafMixing::answers)),
            std::vector<std::string>{"class = so 75.0 %, no 25.0 %"});
  // What is mixed is shown where it is not the answers.
  EXPECT_EQ(lines(constant, trained_leaves(LeafMixing::scores)),
            std::vector<std::string>{
                "log odds of so to no = 1.09861; this leaf by itself: so 75.0 %, no 25.0 %"});
  constant.classes = {0, 1, 2};
  constant.coefficients = {0, 0, -9};
  EXPECT_EQ(lines(constant, trained_leaves(LeafMixing::scores)),
            std::vector<std::string>{
                "scores of no 0, yes 0, so -9; this leaf by itself: no 50.0 %, yes 50.0 %"});
}

TEST(Formulas, AreShownWithTheTreeAndTheRules) {
  const Model model = model_with(testing::line_leaf(), fitted_leaves("ridge"));
  EXPECT_NE(show_tree(model).find("\nModels of leaves\nnode 0\n  y = 3 + 0.5*a"), std::string::npos)
      << show_tree(model);
  EXPECT_NE(show_rules(model).find("y = 3 + 0.5*a - 2*[colour=blue]"), std::string::npos)
      << show_rules(model);
}

TEST(NodeAnswers, OfLeavesThatAnswerWithCertaintyHaveTheShareOfTheirRows) {
  Model model = testing::iris_model();
  model.tree.set_leaf_plan({LeafEstimator::majority});
  const LoweredTree tree = lower(model);
  const NodeAnswers answers(tree);
  EXPECT_EQ(answers.of(3)[1], 1);
  EXPECT_EQ(answers.decided(3), 1U);
  EXPECT_EQ(answers.share(3), 49.0 / 54);
  EXPECT_EQ(answers.errors(3), 5);
}

TEST(NodeAnswers, AreDecidedByCosts) {
  Model model = testing::iris_model();
  model.tree.set_costs({0, 1, 1, 1, 0, 1, 1, 20, 0});
  const LoweredTree tree = lower(model);
  EXPECT_EQ(NodeAnswers(tree).decided(3), 2U);  // 5 times 20 against 49
}

}  // namespace
}  // namespace softwood::render
