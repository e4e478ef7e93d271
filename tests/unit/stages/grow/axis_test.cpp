// The search for thresholds, against one that looks at every cut from scratch.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/sorted.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

struct Best {
  double improvement = 0;
  double tolerance = 0;
};

double impurity(const Table& table, const std::vector<RowIndex>& rows, bool entropy) {
  double weight = 0;
  for (const RowIndex row : rows) weight += table.weight(row);
  if (!(weight > 0)) return 0;
  if (table.schema().task() == Task::regression) {
    double sum = 0, squares = 0;
    for (const RowIndex row : rows) sum += table.weight(row) * table.target().numbers[row];
    for (const RowIndex row : rows) {
      const double deviation = table.target().numbers[row] - sum / weight;
      squares += table.weight(row) * deviation * deviation;
    }
    return squares;
  }
  std::vector<double> counts(table.schema().classes());
  for (const RowIndex row : rows) {
    counts[static_cast<size_t>(table.target().codes[row])] += table.weight(row);
  }
  double sum = 0;
  for (const double n : counts) {
    if (n > 0) sum += entropy ? -n * std::log2(n / weight) : n * (1 - n / weight);
  }
  return sum;
}

double weight_of(const Table& table, const std::vector<RowIndex>& rows) {
  double weight = 0;
  for (const RowIndex row : rows) weight += table.weight(row);
  return weight;
}

// Every feature, every value as a cut, missing rows on either side: O(n^2).
double naive_best(const Table& table, double min_leaf, bool entropy) {
  const std::vector<RowIndex> rows = all_rows(table);
  const double whole = impurity(table, rows, entropy);
  double best = 0;
  for (size_t f = 0; f < table.features(); ++f) {
    const Column& column = table.input(f);
    for (const RowIndex at : rows) {
      if (column.is_missing(at)) continue;
      for (const bool missing_left : {false, true}) {
        std::vector<RowIndex> left, right;
        for (const RowIndex row : rows) {
          const bool goes_left =
              column.is_missing(row) ? missing_left : column.value(row) <= column.value(at);
          (goes_left ? left : right).push_back(row);
        }
        if (left.empty() || right.empty()) continue;
        if (weight_of(table, left) < min_leaf || weight_of(table, right) < min_leaf) continue;
        best = std::max(best,
                        whole - impurity(table, left, entropy) - impurity(table, right, entropy));
      }
    }
  }
  return best / weight_of(table, rows);
}

void expect_naive(const test::RandomTable& what, bool weighted, const std::string& recipe,
                  double min_leaf, bool entropy) {
  size_t splits = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Table table = test::random_table(what, seed);
    if (weighted) {
      Random random(seed, "weights");
      std::vector<double> weights(table.rows());
      for (double& weight : weights) weight = 0.25 * static_cast<double>(1 + random.below(8));
      table = test::with_weights(table, weights);
    }
    const Tree tree =
        test::run(table, recipe + " max-depth=1 min-leaf=" + std::to_string(min_leaf));
    const double best = naive_best(table, min_leaf, entropy);
    if (tree.node(0).is_leaf()) {
      EXPECT_NEAR(best, 0, 1e-9) << recipe << " seed " << seed;
      continue;
    }
    ++splits;
    ASSERT_NEAR(tree.node(0).notes().gain, best, 1e-9 * (1 + best)) << recipe << " seed " << seed;
    // What the note says is what the children's rows give.
    ASSERT_GE(tree.weight(1), min_leaf * (1 - 1e-9));
    ASSERT_GE(tree.weight(2), min_leaf * (1 - 1e-9));
  }
  EXPECT_GT(splits, 20U);
}

// Combinations of task and search, each over tables with ties, missing cells, weights, min-leaf.
struct Case {
  const char* recipe;
  size_t classes;
  bool entropy;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.recipe << ", " << c.classes << " classes";
}
class Threshold : public testing::TestWithParam<Case> {};

TEST_P(Threshold, IsTheBestOfAllCuts) {
  const Case& c = GetParam();
  test::RandomTable what{.rows = 60, .classes = c.classes, .nominal = 0, .ordinal = 1};
  expect_naive(what, false, c.recipe, 1, c.entropy);
  what.distinct = 0;
  expect_naive(what, false, c.recipe, 1, c.entropy);
}

TEST_P(Threshold, IsTheBestWithMissingValuesOnEitherSide) {
  const Case& c = GetParam();
  const test::RandomTable what{
      .rows = 60, .classes = c.classes, .nominal = 0, .ordinal = 1, .missing = 0.3};
  expect_naive(what, false, c.recipe, 1, c.entropy);
  expect_naive(what, false, c.recipe, 9, c.entropy);
}

TEST_P(Threshold, IsTheBestWithWeightsAndALeastWeight) {
  const Case& c = GetParam();
  const test::RandomTable what{
      .rows = 60, .classes = c.classes, .nominal = 0, .distinct = 7, .missing = 0.2};
  expect_naive(what, true, c.recipe, 1, c.entropy);
  expect_naive(what, true, c.recipe, 12, c.entropy);
}

INSTANTIATE_TEST_SUITE_P(
    Searches, Threshold,
    testing::Values(Case{"grow criterion=gini", 2, false}, Case{"grow criterion=gini", 4, false},
                    Case{"grow criterion=entropy", 2, true},
                    Case{"grow criterion=entropy", 4, true}, Case{"grow criterion=mse", 0, false},
                    Case{"grow search=binned", 2, false}, Case{"grow search=binned", 4, false},
                    Case{"grow search=binned criterion=entropy", 3, true},
                    Case{"grow search=binned", 0, false}),
    test::ByText());

TEST(ThresholdPlace, IsHalfwayBetweenNeighbours) {
  const Table table = test::classes_table({test::numbers({1, 2, 5, 9})}, {0, 0, 1, 1});
  EXPECT_EQ(test::cut_of(test::run(table, "grow"), 0), 3.5);
  EXPECT_EQ(test::cut_of(test::run(table, "grow search=binned"), 0), 3.5);
}

TEST(ThresholdPlace, NeverIsTheUpperValue) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double lows[] = {1.0,
                         -1.0,
                         0.1,
                         1e300,
                         -1e300,
                         0.0,
                         std::nextafter(1.0, 2.0),
                         std::numeric_limits<double>::denorm_min(),
                         std::nextafter(std::numeric_limits<double>::max(), 0.0)};
  for (const double low : lows) {
    const double high = std::nextafter(low, infinity);
    EXPECT_EQ(middle(low, high), low);
    const Table table = test::classes_table({test::numbers({low, high})}, {0, 1});
    for (const char* recipe : {"grow", "grow search=binned"}) {
      const Tree tree = test::run(table, recipe);
      ASSERT_EQ(tree.size(), 3U) << recipe << " " << low;
      EXPECT_EQ(test::cut_of(tree, 0), low);
      EXPECT_EQ(test::wrong_of(tree, table), 0) << recipe << " " << low;
    }
  }
}

TEST(ThresholdPlace, SurvivesTheLargestNumbers) {
  const double most = std::numeric_limits<double>::max();
  const Table table =
      test::classes_table({test::numbers({-most, most, -most, most})}, {0, 1, 0, 1});
  for (const char* recipe : {"grow", "grow search=binned"}) {
    const Tree tree = test::run(table, recipe);
    ASSERT_EQ(tree.size(), 3U) << recipe;
    EXPECT_EQ(test::cut_of(tree, 0), 0) << recipe;
    EXPECT_EQ(test::wrong_of(tree, table), 0) << recipe;
  }
}

TEST(ThresholdPlace, TreatsBothZerosAsOneValue) {
  const Table table = test::classes_table({test::numbers({-0.0, 0.0, -0.0, 0.0})}, {0, 1, 0, 1});
  EXPECT_EQ(test::run(table, "grow").size(), 1U);
  EXPECT_EQ(test::run(table, "grow search=binned").size(), 1U);
}

TEST(ThresholdPlace, ForMissingAgainstTheRestIsAboveAllValues) {
  const Table table =
      test::classes_table({test::numbers({3, missing_number, 1, missing_number})}, {0, 1, 0, 1});
  for (const char* recipe : {"grow", "grow search=binned"}) {
    const Tree tree = test::run(table, recipe);
    ASSERT_EQ(tree.size(), 3U);
    EXPECT_EQ(test::cut_of(tree, 0), above_all_values) << recipe;
    EXPECT_EQ(tree.node(0).missing().child, 1U) << recipe;
    EXPECT_EQ(test::wrong_of(tree, table), 0) << recipe;
  }
}

TEST(MissingSide, IsTheOneThatImprovesMore) {
  // Missing rows are of class 0, as the low values are; then of class 1.
  for (const int32_t klass : {0, 1}) {
    const Table table = test::classes_table(
        {test::numbers({1, 2, 3, 4, missing_number, missing_number})}, {0, 0, 1, 1, klass, klass});
    for (const char* recipe : {"grow", "grow search=binned"}) {
      const Tree tree = test::run(table, recipe);
      ASSERT_EQ(tree.size(), 3U);
      EXPECT_EQ(tree.node(0).missing().child, static_cast<uint32_t>(klass));
      EXPECT_EQ(test::cut_of(tree, 0), 2.5);
    }
  }
}

TEST(MissingSide, IsTheHeavierOneWhenNoneWereSeen) {
  const Table more_left = test::classes_table({test::numbers({1, 2, 3, 9})}, {0, 0, 0, 1});
  const Table more_right = test::classes_table({test::numbers({1, 7, 8, 9})}, {0, 1, 1, 1});
  for (const char* recipe : {"grow", "grow search=binned"}) {
    EXPECT_EQ(test::run(more_left, recipe).node(0).missing().child, 0U);
    EXPECT_EQ(test::run(more_right, recipe).node(0).missing().child, 1U);
  }
}

TEST(Bins, ThatHoldEveryValueGiveTheExactTree) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (const size_t classes : {0, 2, 4}) {
      const Table table = test::random_table({.rows = 400,
                                              .classes = classes,
                                              .numeric = 3,
                                              .ordinal = 1,
                                              .distinct = 30,
                                              .missing = 0.1},
                                             seed);
      const Tree exact = test::run(table, "grow"), binned = test::run(table, "grow search=binned");
      test::expect_same_division(exact, binned, 1e-9);
      // The root sees all values: the cut is the same number.
      EXPECT_EQ(exact.node(0).gate(), binned.node(0).gate());
    }
  }
}

TEST(Bins, ThatAreFewGiveATreeThatIsNearlyAsGood) {
  const Table table = test::random_table(
      {.rows = 4000, .classes = 2, .numeric = 4, .nominal = 0, .distinct = 0, .noise = 0.1}, 3);
  const double exact = test::wrong_of(test::run(table, "grow max-depth=6"), table);
  const double binned =
      test::wrong_of(test::run(table, "grow max-depth=6 search=binned bins=64"), table);
  const double two =
      test::wrong_of(test::run(table, "grow max-depth=6 search=binned bins=2"), table);
  EXPECT_LT(binned, 1.1 * exact);
  EXPECT_GT(two, binned);  // two bins: one cut per column, at its median
}

}  // namespace
}  // namespace softwood
