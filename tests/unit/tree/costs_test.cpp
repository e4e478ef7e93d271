#include "tree/costs.h"

#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/sample_models.h"
#include "tree/model.h"

namespace softwood {
namespace {

// Truth down, answers across: taking the second class for the first costs 1, the other way 5.
const std::vector<double> dear_second = {0, 1, 5, 0};

TEST(Costs, WithoutAMatrixEveryErrorCostsOne) {
  EXPECT_EQ(cost_of({}, 2, 0, 1), 1);
  EXPECT_EQ(cost_of({}, 2, 1, 1), 0);
  EXPECT_EQ(cost_of_answer(std::vector<double>{3, 4, 5}, {}, 2), 7);
  EXPECT_EQ(cheapest_answer(std::vector<double>{4, 3, 4}, {}), 0U);
}

TEST(Costs, TheCheapestAnswerIsNotAlwaysTheMostLikely) {
  const std::vector<double> weights = {4, 1};
  EXPECT_EQ(cost_of_answer(weights, dear_second, 0), 5);
  EXPECT_EQ(cost_of_answer(weights, dear_second, 1), 4);
  EXPECT_EQ(cheapest_answer(weights, dear_second), 1U);
  EXPECT_EQ(cheapest_answer(std::vector<double>{6, 1}, dear_second), 0U);
  // 5 to 1 is as dear either way: the first, also where shares are rounded.
  EXPECT_EQ(cheapest_answer(std::vector<double>{5, 1}, dear_second), 0U);
  EXPECT_EQ(cheapest_answer(std::vector<double>{5.0 / 6, 1.0 / 6}, dear_second), 0U);
}

TEST(Costs, AreTheRiskOfANode) {
  Tree tree(Task::classification, 2);
  tree.sums(0)[0] = 4;
  tree.sums(0)[1] = 1;
  EXPECT_EQ(tree.risk(0), 1);
  tree.set_costs(dear_second);
  EXPECT_EQ(tree.risk(0), 4);
  EXPECT_EQ(tree.answers(), (std::vector<double>{0.8, 0.2}));
}

TEST(Costs, ClassesCountBySumsOfTheirCosts) {
  EXPECT_EQ(altered_weights(dear_second, 2), (std::vector<double>{1, 5}));
  EXPECT_EQ(altered_weights(std::vector<double>{0, 1, 2, 3, 0, 4, 5, 6, 0}, 3),
            (std::vector<double>{3, 7, 11}));
  EXPECT_TRUE(altered_weights({}, 3).empty());
}

TEST(Costs, FaultsAreFound) {
  const std::vector<std::string> names = {"no", "yes"};
  EXPECT_EQ(fault_of_costs(dear_second, names), "");
  const auto fault = [&](const std::vector<double>& costs) { return fault_of_costs(costs, names); };
  EXPECT_NE(fault({0, 1, 5}), "");
  EXPECT_NE(fault({0, -1, 5, 0}), "");
  EXPECT_NE(fault({1, 1, 5, 0}), "");
  EXPECT_NE(fault({0, 0, 5, 0}), "");
  EXPECT_NE(fault({0, 1, missing_number, 0}), "");
}

Model model_with_costs() {
  Model model{testing::mixed_schema(Task::classification), Tree(Task::classification, 3), {}, {}};
  model.tree.set_costs({0, 1, 2.5, 3, 0, 4, 5, 6, 0});
  model.provenance.class_weights = {0.5, 1, 1.5};
  return model;
}

TEST(Costs, AreSavedAndLoaded) {
  const std::string text = model_to_text(model_with_costs());
  EXPECT_NE(text.find("\"costs\": [[0, 1, 2.5], [3, 0, 4], [5, 6, 0]],\n"), std::string::npos);
  EXPECT_NE(text.find("\"class_weights\": [0.5, 1, 1.5]}"), std::string::npos);
  const Model loaded = model_from_text(text, "m.json");
  EXPECT_EQ(loaded.tree.costs(), model_with_costs().tree.costs());
  EXPECT_EQ(loaded.provenance.class_weights, (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(model_to_text(loaded), text);
}

TEST(Costs, ThatAreWrongAreRefused) {
  const std::string text = model_to_text(model_with_costs());
  const auto expect_refused = [&](const std::string& from, const std::string& to) {
    std::string wrong = text;
    const size_t at = wrong.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    wrong.replace(at, from.size(), to);
    try {
      model_from_text(wrong, "m.json");
      ADD_FAILURE() << to;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
    }
  };
  expect_refused("[0, 1, 2.5]", "[0, 1]");
  expect_refused("[0, 1, 2.5]", "[0, 0, 0]");
  expect_refused("[0, 1, 2.5]", "[1, 1, 2.5]");
  expect_refused("[0, 1, 2.5]", "[0, -1, 2.5]");
  expect_refused("[0, 1, 2.5], ", "");
  expect_refused("[0.5, 1, 1.5]", "[0.5, 1]");
  expect_refused("[0.5, 1, 1.5]", "[0.5, 0, 1.5]");
}

}  // namespace
}  // namespace softwood
