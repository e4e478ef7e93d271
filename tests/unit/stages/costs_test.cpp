// Growing and pruning where wrong answers have costs.
#include <gtest/gtest.h>

#include "data/class_weights.h"
#include "softwood/error.h"
#include "stages/recipe.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/costs.h"

namespace softwood {
namespace {

Tree run(const Table& table, const std::string& recipe, const std::vector<double>& costs,
         int threads = 1) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  return run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1, false, costs}, Parallel(threads),
                    {})
      .tree;
}

Table random_rows(uint64_t seed, size_t classes, double missing = 0.1) {
  return test::random_table({.rows = 200,
                             .classes = classes,
                             .numeric = 3,
                             .nominal = 1,
                             .distinct = 12,
                             .missing = missing,
                             .noise = 0.3},
                            seed);
}

const std::vector<double> dear_second = {0, 1, 4, 0};
const std::vector<double> three = {0, 1, 2, 3, 0, 1, 2, 5, 0};

TEST(CostsInGrowing, AreAlteredPriorsWhileSumsStayCounts) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Table table = random_rows(seed, 2);
    const Tree tree = run(table, "grow max-depth=3 min-leaf=0", dear_second);
    const std::vector<double> factors =
        class_factors(table, all_rows(table), altered_weights(dear_second, 2));
    const Tree weighted = run(reweighted(table, factors), "grow max-depth=3 min-leaf=0", {});
    ASSERT_EQ(tree.size(), weighted.size());
    EXPECT_GT(tree.size(), 5U);
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      for (size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(tree.sums(i)[k], std::round(tree.sums(i)[k]));
        EXPECT_NEAR(tree.sums(i)[k] * factors[k], weighted.sums(i)[k], 1e-9);
      }
      if (tree.node(i).is_leaf()) continue;
      EXPECT_TRUE(tree.node(i).gate() == weighted.node(i).gate());
    }
  }
}

TEST(CostsInGrowing, OfOneEachAreNoCosts) {
  const Table table = random_rows(1, 3);
  const std::vector<double> equal = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  test::expect_same_tree(run(table, "grow", equal), run(table, "grow", {}));
}

class EveryCostlyRecipe : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Recipes, EveryCostlyRecipe,
                         testing::Values("grow", "grow search=binned", "grow missing=surrogate",
                                         "grow missing=fractional", "grow missing=impute",
                                         "grow criterion=gain-ratio", "grow | prune alpha=0.021",
                                         "grow | prune by=reduced-error",
                                         "grow | prune by=pessimistic raise=no",
                                         "grow criterion=gain-ratio missing=fractional min-leaf=2 "
                                         "| prune by=pessimistic raise=yes",
                                         "grow | prune by=impurity-merge epsilon=0.001",
                                         "grow | prune by=simplify"),
                         test::ByText());

TEST_P(EveryCostlyRecipe, KeepsCountsAndCosts) {
  const Table table = random_rows(2, 3);
  const Tree tree = run(table, GetParam(), three);
  EXPECT_EQ(tree.costs(), three);
  EXPECT_GT(tree.size(), 3U);
  double leaves = 0;
  for (NodeIndex i = 0; i < tree.size(); ++i) leaves += tree.node(i).is_leaf() ? tree.weight(i) : 0;
  EXPECT_NEAR(tree.weight(0), 200, 1e-9);
  EXPECT_NEAR(leaves, 200, 1e-9);
  EXPECT_EQ(test::text_of(run(table, GetParam(), three, 3), table.schema()),
            test::text_of(tree, table.schema()));
}

TEST_P(EveryCostlyRecipe, AnswersWithTheLeastExpectedCost) {
  const Table table = random_rows(3, 3);
  const Tree tree = run(table, GetParam(), three);
  const auto rows = all_rows(table);
  const Predictions predictions = predict(tree, table, rows, Parallel(1));
  const std::vector<uint32_t> classes = predict_classes(tree, table, rows, Parallel(1));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::span<const double> answer(&predictions.answers[3 * i], 3);
    EXPECT_EQ(classes[i], predictions.top_class(i));
    for (size_t other = 0; other < 3; ++other) {
      EXPECT_LE(cost_of_answer(answer, three, classes[i]),
                cost_of_answer(answer, three, other) * (1 + 1e-9));
    }
  }
}

TEST(CostsInGrowing, WeightTwoIsTheRowTwice) {
  const Table table = random_rows(4, 3);
  std::vector<double> weights(table.rows(), 1.0);
  std::vector<RowIndex> rows;
  for (RowIndex row = 0; row < table.rows(); ++row) {
    rows.push_back(row);
    if (row % 3 != 0) continue;
    weights[row] = 2;
    rows.push_back(row);
  }
  test::expect_same_division(run(test::with_weights(table, weights), "grow", three),
                             run(test::part_of(table, rows), "grow", three), 1e-12);
}

// Ten rows of the first class and two of the second on the left, five of the second on the right. A
// split of the left by the second input separates one of the two.
TEST(CostsInPruning, KeepASplitThatOnlyPaysByCost) {
  std::vector<double> x(17, 1), z(17, 1);
  std::vector<int32_t> y(17, 0);
  for (size_t i = 10; i < 17; ++i) y[i] = 1;
  for (size_t i = 12; i < 17; ++i) x[i] = 2;
  z[8] = z[9] = z[10] = z[11] = 2;  // on the left: 8 rows of the first class alone, and 2 to 2
  const Table table = test::classes_table({test::numbers(x), test::numbers(z)}, y);
  // By errors the left answers the first class with and without that split: 2 errors.
  EXPECT_EQ(shape_of(run(table, "grow | prune alpha=0", {})).leaves, 2U);
  // By costs 2 * 4 = 8 without it, and 2 with it, where 2 to 2 is answered as the second class.
  const Tree tree = run(table, "grow | prune alpha=0", dear_second);
  EXPECT_EQ(shape_of(tree).leaves, 3U);
  EXPECT_EQ(test::risk_of(tree), 2);
}

// The cut that costs want leaves two rows on the right, which weigh more than four without costs.
TEST(CostsInGrowing, LeaveMinLeafToCountRows) {
  std::vector<double> x(12, 1);
  std::vector<int32_t> y(12, 0), level(12, 0);
  x[10] = x[11] = 2;
  level[10] = level[11] = 1;
  y[10] = y[11] = 1;
  for (const Table& table :
       {test::classes_table({test::numbers(x)}, y), test::classes_table({test::codes(level)}, y)}) {
    for (const char* search : {"exact", "binned"}) {
      const std::string grow = std::string("grow search=") + search + " min-leaf=";
      EXPECT_EQ(run(table, grow + "2", dear_second).size(), 3U);
      EXPECT_EQ(run(table, grow + "3", dear_second).size(), 1U);
    }
  }
  const Table table = test::classes_table({test::numbers(x)}, y);
  for (const char* rule : {" monotone=x0:+", " criterion=gain-ratio", " missing=fractional"}) {
    EXPECT_EQ(run(table, std::string("grow min-leaf=2") + rule, dear_second).size(), 3U) << rule;
    EXPECT_EQ(run(table, std::string("grow min-leaf=3") + rule, dear_second).size(), 1U) << rule;
  }
}

// The rows without a value are two, and weigh more than three in the search.
TEST(CostsInGrowing, LeaveAChildOfMissingValuesToCountRows) {
  std::vector<double> x(12, 1);
  std::vector<int32_t> y(12, 0);
  for (size_t i = 5; i < 12; ++i) y[i] = 1;
  for (size_t i = 5; i < 10; ++i) x[i] = 2;
  x[10] = x[11] = missing_number;
  const Table table = test::classes_table({test::numbers(x)}, y);
  const std::vector<double> dear = {0, 1, 9, 0};
  EXPECT_EQ(run(table, "grow missing=separate min-leaf=2", dear).children(0), 3U);
  EXPECT_EQ(run(table, "grow missing=separate min-leaf=3", dear).children(0), 2U);
}

// Two rows of the dear class and six of the other: five cuts leave two rows on both sides. The
// search counts them as 16/7 and 4/7 rows, so that the entropy is that of shares 4/7 and 3/7.
TEST(CostsInGrowing, LeaveThePossibleCutsOfGainRatioToCountRows) {
  const Table table =
      test::classes_table({test::numbers({1, 2, 3, 4, 5, 6, 7, 8})}, {1, 1, 0, 0, 0, 0, 0, 0});
  const Tree tree = run(table, "grow criterion=gain-ratio min-leaf=2", dear_second);
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_NEAR(tree.node(0).notes().gain, 0.98523 - std::log2(5) / 8, 1e-5);
}

// A tenth of the mean weight of a class is 2.9 rows with 58 known ones, most of them cheap.
TEST(CostsInGrowing, LeaveTheLeastSideOfGainRatioToCountRows) {
  std::vector<double> x(98, missing_number);
  std::vector<int32_t> y(98, 1);
  for (size_t i = 0; i < 56; ++i) {
    x[i] = 1;
    y[i] = 0;
  }
  x[56] = x[57] = 2;
  const std::string recipe = "grow criterion=gain-ratio missing=fractional";
  EXPECT_EQ(run(test::classes_table({test::numbers(x)}, y), recipe, dear_second).size(), 1U);
  x[58] = 2;
  EXPECT_EQ(run(test::classes_table({test::numbers(x)}, y), recipe, dear_second).size(), 3U);
}

// On the left 20 rows to 1 and on the right 20 to 4: for errors both answer the first class, and
// the branch goes. With costs of 9 the right answers the second one.
TEST(CostsInPruning, CountForPessimisticAndImpurityPruning) {
  std::vector<double> x(45, 1);
  std::vector<int32_t> y(45, 0);
  for (size_t i = 21; i < 45; ++i) x[i] = 2;
  y[0] = y[21] = y[22] = y[23] = y[24] = 1;
  const Table table = test::classes_table({test::numbers(x)}, y);
  const std::vector<double> dear = {0, 1, 9, 0};
  for (const char* prune :
       {"grow | prune by=pessimistic", "grow | prune by=pessimistic raise=no"}) {
    EXPECT_EQ(run(table, prune, {}).size(), 1U) << prune;
    EXPECT_EQ(run(table, prune, dear).size(), 3U) << prune;
  }
  // Misclassification: nothing is lost by joining for errors.
  const std::string merge = "grow | prune by=impurity-merge impurity=misclassification";
  EXPECT_EQ(run(table, merge, {}).size(), 1U);
  EXPECT_EQ(run(table, merge, dear).size(), 3U);
  EXPECT_THROW(run(table, "grow | prune by=pessimistic global=yes", dear), Error);
}

TEST_P(EveryCostlyRecipe, GivesTheSameTreeInEveryUnitOfCosts) {
  const Table table = random_rows(5, 3);
  const Tree tree = run(table, GetParam(), three);
  for (const double unit : {1e-4, 1e4}) {
    std::vector<double> costs = three;
    for (double& cost : costs) cost *= unit;
    test::expect_same_division(run(table, GetParam(), costs), tree, 1e-12);
  }
}

}  // namespace
}  // namespace softwood
