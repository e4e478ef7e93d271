// What growing does with rows that have no value: worked out by hand, and what holds for each rule.
#include <gtest/gtest.h>

#include "softwood/error.h"
#include "stages/grow/missing_values.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/compiled.h"

namespace softwood {
namespace {

using test::classes_table;
using test::codes;
using test::numbers;
using test::sums_of;

constexpr double no = missing_number;

// Five rows with a value, cut at 3.5, and two without that would fit on the right.
Table two_missing() {
  return classes_table({numbers({1, 2, 3, 4, 5, no, no})}, {0, 0, 0, 1, 1, 1, 1});
}

TEST(MissingLearned, RowsGoWhereTheyFit) {
  const Tree tree = test::run(two_missing(), "grow missing=learned max-depth=1");
  EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{3, 0}));
  EXPECT_EQ(sums_of(tree, 2), (std::vector<double>{0, 4}));
}

TEST(MissingMajority, RowsGoToTheLargerSideAndTheSplitIsChosenWithoutThem) {
  const Tree tree = test::run(two_missing(), "grow missing=majority max-depth=1");
  EXPECT_EQ(test::cut_of(tree, 0), 3.5);
  EXPECT_EQ(tree.node(0).missing(), (Missing{MissingRule::child, 0, {}, {}, 2}));
  EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{3, 2}));
  EXPECT_EQ(sums_of(tree, 2), (std::vector<double>{0, 2}));
  // Gini of the five rows is 1 - (9 + 4) / 25 and goes to 0; the node has seven.
  EXPECT_NEAR(tree.node(0).notes().gain, 5 * (12.0 / 25) / 7, 1e-15);
}

TEST(MissingMajority, LevelsAreDividedWithoutThem) {
  const Table table = classes_table({codes({0, 0, 0, 1, 1, -1, -1})}, {0, 0, 0, 1, 1, 1, 1});
  const Tree tree = test::run(table, "grow missing=majority max-depth=1");
  EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{3, 2}));
  EXPECT_NEAR(tree.node(0).notes().gain, 5 * (12.0 / 25) / 7, 1e-15);
}

TEST(MissingImpute, CutsMovedToDataLeaveTheImputedRowsWhereTheyWere) {
  // The median of the values is 3.5; the cut 4.25 moves to it, not to 2.
  const Table table =
      classes_table({numbers({1, 2, 1, 2, 5, 6, 5, 6, no, no})}, {0, 0, 0, 0, 1, 1, 1, 1, 0, 0});
  const Tree tree = test::run(table, "grow missing=impute cut-at=data-point");
  EXPECT_EQ(test::cut_of(tree, 0), 3.5);
  EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{6, 0}));
}

// Values that say nothing: that there is none says all.
TEST(MissingSeparate, RowsWithAValueCanBeOneChild) {
  for (const char* search : {"", " criterion=entropy", " criterion=gain-ratio"}) {
    const Table table =
        classes_table({numbers({0, 1, 2, 0, 1, no, no, no})}, {0, 0, 0, 0, 0, 1, 1, 1});
    const Tree tree = test::run(table, std::string("grow missing=separate") + search);
    ASSERT_EQ(tree.size(), 3U) << search;
    EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{5, 0}));
    EXPECT_EQ(sums_of(tree, 2), (std::vector<double>{0, 3}));
    EXPECT_EQ(tree.node(0).missing(), (Missing{MissingRule::child, 1, {}, {}, 3}));
    EXPECT_EQ(test::run(table, "grow missing=separate min-leaf=4").size(), 1U);
  }
  const Tree mean = test::run(test::numbers_table({numbers({4, 5, 6, no, no})}, {1, 1, 1, 9, 9}),
                              "grow missing=separate");
  EXPECT_EQ(mean.size(), 3U);
  EXPECT_EQ(mean.mean(2), 9);
}

TEST(MissingSeparate, TooFewRowsForALeafGoToTheLargerSide) {
  const Tree tree = test::run(two_missing(), "grow missing=separate min-leaf=3 max-depth=1");
  EXPECT_EQ(tree.size(), 1U);  // 3 | 2 leaves too few on the right, too
  const Table table = classes_table({numbers({1, 2, 3, 4, 5, 6, no})}, {0, 0, 0, 1, 1, 1, 1});
  const Tree other = test::run(table, "grow missing=separate min-leaf=2 max-depth=1");
  ASSERT_EQ(other.size(), 3U);
  EXPECT_EQ(other.node(0).missing(), (Missing{MissingRule::child, 0, {}, {}, 1}));
  EXPECT_EQ(sums_of(other, 1), (std::vector<double>{3, 1}));
}

TEST(MissingSeparate, RowsHaveAChildOfTheirOwn) {
  const Tree tree = test::run(two_missing(), "grow missing=separate max-depth=1");
  ASSERT_EQ(tree.size(), 4U);
  EXPECT_EQ(tree.node(0).missing().rule, MissingRule::own);
  EXPECT_EQ(tree.node(0).missing().weight, 2);
  EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{3, 0}));
  EXPECT_EQ(sums_of(tree, 2), (std::vector<double>{0, 2}));
  EXPECT_EQ(sums_of(tree, 3), (std::vector<double>{0, 2}));
  // Gini of all seven rows, which goes to 0.
  EXPECT_NEAR(tree.node(0).notes().gain, 24.0 / 49, 1e-15);
}

TEST(MissingSeparate, IsOneMoreLevel) {
  const Table table = classes_table({codes({0, 0, 1, 1, -1, -1})}, {0, 0, 1, 1, 0, 0});
  const Tree tree = test::run(table, "grow missing=separate");
  ASSERT_EQ(tree.size(), 3U);
  const NodeIndex child = 1 + tree.node(0).missing().child;
  EXPECT_EQ(sums_of(tree, child), (std::vector<double>{4, 0}));
}

TEST(MissingImpute, TheMedianAndTheMostFrequentLevelStandForWhatIsMissing) {
  const Table table =
      classes_table({numbers({1, 2, 3, 4, 5, no}), codes({0, 1, 1, 0, 1, -1})}, {0, 0, 0, 1, 1, 0});
  const Tree tree = test::run(table, "grow missing=impute");
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree.typical(), (std::vector<double>{3, 1}));
  EXPECT_EQ(tree.node(0).missing().rule, MissingRule::impute);
  EXPECT_EQ(test::cut_of(tree, 0), 3.5);
  EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{4, 0}));
  EXPECT_EQ(sums_of(tree, 2), (std::vector<double>{0, 2}));
}

// The second input imitates the first the other way round, with one row wrong (z = 45).
Table imitated() {
  return classes_table(
      {numbers({1, 2, 3, 4, 5, 6, no, no}), numbers({60, 50, 40, 30, 20, 45, 15, 55})},
      {0, 0, 0, 1, 1, 1, 1, 0});
}

TEST(MissingSurrogate, SendsRowsAsAnotherInputWould) {
  const Tree tree = test::run(imitated(), "grow missing=surrogate max-depth=1");
  EXPECT_EQ(test::feature_of(tree, 0), 0U);
  EXPECT_EQ(test::cut_of(tree, 0), 3.5);
  const Missing& missing = tree.node(0).missing();
  EXPECT_EQ(missing.rule, MissingRule::child);
  EXPECT_EQ(missing.child, 0U);  // three rows each: the first
  EXPECT_EQ(missing.weight, 2);
  ASSERT_EQ(missing.surrogates.size(), 1U);
  // z <= 35 goes right: 5 of 6 rows alike, 3 of 6 by the majority. (z <= 47.5 is as good, later.)
  ScoreGate gate = threshold_gate(1, -35);
  gate.terms[0].coefficient = -1;
  EXPECT_TRUE(missing.surrogates[0].gate == Gate(gate));
  EXPECT_DOUBLE_EQ(missing.surrogates[0].agreement, 5.0 / 6);
  EXPECT_DOUBLE_EQ(missing.surrogates[0].adjusted, 2.0 / 3);
  EXPECT_EQ(sums_of(tree, 1), (std::vector<double>{4, 0}));
  EXPECT_EQ(sums_of(tree, 2), (std::vector<double>{0, 4}));
}

TEST(MissingSurrogate, LevelsGoWhereMostOfTheirRowsGo) {
  const Table table = classes_table({numbers({1, 2, 3, 4, 5, 6, no}), codes({0, 0, 1, 1, 1, 2, 2})},
                                    {0, 0, 0, 1, 1, 1, 1});
  const Tree tree = test::run(table, "grow missing=surrogate max-depth=1");
  ASSERT_EQ(tree.node(0).missing().surrogates.size(), 1U);
  const Surrogate& surrogate = tree.node(0).missing().surrogates[0];
  EXPECT_TRUE(surrogate.gate == Gate(LevelsGate{1, 2, {0, 1, 1}}));
  EXPECT_DOUBLE_EQ(surrogate.agreement, 5.0 / 6);
  EXPECT_EQ(sums_of(tree, 2), (std::vector<double>{0, 4}));
}

TEST(MissingSurrogate, BestAgreementFirstAndNoMoreThanAskedFor) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8};
  const Table table = classes_table({numbers(x), numbers({1, 2, 3, 5, 4, 6, 7, 8}), numbers(x)},
                                    {0, 0, 0, 0, 1, 1, 1, 1});
  const auto features = [&](const std::string& options) {
    const Tree tree = test::run(table, "grow missing=surrogate " + options);
    std::vector<uint32_t> all;
    for (const Surrogate& one : tree.node(0).missing().surrogates) {
      all.push_back(gate_features(one.gate)[0]);
    }
    return all;
  };
  EXPECT_EQ(features(""), (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(features("surrogates=1"), (std::vector<uint32_t>{2}));
  EXPECT_EQ(features("surrogates=0"), (std::vector<uint32_t>{}));
}

TEST(MissingSurrogate, NeedsTwoRowsOnEachSide) {
  const std::vector<int32_t> classes = {0, 1, 1, 1};
  const std::vector<Column> inputs = {numbers({1, 2, 3, 4}), numbers({1, 2, 3, 4}),
                                      codes({0, 1, 1, 1})};
  const auto surrogates = [&](const std::vector<double>& weights) {
    return test::run(classes_table(inputs, classes, weights), "grow missing=surrogate")
        .node(0)
        .missing()
        .surrogates.size();
  };
  EXPECT_EQ(surrogates({}), 0U);
  EXPECT_EQ(surrogates({2, 1, 1, 1}), 2U);
}

TEST(MissingSurrogate, WithoutSurrogatesIsTheMajority) {
  const Table table = test::random_table({.rows = 200, .classes = 3, .missing = 0.2}, 2);
  test::expect_same_tree(test::run(table, "grow missing=surrogate surrogates=0"),
                         test::run(table, "grow missing=majority"));
}

TEST(MissingSurrogate, IsRefusedForSplitsThatAreNotInTwo) {
  EXPECT_THROW(test::run(imitated(), "grow missing=surrogate nominal=multiway"), Error);
  EXPECT_THROW(test::run(imitated(), "grow missing=surrogate search=binned"), Error);
}

class EveryMissingRule : public testing::TestWithParam<std::string> {
 protected:
  static Table table_of(uint64_t seed, size_t classes) {
    return test::random_table(
        {.rows = 250, .classes = classes, .numeric = 3, .nominal = 2, .ordinal = 1, .missing = 0.2},
        seed);
  }
  static Tree grow(const Table& table) { return test::run(table, "grow missing=" + GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Rules, EveryMissingRule,
                         testing::ValuesIn(names_of(grow::missing_choices)), test::ByText());

TEST_P(EveryMissingRule, AnswersForARowWithEverythingMissing) {
  for (const size_t classes : {0, 2, 4}) {
    const Table table = table_of(3, classes);
    const Tree tree = grow(table);
    EXPECT_GT(tree.size(), 3U);
    std::vector<Column> nothing;
    for (const Feature& feature : table.schema().features) {
      nothing.push_back(feature.kind == Kind::numeric ? numbers({no}) : codes({-1}, feature.kind));
    }
    const Table row(table.schema(), 1, std::move(nothing), {}, {});
    const Predictions answer = predict(tree, row, all_rows(row), Parallel(1));
    ASSERT_EQ(answer.answers.size(), tree.answer_width());
    double sum = 0;
    for (const double value : answer.answers) {
      EXPECT_TRUE(std::isfinite(value));
      sum += value;
    }
    if (classes > 0) {
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

// What a tree's leaves hold is what arrives there when the training rows are predicted.
TEST_P(EveryMissingRule, SendsRowsInPredictionAsInGrowing) {
  for (const size_t classes : {0, 2, 4}) {
    const Table table = table_of(4, classes);
    const Tree tree = grow(table);
    std::vector<Arrival> arrivals;
    Compiled(tree).arrivals(table, all_rows(table), arrivals);
    std::vector<double> weight(tree.size());
    for (const Arrival& arrival : arrivals) weight[arrival.node] += arrival.weight;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (!tree.node(i).is_leaf()) continue;
      EXPECT_NEAR(weight[i], tree.weight(i), 1e-9) << "node " << i;
    }
  }
}

TEST_P(EveryMissingRule, WeightTwoIsTheRowTwice) {
  for (const size_t classes : {0, 2, 4}) {
    const Table table = table_of(5, classes);
    std::vector<double> weights(table.rows(), 1.0);
    std::vector<RowIndex> rows;
    for (RowIndex row = 0; row < table.rows(); ++row) {
      rows.push_back(row);
      if (row % 3 != 0) continue;
      weights[row] = 2;
      rows.push_back(row);
    }
    const Tree weighted = grow(test::with_weights(table, weights)),
               repeated = grow(test::part_of(table, rows));
    if (GetParam() == "fractional") {
      // Shares of rows are rounded in another order, in the rules as well.
      test::expect_same_division(weighted, repeated, 1e-9);
    } else {
      test::expect_same_tree(weighted, repeated, classes > 0 ? 0 : 1e-9);
    }
  }
}

}  // namespace
}  // namespace softwood
