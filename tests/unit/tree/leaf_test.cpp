// Forms of a leaf's answer, models of leaves, and both in the model file.
#include "tree/leaf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "softwood/error.h"
#include "support/sample_models.h"
#include "support/tables.h"

namespace softwood {
namespace {

// Two leaves with the class weights (3, 0) and (1, 4).
Tree two_leaves() {
  Tree tree(Task::classification, 2);
  const NodeIndex first = tree.split(0, threshold_gate(0, 1), {});
  const double sums[3][2] = {{4, 4}, {3, 0}, {1, 4}};
  for (NodeIndex i = 0; i < 3; ++i) std::copy_n(sums[i], 2, tree.sums(i).begin());
  EXPECT_EQ(first, 1U);
  return tree;
}

std::vector<double> answers(const LeafPlan& plan) {
  Tree tree = two_leaves();
  tree.set_leaf_plan(plan);
  return tree.answers();
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-15) << i;
}

TEST(LeafAnswers, AreSharesMajoritiesOrSmoothed) {
  expect_near(answers({}), {0.5, 0.5, 1, 0, 0.2, 0.8});
  expect_near(answers({LeafEstimator::majority}), {1, 0, 1, 0, 0, 1});
  // (n_k + 1) / (n + 2)
  expect_near(answers({LeafEstimator::laplace}), {0.5, 0.5, 0.8, 0.2, 2.0 / 7, 5.0 / 7});
  // (n_k + 4 * 0.5) / (n + 4)
  expect_near(answers({.estimator = LeafEstimator::m_estimate, .m = 4}),
              {0.5, 0.5, 5.0 / 7, 2.0 / 7, 3.0 / 9, 6.0 / 9});
  expect_near(answers({.estimator = LeafEstimator::m_estimate, .m = 0}), answers({}));
  // Leaves that got no model.
  expect_near(answers(fitted_leaves("logistic")), answers({LeafEstimator::laplace}));
  expect_near(answers(fitted_leaves("naive-bayes")), answers({LeafEstimator::laplace}));
}

TEST(LeafAnswers, OfANodeWithoutWeightAreThoseOfItsAncestor) {
  for (const LeafEstimator estimator :
       {LeafEstimator::majority, LeafEstimator::laplace, LeafEstimator::m_estimate}) {
    Tree tree = two_leaves();
    tree.set_leaf_plan({estimator});
    std::fill_n(tree.sums(1).begin(), 2, 0.0);
    const std::vector<double> all = tree.answers();
    EXPECT_EQ(all[2], all[0]);
    EXPECT_EQ(all[3], all[1]);
    std::fill_n(tree.sums(0).begin(), 2, 0.0);
    for (const double answer : tree.answers()) EXPECT_TRUE(std::isfinite(answer));
  }
}

std::vector<double> answer_of(const LeafModel& model, double a, int32_t colour) {
  const Task task = model.link == LeafLink::identity ? Task::regression : Task::classification;
  const Table table(testing::leaf_schema(task), 1, {test::numbers({a}), test::codes({colour})}, {},
                    {});
  std::vector<double> outputs, answer(task == Task::regression ? 1 : 3, -7);
  const double typical[] = {4, 1};
  if (!leaf_model_answer(model, table, 0, typical, outputs, answer)) return {};
  return answer;
}

TEST(LeafModels, AnswerWithSumsOfTerms) {
  expect_near(answer_of(testing::line_leaf(), 2, 0), {4});
  expect_near(answer_of(testing::line_leaf(), 2, 1), {2});
  // Missing cells have the typical value.
  expect_near(answer_of(testing::line_leaf(), missing_number, 0), {5});
  expect_near(answer_of(testing::line_leaf(), 2, missing_code), {2});
  // Held in the range.
  expect_near(answer_of(testing::line_leaf(), 1e300, 0), {9});
  expect_near(answer_of(testing::line_leaf(), -100, 0), {0});
  // exp(1 - 0.5 a): at a = 2 both are as likely; the class that is not listed has no probability.
  expect_near(answer_of(testing::odds_leaf(), 2, 0), {0.5, 0, 0.5});
  expect_near(answer_of(testing::odds_leaf(), 0, 0),
              {1 / (1 + std::exp(1)), 0, 1 / (1 + std::exp(-1))});
  expect_near(answer_of(testing::odds_leaf(), 1e308, 0), {1, 0, 0});
}

TEST(LeafModels, DoNotAnswerWhenASumOverflows) {
  LeafModel model = testing::line_leaf();
  model.terms[0].form = TermForm::square;
  EXPECT_TRUE(answer_of(model, 1e200, 0).empty());
}

TEST(LeafModels, CountTheirNumbers) {
  EXPECT_EQ(leaf_model_parameters(testing::line_leaf()),
            4U);  // 3, 0.5, -2 and the end of the range
  EXPECT_EQ(leaf_model_parameters(testing::odds_leaf()), 2U);
  LeafModel constant = testing::line_leaf();  // which no range holds
  constant.terms.clear();
  constant.coefficients = {3};
  EXPECT_EQ(leaf_model_parameters(constant), 1U);
  Tree tree(Task::regression, 0);
  tree.node(0).model = Owned<LeafModel>(testing::line_leaf());
  EXPECT_EQ(shape_of(tree).parameters, 4U);
}

Model model_with(const LeafModel& leaf) {
  const Task task = leaf.link == LeafLink::identity ? Task::regression : Task::classification;
  Model model{testing::leaf_schema(task), Tree(task, 3), {"", "grow", 1, "", "", 0}, {}};
  model.tree.node(0).model = Owned<LeafModel>(leaf);
  model.tree.set_typical({4, 1});
  model.tree.set_leaf_plan(fitted_leaves(task == Task::regression ? "ridge" : "logistic"));
  return model;
}

TEST(LeafModels, KeepTheTypicalValuesOfTheTree) {
  Model model = model_with(testing::line_leaf());
  model.tree.canonicalise();
  EXPECT_EQ(model.tree.typical().size(), 2U);
  model.tree.node(0).model.reset();
  model.tree.canonicalise();
  EXPECT_TRUE(model.tree.typical().empty());
}

TEST(LeafModels, AreSavedAndLoaded) {
  for (const LeafModel& leaf : {testing::line_leaf(), testing::odds_leaf()}) {
    const Model model = model_with(leaf);
    const std::string text = model_to_text(model);
    const Model loaded = model_from_text(text, "m");
    EXPECT_EQ(model_to_text(loaded), text);
    EXPECT_EQ(loaded.tree.node(0).model->terms, leaf.terms);
    EXPECT_EQ(loaded.tree.node(0).model->coefficients, leaf.coefficients);
    EXPECT_EQ(loaded.tree.node(0).model->classes, leaf.classes);
    EXPECT_EQ(loaded.tree.node(0).model->high, leaf.high);
    EXPECT_EQ(loaded.tree.leaf_plan(), model.tree.leaf_plan());
  }
}

TEST(LeafPlan, IsSavedAndLoaded) {
  LeafPlan smoothed{.estimator = LeafEstimator::m_estimate, .m = 3.5};
  LeafPlan penalised = fitted_leaves("logistic");
  penalised.penalty = 0.25;
  LeafPlan held = trained_leaves(LeafMixing::answers);
  held.low = -1;
  held.high = 2.5;
  const std::pair<Task, LeafPlan> plans[] = {
      {Task::classification, {}},
      {Task::regression, {}},
      {Task::classification, {LeafEstimator::majority}},
      {Task::classification, {LeafEstimator::laplace}},
      {Task::classification, smoothed},
      {Task::classification, penalised},
      {Task::regression, fitted_leaves("a-learner-of-tomorrow")},
      {Task::regression, held},
      {Task::classification, trained_leaves(LeafMixing::answers)},
      {Task::classification, trained_leaves(LeafMixing::scores)},
  };
  for (const auto& [task, plan] : plans) {
    SCOPED_TRACE(leaf_plan_name(plan));
    Model model{testing::leaf_schema(task), Tree(task, 3), {"", "grow", 1, "", "", 0}, {}};
    model.tree.set_leaf_plan(plan);
    const std::string text = model_to_text(model);
    const Model loaded = model_from_text(text, "m");
    EXPECT_EQ(model_to_text(loaded), text);
    EXPECT_EQ(loaded.tree.leaf_plan(), plan);
  }
}

// What is replaced in the file of testing::line_leaf() or testing::odds_leaf(), and what the error
// must say.
struct WrongLeaf {
  Task task;
  const char* from;
  const char* to;
  const char* message;
};

TEST(LeafModels, AreCheckedOnLoading) {
  const Task numbers = Task::regression, classes = Task::classification;
  const WrongLeaf wrongs[] = {
      {numbers, R"("form": "ridge")", R"("form": "scores")", "which is for classes"},
      {numbers, R"("form": "ridge")", R"("form": "laplace")", "'leaf' has a form"},
      {numbers, R"("form": "ridge")", R"("form": "distribution")", "'leaf' has a form"},
      {numbers, R"("form": "ridge")", R"("form": "Oak, or ash")", "'leaf' has a form"},
      {numbers, R"("form": "ridge")", R"("form": "ridge", "m": 2)", "'m' of 'leaf'"},
      {numbers, R"("form": "ridge")", R"("form": "ridge", "penalty": -1)", "negative"},
      {numbers, R"("form": "ridge")", R"("form": "trained", "penalty": 1)", "no 'penalty'"},
      {numbers, R"("form": "ridge")", R"("form": "ridge", "range": [0, 1])",
       "for the form trained"},
      {numbers, R"("form": "ridge")", R"("form": "trained", "range": [1, 0])", "ends below"},
      {numbers, R"("form": "ridge")", R"("form": "trained", "range": [1])", "two entries"},
      {classes, R"("form": "logistic")", R"("form": "laplace")", "leaves have models"},
      {classes, R"("form": "logistic")", R"("form": "m-estimate")", "'m' of 'leaf'"},
      {numbers, R"("leaf": {"form": "ridge"},)", "", "leaves have models"},
      {numbers, R"("typical": [4, "blue"],)", "", "'typical'"},
      {numbers, R"("typical": [4, "blue"])", R"("typical": [null, "blue"])", "no value"},
      {numbers, R"({"value": "a"})", R"({"value": "a", "times": 2})", "'times'"},
      {numbers, R"({"value": "a"})", R"({"value": "colour"})", "nominal"},
      {numbers, R"({"value": "a"})", R"({"value": "z"})", "z"},
      {numbers, R"("range": [0, 9])", R"("range": [9, 0])", "ends below"},
      {numbers, R"("range": [0, 9])", R"("range": [9])", "two entries"},
      {numbers, R"("range": [0, 9], )", "", "'range'"},
      {numbers, R"("range": [0, 9])", R"("classes": ["no", "so"])", "'range'"},
      {numbers, "[[3, 0.5, -2]]", "[[3, 0.5]]", "one more number"},
      {numbers, "[[3, 0.5, -2]]", "[]", "0 lists instead of 1"},
      {numbers, "[[3, 0.5, -2]]", "[[3, 0.5, 1e999]]", "too large"},
      {numbers, "[[3, 0.5, -2]]", R"([[3, 0.5, "x"]])", "number"},
      {classes, R"(["no", "so"])", R"(["so", "no"])", "order"},
      {classes, R"(["no", "so"])", R"(["no", "na"])", "does not have"},
      {classes, R"(["no", "so"])", R"(["no"])", "at least two"},
  };
  for (const WrongLeaf& wrong : wrongs) {
    SCOPED_TRACE(wrong.to);
    std::string text = model_to_text(
        model_with(wrong.task == numbers ? testing::line_leaf() : testing::odds_leaf()));
    const size_t place = text.find(wrong.from);
    ASSERT_NE(place, std::string::npos) << wrong.from << " in " << text;
    text.replace(place, std::string(wrong.from).size(), wrong.to);
    try {
      model_from_text(text, "m.json");
      ADD_FAILURE() << "it was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      EXPECT_NE(std::string(error.what()).find(wrong.message), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace softwood
