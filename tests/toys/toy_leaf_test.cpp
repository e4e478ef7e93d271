// A new leaf model works with everything that there is, or is refused by name.
#include <gtest/gtest.h>

#include "fit/leaf_learners.h"
#include "softwood/error.h"
#include "support/grow.h"
#include "support/same_answers.h"
#include "support/tables.h"

namespace softwood {
namespace {

Table some_table() { return test::random_table({.rows = 150, .classes = 0, .missing = 0.1}, 7); }

Model model_of(const Table& table, const std::string& recipe) {
  return {table.schema(), test::run(table, recipe), {"", recipe, 1, "", "", table.rows()}, {}};
}

TEST(ToyLeaf, IsAChoiceOfGrow) {
  const std::vector<std::string> choices = fit::leaf_choices();
  EXPECT_EQ(choices.back(), "midrange");
  EXPECT_TRUE(fit::leaf_choice_fits("midrange", Task::regression));
}

TEST(ToyLeaf, AnswersInEveryLeaf) {
  const Table table = test::numbers_table({test::numbers({0, 0, 0, 9, 9})}, {1, 2, 9, 4, 10});
  const Tree tree = test::run(table, "grow max-depth=1 leaf=midrange");
  const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
  EXPECT_EQ(answers.answers, (std::vector<double>{5, 5, 5, 7, 7}));
}

TEST(ToyLeaf, IsFollowedByEveryOtherStage) {
  const Table table = some_table();
  for (const char* stages :
       {"", " | prune rule=min", " | prune by=reduced-error", " | soften patience=3",
        " | soften by=gradient steps=20", " | refine", " | soften patience=3 | harden"}) {
    const std::string recipe = std::string("grow max-depth=3 leaf=midrange") + stages;
    SCOPED_TRACE(recipe);
    const Model model = model_of(table, recipe);
    EXPECT_EQ(leaf_plan_name(model.tree.leaf_plan()), "midrange");
    const std::string text = model_to_text(model);
    EXPECT_EQ(model_to_text(model_from_text(text, "toy")), text);
    test::expect_lowered_answers(model, table);
  }
}

TEST(ToyLeaf, IsRefusedByNameForClasses) {
  const Table table = test::random_table({.rows = 40, .classes = 2}, 7);
  try {
    test::run(table, "grow leaf=midrange");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "leaf=midrange is not for classification");
  }
}

}  // namespace
}  // namespace softwood
