// Trees with random cuts, and what many of them answer together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "softwood/error.h"
#include "stages/soft/hard_trees.h"
#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"
#include "use/predict.h"

namespace softwood {
namespace {

using test::classes_table;
using test::codes;
using test::numbers;
using test::numbers_table;

// Geurts et al. 2006, table 1, "Pick a random split": drawn evenly between the least and the
// largest value, whatever lies between them.
TEST(RandomCuts, AreDrawnEvenlyBetweenTheLeastAndTheLargestValue) {
  const Table table = numbers_table({numbers({0, 1, 10})}, {0, 5, 9});
  constexpr int draws = 2000;
  int low = 0;
  double sum = 0;
  for (uint64_t seed = 0; seed < draws; ++seed) {
    const Tree tree = test::run(table, "grow split=random max-depth=1", Parallel(1), seed);
    const double cut = test::cut_of(tree, 0);
    ASSERT_GE(cut, 0);
    ASSERT_LT(cut, 10);
    sum += cut;
    low += cut < 1 ? 1 : 0;
    EXPECT_EQ(tree.weight(1), cut < 1 ? 1 : 2);
  }
  EXPECT_NEAR(low, draws * 0.1, 4 * std::sqrt(draws * 0.1 * 0.9));
  EXPECT_NEAR(sum / draws, 5, 4 * 10 / std::sqrt(12.0 * draws));
}

// The first input divides the classes wherever it is cut, the second nowhere.
TEST(RandomCuts, TheBestOfTheInputsIsTaken) {
  const Table table = classes_table({numbers({0, 0, 1, 1}), numbers({0, 1, 0, 1})}, {0, 0, 1, 1});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Tree tree = test::run(table, "grow split=random inputs-tried=2", Parallel(1), seed);
    EXPECT_EQ(test::feature_of(tree, 0), 0U);
    EXPECT_EQ(tree.size(), 3U);
  }
}

TEST(RandomCuts, AnInputThatIsTriedAloneIsAnyOfThem) {
  const Table table = classes_table({numbers({0, 0, 1, 1}), numbers({0, 1, 1, 0})}, {0, 1, 1, 1});
  std::set<uint32_t> features;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    features.insert(test::feature_of(
        test::run(table, "grow split=random inputs-tried=1", Parallel(1), seed), 0));
  }
  EXPECT_EQ(features.size(), 2U);
}

TEST(RandomCuts, ConstantInputsAreNotCountedAsTried) {
  const Table table = classes_table({numbers({3, 3, 3, 3}), numbers({0, 0, 1, 1})}, {0, 0, 1, 1});
  for (uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(test::run(table, "grow split=random inputs-tried=1", Parallel(1), seed).size(), 3U);
  }
}

TEST(RandomCuts, LevelsAreOnBothSides) {
  const Table table = numbers_table({codes({0, 1, 2, 0, 1, 2})}, {0, 4, 9, 1, 5, 20});
  std::set<std::vector<int32_t>> divisions;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Tree tree = test::run(table, "grow split=random max-depth=1", Parallel(1), seed);
    ASSERT_EQ(tree.size(), 3U);
    const auto& gate = *level_map(tree.node(0).gate());
    divisions.insert({gate.child_of_level.begin(), gate.child_of_level.end()});
  }
  // One of three levels alone, on either side.
  EXPECT_EQ(divisions.size(), 6U);
}

TEST(RandomCuts, KeepTheLimitsAndDoNotDependOnThreads) {
  const Table table =
      test::random_table({.rows = 3000, .numeric = 20, .nominal = 2, .missing = 0.1}, 3);
  const auto text = [&](const Tree& tree) { return test::text_of(tree, table.schema()); };
  for (const char* recipe :
       {"grow split=random min-leaf=7", "grow split=random missing=impute",
        "grow split=random missing=fractional max-depth=5",
        "grow split=random missing=surrogate max-depth=5", "grow split=random max-leaves=9"}) {
    const Tree tree = test::run(table, recipe);
    EXPECT_EQ(text(tree), text(test::run(table, recipe, Parallel(2)))) << recipe;
    EXPECT_GT(tree.size(), 3U) << recipe;
    if (std::string(recipe).find("min-leaf") == std::string::npos) continue;
    for (NodeIndex i = 0; i < tree.size(); ++i) EXPECT_GE(tree.weight(i), 7);
  }
  EXPECT_NE(text(test::run(table, "grow split=random")),
            text(test::run(table, "grow split=random", Parallel(1), 2)));
}

TEST(RandomCuts, ServeEveryCriterion) {
  const Table classes = test::random_table({.rows = 300, .classes = 3, .nominal = 2}, 6);
  for (const char* criterion : {"gini", "entropy", "misclassification", "twoing", "chi-square"}) {
    EXPECT_GT(test::run(classes, fmt::format("grow split=random criterion={}", criterion)).size(),
              20U)
        << criterion;
  }
  std::vector<double> x, y;
  for (int i = 0; i < 300; ++i) {
    x.push_back(i);
    y.push_back(i + i * 7 % 31);
  }
  const Table counts = numbers_table({numbers(x)}, y);
  for (const char* criterion : {"mse", "mae", "poisson"}) {
    EXPECT_GT(test::run(counts, fmt::format("grow split=random criterion={}", criterion)).size(),
              20U)
        << criterion;
  }
}

TEST(RandomCuts, RefuseWhatHasNoEffectOnThem) {
  const Table table = test::random_table({.rows = 50}, 3);
  for (const char* option : {"missing=learned", "missing=separate", "nominal=multiway",
                             "criterion=gain-ratio", "threshold=data-point", "competitors=2",
                             "feature-costs=x0:2", "monotone=x0:+", "search=binned"}) {
    EXPECT_THROW(test::run(table, fmt::format("grow split=random {}", option)), Error) << option;
  }
}

TEST(RandomCuts, ARowOfWeightTwoIsTheRowTwice) {
  for (const size_t classes : {0, 3}) {
    const Table table =
        test::random_table({.rows = 150, .classes = classes, .nominal = 2, .missing = 0.1}, 9);
    std::vector<double> weights;
    std::vector<RowIndex> twice;
    for (RowIndex i = 0; i < table.rows(); ++i) {
      weights.push_back(i % 3 == 0 ? 2 : 1);
      twice.push_back(i);
      if (i % 3 == 0) twice.push_back(i);
    }
    test::expect_same_tree(
        test::run(test::with_weights(table, weights), "grow split=random min-leaf=2"),
        test::run(test::part_of(table, twice), "grow split=random min-leaf=2"), 1e-9);
  }
}

TEST(RandomTrees, AnswerInTheMean) {
  const Table table = test::random_table({.rows = 200, .classes = 3, .noise = 0}, 5);
  const std::vector<RowIndex> rows = all_rows(table);
  const Sample all{&table, rows};
  Derived derived(table);
  const auto ask = [&](int threads, uint64_t seed) {
    return soft::answers_of_random_trees(derived, {&all, 1}, {&all, 1}, seed, Parallel(threads),
                                         {});
  };
  const std::vector<double> answers = ask(1, 1);
  ASSERT_EQ(answers.size(), 3U * 200);
  size_t right = 0;
  for (size_t i = 0; i < 200; ++i) {
    const double* const own = &answers[3 * i];
    EXPECT_NEAR(own[0] + own[1] + own[2], 1, 1e-12);
    right += own[table.target().codes[i]] > 0.5 ? 1U : 0U;
  }
  EXPECT_GT(right, 180U);
  EXPECT_EQ(answers, ask(2, 1));
  EXPECT_NE(answers, ask(1, 2));
}

// A mean of trees knows more than one of them: half of the rows of a line tell the others.
TEST(RandomTrees, AnswerBetterThanOneOfThem) {
  std::vector<double> x, y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(i);
    y.push_back(i);
  }
  const Table table = numbers_table({numbers(x)}, y);
  std::vector<RowIndex> even, odd;
  for (RowIndex i = 0; i < 198; ++i) (i % 2 == 0 ? even : odd).push_back(i);
  Derived derived(table);
  const Sample known{&table, even}, asked{&table, odd};
  const auto squares = [&](std::span<const double> answers) {
    double sum = 0;
    for (size_t i = 0; i < odd.size(); ++i)
      sum += (answers[i] - y[odd[i]]) * (answers[i] - y[odd[i]]);
    return sum;
  };
  const Trained one = run_recipe(Recipe::parse("grow split=random min-split=5"),
                                 {derived, even, std::nullopt}, Parallel(1), {});
  const std::vector<double> together =
      soft::answers_of_random_trees(derived, {&known, 1}, {&asked, 1}, 1, Parallel(1), {});
  EXPECT_LT(squares(together), squares(predict(one.tree, table, odd, Parallel(1)).answers) / 2);
}

}  // namespace
}  // namespace softwood
