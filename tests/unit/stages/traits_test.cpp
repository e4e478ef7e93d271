// What recipes, training and the command line know of stages before they run.
#include <gtest/gtest.h>

#include <algorithm>

#include "stages/recipe.h"

namespace softwood {
namespace {

// Of the last stage.
StageTraits traits_of(const std::string& recipe) {
  return Recipe::parse(recipe).steps().back().traits();
}
std::string label_of(const std::string& recipe) {
  return Recipe::parse(recipe).steps().back().label();
}

TEST(StageTraits, TellTheTaskOfACriterion) {
  EXPECT_EQ(traits_of("grow criterion=entropy").only_task, Task::classification);
  EXPECT_EQ(traits_of("grow criterion=mae").only_task, Task::regression);
  EXPECT_EQ(traits_of("grow").only_task, std::nullopt);
  EXPECT_EQ(traits_of("evolve").only_task, std::nullopt);
}

TEST(StageTraits, TellWhatBreaksMonotoneAnswers) {
  EXPECT_TRUE(traits_of("grow monotone=a:+").asks_monotone);
  EXPECT_FALSE(traits_of("grow").asks_monotone);
  for (const char* stage : {"refine", "refine by=gradient", "soften by=gradient",
                            "prune by=reduced-error", "prune by=pessimistic"}) {
    EXPECT_TRUE(traits_of(std::string("grow | ") + stage).breaks_monotone) << stage;
  }
  for (const char* stage : {"prune", "prune by=pessimistic raise=no", "soften", "harden"}) {
    EXPECT_FALSE(traits_of(std::string("grow | ") + stage).breaks_monotone) << stage;
  }
}

TEST(StageTraits, TellWhichRowsPruningJudgesBy) {
  EXPECT_EQ(traits_of("grow | prune").unseen_rows, UnseenRows::useful);
  EXPECT_EQ(traits_of("grow | prune alpha=0.1").unseen_rows, UnseenRows::unused);
  EXPECT_EQ(traits_of("grow | prune by=reduced-error").unseen_rows, UnseenRows::needed);
  EXPECT_EQ(traits_of("grow | prune by=pessimistic").unseen_rows, UnseenRows::unused);
}

TEST(StageTraits, TellSoftTreesFromHardOnes) {
  EXPECT_TRUE(traits_of("grow-soft").makes_soft);
  EXPECT_TRUE(traits_of("grow | harden").makes_hard);
  EXPECT_TRUE(traits_of("grow | refine").on_soft.has_value());
  EXPECT_FALSE(traits_of("grow | refine by=gradient").on_soft.has_value());
}

TEST(StageTraits, NameTheStageInMessages) {
  EXPECT_EQ(label_of("grow"), "grow");
  EXPECT_EQ(label_of("grow | prune"), "prune");
  EXPECT_EQ(label_of("grow | prune by=reduced-error"), "prune by=reduced-error");
}

TEST(Stages, WordsOfOtherProgramsAreNotTheirOwn) {
  for (const Stage& stage : stages()) {
    for (const ForeignWord& word : stage.foreign_words) {
      const auto known =
          std::find_if(stage.options.begin(), stage.options.end(),
                       [&](const OptionSpec& spec) { return spec.name == word.option; });
      // A word for an option names none; a word for a value names an option, and none of its
      // values.
      EXPECT_EQ(known == stage.options.end(), word.value.empty()) << word.option;
      if (known == stage.options.end()) continue;
      EXPECT_EQ(std::count(known->choices.begin(), known->choices.end(), word.value), 0)
          << word.value;
    }
  }
}

}  // namespace
}  // namespace softwood
