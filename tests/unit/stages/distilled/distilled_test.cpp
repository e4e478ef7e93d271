// Hard trees that are distilled from an ensemble.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "stages/distilled/lessons.h"
#include "stages/recipe.h"
#include "support/iris.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/compiled.h"
#include "use/predict.h"

namespace softwood {
namespace {

Tree grown(const Table& table, const std::string& recipe, int threads = 2) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  return run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1}, Parallel(threads), {}).tree;
}

// Waves and much noise: a tree that is grown from few rows cuts by chance.
Table waves(size_t rows, uint64_t seed) {
  Random random(seed, "waves");
  std::vector<double> a(rows), b(rows), y(rows);
  for (size_t i = 0; i < rows; ++i) {
    a[i] = random.uniform();
    b[i] = random.uniform();
    y[i] = std::sin(9 * a[i]) + std::cos(7 * b[i]) + 4 * (random.uniform() - 0.5);
  }
  return test::numbers_table({test::numbers(a), test::numbers(b)}, y);
}

double squared_error(const Tree& tree, const Table& table) {
  const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
  double sum = 0;
  for (size_t i = 0; i < table.rows(); ++i) {
    const double gap = answers.answers[i] - table.target().numbers[i];
    sum += gap * gap / static_cast<double>(table.rows());
  }
  return sum;
}

TEST(Distilled, IsAHardTreeOfTheRowsThemselves) {
  const Table table = test::iris_table();
  const Tree tree = grown(table, "grow-distilled max-leaves=8");
  EXPECT_TRUE(is_canonical(tree));
  EXPECT_EQ(tree.weight(0), 150);
  EXPECT_LE(shape_of(tree).leaves, 8U);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf()) {
      EXPECT_TRUE(is_hard(tree.node(i).gate()));
      continue;
    }
    EXPECT_GT(tree.weight(i), 0);  // what no row reaches is left out
    ASSERT_TRUE(tree.node(i).model);
    EXPECT_TRUE(tree.node(i).model->terms.empty());
  }
}

TEST(Distilled, IsBetterThanATreeGrownFromFewRows) {
  const Table few = waves(200, 1), others = waves(2000, 2);
  EXPECT_LT(squared_error(grown(few, "grow-distilled max-leaves=64"), others),
            0.95 * squared_error(grown(few, "grow max-leaves=64 min-leaf=5"), others));
}

// The target depends on a sum, which steps along the axes need many leaves for.
TEST(Distilled, AsksForSumsWhereThatIsWanted) {
  const auto slope = [](size_t rows, uint64_t seed) {
    Random random(seed, "slope");
    std::vector<double> a(rows), b(rows), y(rows);
    for (size_t i = 0; i < rows; ++i) {
      a[i] = random.uniform();
      b[i] = random.uniform();
      y[i] = a[i] + b[i] + 0.2 * random.uniform();
    }
    return test::numbers_table({test::numbers(a), test::numbers(b)}, y);
  };
  const Table few = slope(300, 6), others = slope(2000, 7);
  const Tree oblique = grown(few, "grow-distilled split=oblique max-leaves=8");
  EXPECT_TRUE(is_hard(oblique.node(0).gate()));
  EXPECT_EQ(gate_features(oblique.node(0).gate()).size(), 2U);
  EXPECT_EQ(oblique.weight(0), 300);
  EXPECT_LT(squared_error(oblique, others),
            0.7 * squared_error(grown(few, "grow-distilled max-leaves=8"), others));
}

TEST(Distilled, IsTheSameOnAnyNumberOfThreads) {
  const Table table = waves(100, 3);
  const Tree one = grown(table, "grow-distilled", 1), three = grown(table, "grow-distilled", 3);
  const std::vector<RowIndex> rows = all_rows(table);
  EXPECT_EQ(predict(one, table, rows, Parallel(1)).answers,
            predict(three, table, rows, Parallel(1)).answers);
}

// Trees of other sizes, and their like on other rows, from one ensemble for each set of rows.
TEST(Distilled, LearnsTheSameFromLessonsThatAreShared) {
  const Table table = test::iris_table();
  const std::vector<std::string> recipes = {
      "grow-distilled max-leaves=4", "grow-distilled max-leaves=8 m=2",
      "grow-distilled max-leaves=8 missing=separate", "grow-distilled max-leaves=8 min-leaf=2",
      "grow-distilled max-leaves=4 | soften by=gradient"};
  const auto all_with = [&](Derived& derived) {
    const std::vector<RowIndex> rows = all_rows(table);
    const Parallel parallel(2);
    std::vector<std::string> texts(recipes.size());
    parallel.each(recipes.size(), [&](size_t i) {
      const Recipe recipe = Recipe::parse(recipes[i]);
      texts[i] = test::text_of(run_recipe(recipe, {derived, rows, {}, 1}, parallel, {}).tree,
                               table.schema());
    });
    return texts;
  };
  Derived one(table), other(table);
  const std::vector<std::string> alone = all_with(one);
  const SharedWork::Keeper keeper(other.shared_work());
  EXPECT_EQ(all_with(other), alone);
  EXPECT_LE(other.shared_work().made(), 2U);  // of all rows, and of those that soften learns from
  const size_t made = other.shared_work().made();
  EXPECT_EQ(all_with(other), alone);
  EXPECT_EQ(other.shared_work().made(), made);
}

// Of very many rows some teach; all are counted.
TEST(Distilled, LearnsFromSomeOfVeryManyRowsAndCountsAll) {
  const Table table = waves(52'000, 5);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const SharedWork::Keeper keeper(derived.shared_work());
  const Recipe recipe = Recipe::parse("grow-distilled max-leaves=4 folds=2");
  const Tree tree = run_recipe(recipe, {derived, rows, {}, 1}, Parallel(2), {}).tree;
  EXPECT_EQ(tree.weight(0), 52'000);
  const auto none = [] { return std::shared_ptr<distilled::Lessons>(); };
  const auto lessons =
      derived.shared_work().get<distilled::Lessons>("lessons of 2 parts, seed 1", rows, none);
  ASSERT_TRUE(lessons);
  EXPECT_NEAR(static_cast<double>(lessons->table.rows()), 100'000, 4);
}

TEST(Distilled, OfVeryFewRowsIsGrownFromThemAlone) {
  const Table table = waves(12, 4);
  EXPECT_EQ(grown(table, "grow-distilled").weight(0), 12);
}

}  // namespace
}  // namespace softwood
