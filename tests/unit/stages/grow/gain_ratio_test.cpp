// C4.5's choice of a split, fractional rows and cuts at data points, by Quinlan's numbers.
#include "stages/grow/gain_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/generate.h"
#include "softwood/error.h"
#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"
#include "use/predict.h"

namespace softwood {
namespace {

constexpr double no = missing_number;
const std::string c45_growth =
    "grow criterion=gain-ratio missing=fractional nominal=every-level cut-at=data-point "
    "min-leaf=2";

enum Outlook { sunny, overcast, rain };

// Quinlan 1993, table 1.1 (play or don't play); class 1 is play.
const std::vector<int32_t> outlook = {sunny, sunny, overcast, rain,  rain,     rain,     overcast,
                                      sunny, sunny, rain,     sunny, overcast, overcast, rain};
const std::vector<int32_t> play = {0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0};
const std::vector<int32_t> windy = {0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1};
const std::vector<double> temperature = {85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71};
const std::vector<double> humidity = {85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91};

Table golf(const std::vector<int32_t>& outlooks = outlook) {
  return test::classes_table({test::codes(outlooks), test::numbers(temperature),
                              test::numbers(humidity), test::codes(windy)},
                             play);
}

// Gain of the split by one nominal column.
double gain(const std::vector<int32_t>& column, const std::string& options) {
  const Table table = test::classes_table({test::codes(column)}, play);
  return test::run(table, "grow nominal=every-level max-depth=1 " + options).node(0).notes().gain;
}

TEST(InformationGain, HasTheClassicalValuesOfTheGolfData) {
  const std::vector<int32_t> hot_mild_cool = {0, 0, 0, 1, 2, 2, 2, 1, 2, 1, 1, 1, 0, 1};
  const std::vector<int32_t> high = {1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1};
  EXPECT_NEAR(gain(outlook, "criterion=entropy"), 0.247, 5e-4);
  EXPECT_NEAR(gain(hot_mild_cool, "criterion=entropy"), 0.029, 5e-4);
  EXPECT_NEAR(gain(high, "criterion=entropy"), 0.152, 5e-4);
  EXPECT_NEAR(gain(windy, "criterion=entropy"), 0.048, 5e-4);
  // One feature alone is always of average gain, so the same split is made.
  EXPECT_NEAR(gain(outlook, "criterion=gain-ratio"), 0.247, 5e-4);
}

TEST(SplitInformation, HasTheValuesOfQuinlansBook) {
  const std::vector<double> parts = {5, 4, 5}, without_one = {5, 3, 5};
  EXPECT_NEAR(grow::split_information(parts, 14), 1.577, 5e-4);
  EXPECT_NEAR(0.247 / grow::split_information(parts, 14), 0.156, 1e-3);
  // Section 3.1: one of the values is unknown and is one more part.
  EXPECT_NEAR(grow::split_information(without_one, 14), 1.809, 5e-4);
}

TEST(LeastSide, IsATenthOfAClassBetweenMinLeafAndTwentyFive) {
  EXPECT_EQ(grow::least_side(20, 2, 2), 2);
  EXPECT_EQ(grow::least_side(100, 2, 2), 5);
  EXPECT_EQ(grow::least_side(10000, 2, 2), 25);
  EXPECT_EQ(grow::least_side(10000, 2, 40), 40);
}

TEST(GainRatio, GrowsTheGolfTreeOfQuinlansBook) {
  const Tree tree = test::run(golf(), c45_growth);
  ASSERT_EQ(tree.size(), 8U);
  EXPECT_EQ(test::feature_of(tree, 0), 0U);
  EXPECT_NEAR(tree.node(0).notes().gain, 0.247, 5e-4);
  EXPECT_EQ(test::feature_of(tree, 1), 2U);
  EXPECT_EQ(test::cut_of(tree, 1), 75) << "of all rows the largest value not above 77.5";
  EXPECT_EQ(test::sums_of(tree, 2), (std::vector<double>{0, 4}));
  EXPECT_EQ(test::feature_of(tree, 3), 3U);
}

// Section 3.2 of the book: the outlook of the twelfth case is unknown.
Table golf_with_unknown_outlook() {
  std::vector<int32_t> cells = outlook;
  cells[11] = missing_code;
  return golf(cells);
}

TEST(FractionalRows, GrowTheTreeOfQuinlansBook) {
  const Tree tree = test::run(golf_with_unknown_outlook(), c45_growth);
  ASSERT_EQ(tree.size(), 8U);
  EXPECT_NEAR(tree.node(0).notes().gain, 0.199, 5e-4);
  EXPECT_EQ(tree.node(0).missing().rule, MissingRule::shares);
  EXPECT_EQ(tree.node(0).missing().weight, 1);
  const double thirteenth = 1.0 / 13;
  EXPECT_NEAR(tree.node(0).missing().shares[sunny], 5 * thirteenth, 1e-12);
  EXPECT_NEAR(tree.node(0).missing().shares[overcast], 3 * thirteenth, 1e-12);
  const auto expect_leaf = [&](NodeIndex node, double dont, double do_play) {
    EXPECT_TRUE(tree.node(node).is_leaf());
    EXPECT_NEAR(tree.sums(node)[0], dont, 1e-12);
    EXPECT_NEAR(tree.sums(node)[1], do_play, 1e-12);
  };
  expect_leaf(2, 0, 3 + 3 * thirteenth);  // overcast: Play (3.2)
  EXPECT_EQ(test::cut_of(tree, 1), 75);
  expect_leaf(4, 0, 2);               // sunny, humidity <= 75: Play (2.0)
  expect_leaf(5, 3, 5 * thirteenth);  // sunny, humidity > 75: Don't Play (3.4/0.4)
  expect_leaf(6, 0, 3);               // rain, windy = false: Play (3.0)
  expect_leaf(7, 2, 5 * thirteenth);  // rain, windy = true: Don't Play (2.4/0.4)
}

TEST(FractionalRows, AnswerAsInQuinlansBook) {
  const Tree tree = test::run(golf_with_unknown_outlook(), c45_growth);
  // Sunny, temperature 70, humidity unknown, not windy: Play 44 %.
  const Table unknown = test::classes_table(
      {test::codes({sunny}), test::numbers({70}), test::numbers({no}), test::codes({0})}, {1});
  const Predictions answer = predict(tree, unknown, all_rows(unknown), Parallel(1));
  EXPECT_NEAR(answer.answers[1], 0.44, 5e-3);
}

TEST(FractionalRows, TakeARowOfWeightTwoAsTwoRows) {
  for (uint64_t seed = 1; seed < 8; ++seed) {
    const Table table = test::random_table(
        {.rows = 100, .classes = 3, .numeric = 3, .nominal = 2, .missing = 0.3}, seed);
    std::vector<double> weights;
    std::vector<RowIndex> twice;
    for (const RowIndex row : all_rows(table)) {
      weights.push_back(row % 3 == 0 ? 2 : 1);
      twice.insert(twice.end(), row % 3 == 0 ? 2 : 1, row);
    }
    for (const std::string& recipe :
         {c45_growth, std::string("grow missing=fractional"), find_method("c45").recipe}) {
      SCOPED_TRACE(recipe);
      const Tree once = test::run(test::with_weights(table, weights), recipe);
      const Tree doubled = test::run(test::part_of(table, twice), recipe);
      test::expect_same_division(once, doubled, 1e-9);
    }
  }
}

TEST(FractionalRows, KeepTheWeightOfEveryNode) {
  for (uint64_t seed = 1; seed < 6; ++seed) {
    for (const size_t classes : {0, 2, 4}) {
      const Table table = test::random_table(
          {.rows = 150, .classes = classes, .numeric = 2, .nominal = 2, .missing = 0.3}, seed);
      const Tree tree = test::run(table, "grow missing=fractional nominal=multiway");
      EXPECT_GT(tree.size(), 10U);
      for (NodeIndex i = 0; i < tree.size(); ++i) {
        if (tree.node(i).is_leaf()) continue;
        double sum = 0, known = 0;
        for (uint32_t c = 0; c < tree.children(i); ++c) {
          sum += tree.weight(tree.node(i).first_child + c);
        }
        EXPECT_NEAR(sum, tree.weight(i), 1e-9);
        for (uint32_t c = 0; c < tree.children(i); ++c) {
          const double share = tree.node(i).missing().shares[c];
          known += share;
          EXPECT_NEAR(tree.weight(tree.node(i).first_child + c), share * sum, 1e-9)
              << "missing rows do not change the proportions";
        }
        EXPECT_NEAR(known, 1, 1e-12);
      }
    }
  }
}

TEST(FractionalRows, ChangeNothingWhereNothingIsMissing) {
  const Table table = test::random_table({.rows = 200, .classes = 3, .numeric = 3}, 3);
  test::expect_same_division(test::run(table, "grow missing=fractional"),
                             test::run(table, "grow missing=majority"));
}

// Rows with a level of their own each, and a number, and some rows without a level.
Table many_levels(size_t levels, size_t missing) {
  std::vector<int32_t> level, classes;
  std::vector<double> number;
  for (size_t i = 0; i < 2 * levels + missing; ++i) {
    level.push_back(i < 2 * levels ? static_cast<int32_t>(i % levels) : -1);
    number.push_back(static_cast<double>(i * 7 % 11));
    classes.push_back(static_cast<int32_t>(i / 2 % 2));
  }
  return test::classes_table({test::codes(level), test::numbers(number)}, classes);
}

// By passes over all rows for each branch this would take minutes.
TEST(FractionalRows, AreDividedAmongManyBranches) {
  const Table table = many_levels(50000, 20);
  const Tree tree =
      test::run(table, "grow missing=fractional nominal=multiway criterion=entropy max-depth=2");
  EXPECT_EQ(tree.children(0), 50000U);
  double sum = 0;
  for (uint32_t c = 0; c < tree.children(0); ++c) sum += tree.weight(1 + c);
  EXPECT_NEAR(sum, 100020, 1e-6);
  EXPECT_NEAR(tree.weight(1), 2 + 20 * 2 / 100000.0, 1e-12);
}

TEST(FractionalRows, AreRefusedWhereTheirPartsTakeTooMuchMemory) {
  const Table table = many_levels(20000, 6000);
  try {
    test::run(table, "grow missing=fractional nominal=multiway criterion=entropy");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failure);
    EXPECT_STREQ(
        error.what(),
        "6000 rows without a value would be divided among 20000 branches: too much for memory");
  }
}

TEST(EveryLevel, GetsAChildAndTheEmptyOneAnswersAsItsParent) {
  Schema schema;
  schema.features = {{"colour", Kind::nominal, {"red", "green", "blue"}}};
  schema.target = {"class", Kind::nominal, {"a", "b"}};
  const Table table(schema, 7, {test::codes({0, 0, 0, 2, 2, 2, 2})},
                    test::codes({0, 0, 0, 1, 1, 1, 1}), {});
  const Tree tree = test::run(table, "grow nominal=every-level");
  ASSERT_EQ(tree.size(), 4U);
  EXPECT_EQ(tree.weight(2), 0);
  EXPECT_NEAR(tree.answers()[2 * 2 + 1], 4.0 / 7, 1e-12);
}

TEST(EveryLevel, NeedsTwoLevelsWithEnoughRows) {
  const Table table = test::classes_table({test::codes({0, 0, 0, 1, 1, 2})}, {0, 0, 0, 1, 1, 1});
  EXPECT_EQ(test::run(table, "grow nominal=every-level min-leaf=2").size(), 4U);
  EXPECT_EQ(test::run(table, "grow nominal=every-level min-leaf=3").size(), 1U);
  EXPECT_EQ(test::run(table, "grow nominal=multiway min-leaf=2").size(), 1U);
}

TEST(DataPoints, AreTheLargestValuesNotAboveTheMiddle) {
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const Table table = test::random_table(
        {.rows = 200, .classes = 3, .numeric = 3, .distinct = 0, .missing = 0.1}, seed);
    const Tree halfway = test::run(table, "grow"),
               data = test::run(table, "grow cut-at=data-point");
    ASSERT_EQ(halfway.size(), data.size());
    for (NodeIndex i = 0; i < data.size(); ++i) {
      EXPECT_EQ(test::sums_of(data, i), test::sums_of(halfway, i));
      if (data.node(i).is_leaf() || linear_form(data.node(i).gate()) == nullptr) continue;
      const double middle = test::cut_of(halfway, i);
      double largest = -INFINITY;
      for (const double value : table.input(test::feature_of(data, i)).numbers) {
        if (value <= middle) largest = std::max(largest, value);
      }
      EXPECT_EQ(test::cut_of(data, i), middle == above_all_values ? middle : largest);
    }
    // The training rows are where growing put them.
    EXPECT_EQ(test::wrong_of(data, table), test::wrong_of(halfway, table));
  }
}

TEST(GainRatio, PrefersFewLevelsOfTheSameGain) {
  // Column 0 is a number of its own for every row, column 1 says the class.
  const Table table = test::classes_table(
      {test::codes({0, 1, 2, 3, 4, 5, 6, 7}), test::codes({0, 0, 0, 0, 1, 1, 1, 1})},
      {0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_EQ(test::feature_of(test::run(table, "grow criterion=entropy nominal=multiway"), 0), 0U);
  EXPECT_EQ(test::feature_of(test::run(table, "grow criterion=gain-ratio nominal=multiway"), 0),
            1U);
}

// Krętowski & Grześ 2005, table 1: C4.5 leaves the boards with an even side at one node.
TEST(C45, LeavesEvenChessboardsAtOneNode) {
  for (const char* side : {"2", "3", "4"}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const Generated board =
          prepare(find_generator("chessboard"), {{"side", side}, {"per-cell", "100"}});
      const Table table = training_table(generated_frame(board, seed, "board"), {}, {}).table;
      const size_t nodes = test::run(table, find_method("c45").recipe).size();
      if (*side == '3') {
        EXPECT_GE(nodes, 17U);
      } else {
        EXPECT_EQ(nodes, 1U) << "side " << side << " seed " << seed;
      }
    }
  }
}

TEST(GainRatio, IsRefusedByBinnedSearch) {
  EXPECT_THROW(test::run(golf(), "grow criterion=gain-ratio search=binned"), Error);
  EXPECT_THROW(test::run(golf(), "grow missing=fractional search=binned"), Error);
}

}  // namespace
}  // namespace softwood
