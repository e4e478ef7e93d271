#include "study/lowered.h"

#include <gtest/gtest.h>

#include "stats/split_search.h"
#include "support/sample_models.h"

namespace softwood {
namespace {

LoweredTree lowered(const std::string& recipe, Model model = testing::iris_model()) {
  model.provenance.recipe = recipe;
  return lowered_with_recipe(model);
}

TEST(LoweredWithRecipe, NamesTheGainsByTheCriterion) {
  EXPECT_EQ(lowered("grow | prune").origin.gain_name, "Gini gain");
  EXPECT_EQ(lowered("grow | prune").origin.gain_unit, "");
  EXPECT_EQ(lowered("grow criterion=gain-ratio").origin.gain_name, "information gain");
  EXPECT_EQ(lowered("grow criterion=gain-ratio").origin.gain_unit, "bits");
  EXPECT_EQ(lowered("grow-soft").origin.gain_name, "");
  const Model numbers{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  EXPECT_EQ(lowered("grow", numbers).origin.gain_name, "decrease of the variance");
}

TEST(LoweredWithRecipe, KnowsTheGainsOfEveryCriterion) {
  const Model numbers{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  for (const stats::Criterion& criterion : stats::criteria()) {
    const std::string recipe = "grow criterion=" + criterion.name;
    const LoweredTree tree =
        criterion.task == Task::regression ? lowered(recipe, numbers) : lowered(recipe);
    EXPECT_NE(tree.origin.gain_name, "") << criterion.name;
  }
}

TEST(LoweredWithRecipe, KnowsWhichInputsAreMonotone) {
  const Model numbers{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  const LoweredTree tree = lowered("grow monotone=a:+,b:-", numbers);
  EXPECT_EQ(tree.inputs[0].monotone, 1);
  EXPECT_EQ(tree.inputs[1].monotone, -1);
  EXPECT_EQ(tree.inputs[2].monotone, 0);
}

TEST(LoweredWithRecipe, LeavesOutWhatItCannotRead) {
  for (const char* recipe : {"", "sprout | prune"}) {
    EXPECT_EQ(lowered(recipe).origin.gain_name, "");
    EXPECT_EQ(lowered(recipe).nodes.size(), 5U);
  }
}

}  // namespace
}  // namespace softwood
