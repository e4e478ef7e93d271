// Growing: shapes of data that are easy to get wrong, limits, ties. Every test runs with the exact
// and with the binned search.
#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/iris.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::classes_table;
using test::codes;
using test::numbers;
using test::numbers_table;

class Growth : public testing::TestWithParam<const char*> {
 protected:
  static Tree grow(const Table& table, const std::string& options = "") {
    return test::run(table, std::string("grow search=") + GetParam() + " " + options);
  }
};
INSTANTIATE_TEST_SUITE_P(Search, Growth, testing::Values("exact", "binned"), test::ByText());

TEST_P(Growth, StopsAtABalancedXor) {
  // No single cut improves anything: parity is the worst case of greedy growth.
  const Table table = classes_table({numbers({0, 0, 1, 1}), numbers({0, 1, 0, 1})}, {0, 1, 1, 0});
  EXPECT_EQ(grow(table).size(), 1U);
  EXPECT_EQ(grow(table, "criterion=entropy").size(), 1U);
}

TEST_P(Growth, SolvesAnUnbalancedXor) {
  const Table table =
      classes_table({numbers({0, 0, 1, 1, 1}), numbers({0, 1, 0, 1, 1})}, {0, 1, 1, 0, 0});
  const Tree tree = grow(table);
  EXPECT_EQ(test::wrong_of(tree, table), 0);
  EXPECT_EQ(shape_of(tree).leaves, 4U);
}

TEST_P(Growth, IgnoresConstantColumns) {
  const Table table = classes_table({numbers({7, 7, 7, 7}), codes({1, 1, 1, 1}),
                                     codes({2, 2, 2, 2}, Kind::ordinal), numbers({1, 2, 3, 4})},
                                    {0, 0, 1, 1});
  const Tree tree = grow(table);
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(test::feature_of(tree, 0), 3U);
  const Table none = classes_table({numbers({7, 7, 7, 7}), codes({1, 1, 1, 1})}, {0, 0, 1, 1});
  EXPECT_EQ(grow(none).size(), 1U);
}

TEST_P(Growth, MakesALeafOfOneClassOfOneRowAndOfEqualTargets) {
  const Tree one_class = grow(classes_table({numbers({1, 2, 3})}, {1, 1, 1}));
  ASSERT_EQ(one_class.size(), 1U);
  EXPECT_EQ(test::sums_of(one_class, 0), (std::vector<double>{0, 3}));
  EXPECT_EQ(grow(classes_table({numbers({1})}, {0})).size(), 1U);
  const Tree equal = grow(numbers_table({numbers({1, 2, 3})}, {0.1, 0.1, 0.1}));
  ASSERT_EQ(equal.size(), 1U);
  EXPECT_DOUBLE_EQ(equal.mean(0), 0.1);
  const Tree one_row = grow(numbers_table({numbers({1})}, {5}));
  EXPECT_EQ(test::sums_of(one_row, 0), (std::vector<double>{1, 5, 0}));
}

TEST_P(Growth, MakesALeafWhenAllInputsAreMissingOrThereAreNone) {
  const double no = missing_number;
  EXPECT_EQ(grow(classes_table({numbers({no, no, no}), codes({-1, -1, -1})}, {0, 1, 1})).size(),
            1U);
  EXPECT_EQ(grow(classes_table({}, {0, 1, 1})).size(), 1U);
}

TEST_P(Growth, RefusesNoRowsAndNoWeight) {
  const Table table = classes_table({numbers({1, 2})}, {0, 1}, {0, 0});
  EXPECT_THROW(grow(table), Error);
  Derived derived(table);
  EXPECT_THROW(run_recipe(Recipe::parse(std::string("grow search=") + GetParam()),
                          {derived, {}, {}, 1}, Parallel(1), {}),
               Error);
}

TEST_P(Growth, NeverDividesEqualValues) {
  // 1000 rows with 3 values: at most 3 leaves, each with all rows of its values.
  std::vector<double> x;
  std::vector<int32_t> y;
  Random random(1, "ties");
  for (int i = 0; i < 1000; ++i) {
    x.push_back(i % 3);
    y.push_back(static_cast<int32_t>(random.below(10) < 3U + 2 * (i % 3)));
  }
  const Tree tree = grow(classes_table({numbers(x)}, y));
  EXPECT_EQ(shape_of(tree).leaves, 3U);
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) {
      EXPECT_NEAR(tree.weight(i), 333, 1);
    }
  }
}

TEST_P(Growth, DividesAThousandLevelsInOneQuestion) {
  std::vector<int32_t> level, klass;
  std::vector<double> number;
  for (int32_t i = 0; i < 3000; ++i) {
    level.push_back(i % 1000);
    klass.push_back(level.back() % 7 == 0 ? 1 : 0);
    number.push_back(level.back() % 7 == 0 ? 10 : -2);
  }
  const Tree two = grow(classes_table({codes(level)}, klass));
  EXPECT_EQ(two.size(), 3U);
  EXPECT_EQ(test::risk_of(two), 0);
  const Tree many = grow(classes_table({codes(level)}, klass), "nominal=multiway");
  EXPECT_EQ(many.size(), 1001U);
  EXPECT_EQ(test::risk_of(many), 0);
  const Tree regression = grow(numbers_table({codes(level)}, number));
  EXPECT_EQ(regression.size(), 3U);
  EXPECT_NEAR(test::risk_of(regression), 0, 1e-9);
  EXPECT_EQ(grow(numbers_table({codes(level)}, number), "nominal=multiway").size(), 1001U);
  // Three classes by the remainder: the order along the first component finds them in two cuts.
  for (size_t i = 0; i < klass.size(); ++i) klass[i] = level[i] % 3;
  const Tree three = grow(classes_table({codes(level)}, klass));
  EXPECT_EQ(shape_of(three).leaves, 3U);
  EXPECT_EQ(test::risk_of(three), 0);
}

TEST_P(Growth, CutsOrdinalInputsByTheirOrder) {
  // By order no cut separates codes 0 and 2 from 1; a nominal input would take one question.
  const std::vector<int32_t> cells = {0, 1, 2, 0, 1, 2, 2}, classes = {0, 1, 0, 0, 1, 0, 0};
  const Tree ordinal = grow(classes_table({codes(cells, Kind::ordinal)}, classes));
  EXPECT_EQ(shape_of(ordinal).leaves, 3U);
  EXPECT_TRUE(linear_form(ordinal.node(0).gate())->is_threshold());
  EXPECT_EQ(grow(classes_table({codes(cells)}, classes)).size(), 3U);
}

TEST_P(Growth, UsesWeights) {
  // Rows 0 and 1 share a value: the heavier one decides what the leaf answers.
  const Table table = classes_table({numbers({1, 1, 2, 2})}, {0, 1, 1, 1}, {0.5, 3, 1, 1});
  const Tree tree = grow(table);
  EXPECT_EQ(test::sums_of(tree, 0), (std::vector<double>{0.5, 5}));
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree.majority(1), 1U);
  // The weighted mean of 1 and 3 with weights 1 and 3: 10/4; deviations 1*2.25 + 3*.25 = 3.
  const Tree regression = grow(numbers_table({numbers({1, 1})}, {1, 3}, {1, 3}));
  EXPECT_EQ(test::sums_of(regression, 0), (std::vector<double>{4, 2.5, 3}));
}

TEST_P(Growth, StopsAtTheDepthLimit) {
  const Table table =
      test::random_table({.rows = 500, .classes = 3, .distinct = 0, .noise = 0.5}, 1);
  for (const size_t depth : {0, 1, 3, 5}) {
    const Tree tree = grow(table, "max-depth=" + std::to_string(depth));
    EXPECT_EQ(shape_of(tree).depth, depth);
  }
  EXPECT_GT(shape_of(grow(table)).depth, 5U);
}

TEST_P(Growth, KeepsTheLeastWeightOfALeafAndOfASplit) {
  for (const size_t classes : {0, 2, 3}) {
    const Table table = test::random_table(
        {.rows = 500, .classes = classes, .distinct = 0, .missing = 0.1, .noise = 0.5}, 2);
    const Tree leaf = grow(table, "min-leaf=20"), split = grow(table, "min-split=50");
    for (NodeIndex i = 0; i < leaf.size(); ++i) EXPECT_GE(leaf.weight(i), 20);
    bool small_leaf = false;
    for (NodeIndex i = 0; i < split.size(); ++i) {
      if (!split.node(i).is_leaf()) {
        EXPECT_GE(split.weight(i), 50);
      }
      small_leaf = small_leaf || split.weight(i) < 20;
    }
    EXPECT_TRUE(small_leaf);  // min-split alone allows small leaves
    EXPECT_GT(leaf.size(), 10U);
  }
}

TEST_P(Growth, WithoutALeastWeightMakesNoEmptyLeaves) {
  for (const size_t classes : {0, 2, 3}) {
    for (const char* nominal : {"", " nominal=multiway"}) {
      Table table = test::random_table(
          {.rows = 200, .classes = classes, .distinct = 0, .missing = 0.1, .noise = 0.5}, 2);
      std::vector<double> weights(table.rows());
      for (size_t i = 0; i < weights.size(); ++i) weights[i] = 0.1 * static_cast<double>(1 + i % 3);
      table = test::with_weights(table, weights);
      const Tree tree = grow(table, std::string("min-leaf=0 min-split=0") + nominal);
      EXPECT_GT(tree.size(), 50U);
      for (NodeIndex i = 0; i < tree.size(); ++i) EXPECT_GE(tree.weight(i), 0.1 * (1 - 1e-9));
    }
  }
}

TEST_P(Growth, CountsTheLeastWeightsAsAtLeast) {
  const Table table = classes_table({numbers({1, 2, 3, 4})}, {0, 0, 1, 1});
  EXPECT_EQ(grow(table, "min-split=4").size(), 3U);
  EXPECT_EQ(grow(table, "min-split=4.1").size(), 1U);
  EXPECT_EQ(grow(table, "min-leaf=2").size(), 3U);
  EXPECT_EQ(grow(table, "min-leaf=2.1").size(), 1U);
}

TEST_P(Growth, MakesOnlySplitsThatDecreaseEnough) {
  // Gini: 0.5 to 0: a decrease of 0.5.
  const Table table = classes_table({numbers({1, 2, 3, 4})}, {0, 0, 1, 1});
  EXPECT_EQ(grow(table, "min-decrease=0.5").size(), 3U);
  EXPECT_EQ(grow(table, "min-decrease=0.501").size(), 1U);
  // Squared error of 0 0 2 2: variance 1 to 0.
  const Table line = numbers_table({numbers({1, 2, 3, 4})}, {0, 0, 2, 2});
  EXPECT_EQ(grow(line, "min-decrease=1").size(), 3U);
  EXPECT_EQ(grow(line, "min-decrease=1.001").size(), 1U);
}

TEST_P(Growth, MakesExactlyAsManyLeavesAsAskedFor) {
  for (const size_t classes : {0, 2, 3}) {
    const Table table =
        test::random_table({.rows = 400, .classes = classes, .distinct = 0, .noise = 0.5}, 3);
    for (const size_t leaves : {1, 2, 3, 7, 20}) {
      EXPECT_EQ(shape_of(grow(table, "max-leaves=" + std::to_string(leaves))).leaves, leaves);
    }
    // More than there can be: as without a limit.
    test::expect_same_tree(grow(table, "max-leaves=100000"), grow(table), 1e-12);
  }
}

TEST_P(Growth, SplitsTheLeafThatImprovesMostFirst) {
  // x <= 2.5 takes the large jump, then the pair 0/4 is worth 8, the pair 100/101 only 0.5.
  const Table table = numbers_table({numbers({1, 2, 3, 4})}, {0, 4, 100, 101});
  const Tree tree = grow(table, "max-leaves=3");
  ASSERT_EQ(tree.size(), 5U);
  EXPECT_FALSE(tree.node(1).is_leaf());
  EXPECT_TRUE(tree.node(2).is_leaf());
}

TEST_P(Growth, GivesNestedTreesForMoreLeaves) {
  const Table table =
      test::random_table({.rows = 400, .classes = 3, .distinct = 0, .noise = 0.5}, 4);
  double risk = table.rows();
  for (size_t leaves = 1; leaves < 15; ++leaves) {
    const Tree small = grow(table, "max-leaves=" + std::to_string(leaves));
    const Tree large = grow(table, "max-leaves=" + std::to_string(leaves + 1));
    // Walk both: wherever the smaller one asks, the larger one asks the same.
    std::vector<std::pair<NodeIndex, NodeIndex>> open = {{0, 0}};
    size_t more = 0;
    while (!open.empty()) {
      const auto [a, b] = open.back();
      open.pop_back();
      if (small.node(a).is_leaf()) {
        more += large.node(b).is_leaf() ? 0 : 1;
        continue;
      }
      ASSERT_EQ(small.node(a).gate(), large.node(b).gate());
      for (uint32_t c = 0; c < small.children(a); ++c) {
        open.emplace_back(small.node(a).first_child + c, large.node(b).first_child + c);
      }
    }
    EXPECT_EQ(more, 1U);
    EXPECT_LE(test::risk_of(large), risk);
    risk = test::risk_of(large);
  }
}

TEST_P(Growth, LeavesOutMultiwaySplitsThatDoNotFit) {
  // The nominal input has 4 levels and separates best; the number fits into 2 leaves.
  const Table table =
      classes_table({codes({0, 1, 2, 3, 0, 1, 2, 3}), numbers({1, 1, 1, 2, 1, 2, 2, 2})},
                    {0, 0, 1, 1, 0, 0, 1, 1});
  EXPECT_EQ(shape_of(grow(table, "nominal=multiway max-leaves=4")).leaves, 4U);
  EXPECT_LE(shape_of(grow(table, "nominal=multiway max-leaves=3")).leaves, 3U);
}

TEST_P(Growth, BreaksTiesByColumnThenByThreshold) {
  // Columns 1 and 2 separate equally well, 0 does not; the mirror image counts the same.
  const Table table = classes_table(
      {numbers({1, 1, 1, 2}), numbers({1, 2, 3, 4}), numbers({4, 3, 2, 1})}, {0, 0, 1, 1});
  EXPECT_EQ(test::feature_of(grow(table), 0), 1U);
  // 0 1 1 0: cuts at 1.5 and at 3.5 are worth the same.
  const Table mirror = classes_table({numbers({1, 2, 3, 4})}, {0, 1, 1, 0});
  for (const char* criterion : {"gini", "entropy"}) {
    const Tree tree = grow(mirror, std::string("criterion=") + criterion);
    EXPECT_EQ(test::cut_of(tree, 0), 1.5) << criterion;
  }
  const Table line = numbers_table({numbers({1, 2, 3, 4})}, {0, 1, 1, 0});
  EXPECT_EQ(test::cut_of(grow(line), 0), 1.5);
}

TEST_P(Growth, NeedsNoSeed) {
  const Table table = test::random_table({.rows = 300, .classes = 3, .missing = 0.1}, 5);
  const std::string recipe = std::string("grow search=") + GetParam();
  EXPECT_EQ(test::text_of(test::run(table, recipe, Parallel(1), 1), table.schema()),
            test::text_of(test::run(table, recipe, Parallel(1), 99), table.schema()));
}

TEST_P(Growth, OnSomeRowsIsGrowthOnATableOfTheseRows) {
  for (const size_t classes : {0, 3}) {
    const Table table = test::random_table(
        {.rows = 300, .classes = classes, .ordinal = 1, .distinct = 0, .missing = 0.1}, 6);
    std::vector<RowIndex> rows;
    for (RowIndex row = 0; row < 300; ++row) {
      if (row % 3 != 1) rows.push_back(row);
    }
    for (const char* nominal : {" nominal=subset", " nominal=multiway"}) {
      const Recipe recipe = Recipe::parse(std::string("grow search=") + GetParam() + nominal);
      Derived derived(table);
      const Tree part = run_recipe(recipe, {derived, rows, {}, 1}, Parallel(1), {}).tree;
      const Tree own = test::run(test::part_of(table, rows), recipe.text());
      EXPECT_EQ(test::text_of(part, table.schema()), test::text_of(own, table.schema()));
      EXPECT_GT(own.size(), 20U);
    }
  }
}

TEST_P(Growth, DoesNotDependOnTheOrderOfTheRows) {
  const Table table = test::random_table({.rows = 300, .classes = 3, .missing = 0.1}, 7);
  std::vector<RowIndex> rows = all_rows(table);
  Random(1, "order").shuffle(rows);
  test::expect_same_tree(grow(test::part_of(table, rows)), grow(table));
}

TEST_P(Growth, SeparatesAllRowsThatCanBeSeparated) {
  for (const size_t classes : {0, 2, 5}) {
    const Table table = test::random_table(
        {.rows = 500, .classes = classes, .numeric = 3, .distinct = 0, .noise = 1}, 8);
    EXPECT_NEAR(test::risk_of(grow(table)), 0, 1e-9);
  }
}

TEST_P(Growth, CountsTheSumsOfEveryNodeFromItsOwnRows) {
  // Every row that ends in a leaf by prediction was counted there: missing values included.
  for (const size_t classes : {0, 3}) {
    for (const char* nominal : {"nominal=subset", "nominal=multiway"}) {
      const Table table = test::random_table(
          {.rows = 600, .classes = classes, .nominal = 2, .ordinal = 1, .missing = 0.15}, 9);
      const Tree tree = grow(table, nominal);
      const auto rows = all_rows(table);
      const auto ends = predict_nodes(tree, table, rows, Parallel(1));
      std::vector<double> weight(tree.size()), sum(tree.size());
      for (const RowIndex row : rows) {
        weight[ends[row]] += 1;
        if (classes == 0) sum[ends[row]] += table.target().numbers[row];
      }
      for (NodeIndex i = 0; i < tree.size(); ++i) {
        if (!tree.node(i).is_leaf()) continue;
        EXPECT_EQ(tree.weight(i), weight[i]) << nominal << " node " << i;
        if (classes == 0) {
          EXPECT_NEAR(tree.mean(i), sum[i] / weight[i], 1e-9);
        }
      }
      if (classes > 0) {
        EXPECT_EQ(test::wrong_of(tree, table), test::risk_of(tree));
      }
    }
  }
}

TEST_P(Growth, OfLargeOffsetsKeepsTheDigits) {
  // A target around 1e9 with steps of 1: differences must not drown.
  const Table table =
      numbers_table({numbers({1, 2, 3, 4, 5, 6})}, {1e9, 1e9, 1e9 + 1, 1e9 + 1, 1e9 + 3, 1e9 + 3});
  const Tree tree = grow(table);
  EXPECT_EQ(shape_of(tree).leaves, 3U);
  EXPECT_NEAR(test::risk_of(tree), 0, 1e-6);
}

TEST(GrowthErrors, NameTheCriteriaThatFitTheTask) {
  const Table classes = classes_table({numbers({1, 2})}, {0, 1});
  const Table line = numbers_table({numbers({1, 2})}, {0, 1});
  for (const auto& [table, criterion] :
       {std::pair{&classes, "mse"}, std::pair{&line, "gini"}, std::pair{&line, "entropy"}}) {
    try {
      test::run(*table, std::string("grow criterion=") + criterion);
      FAIL() << criterion;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(error.text().find(criterion), std::string::npos);
      EXPECT_NE(error.hint().find(table == &line ? "mse" : "gini"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace softwood
