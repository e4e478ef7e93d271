// Worked numbers of the course notes: Vanschoren et al. (6-row example, section 3.1.1) and the UPV
// chapter (46 points, pages 4 to 24; iris, pages 25 to 28).
#include <gtest/gtest.h>

#include <cmath>

#include "stages/grow/split.h"
#include "stats/criterion/entropy.h"
#include "stats/criterion/gini.h"
#include "support/grow.h"
#include "support/iris.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using grow::Cut;
using grow::Scratch;
using grow::SplitSearch;
using grow::Target;

std::unique_ptr<SplitSearch> search_by(const std::string& name, const Target& target) {
  for (const grow::Criterion& criterion : grow::criteria()) {
    if (criterion.name == name) return criterion.make(target);
  }
  return nullptr;
}

// Decrease of the impurity, per row, of a node divided into two cells.
double decrease(const std::string& criterion, std::vector<double> left, std::vector<double> right) {
  Target target;
  target.classes = left.size();
  std::vector<double> node(left), cells(left);
  cells.insert(cells.end(), right.begin(), right.end());
  for (size_t k = 0; k < node.size(); ++k) node[k] += right[k];
  Scratch scratch;
  const auto search = search_by(criterion, target);
  const Cut cut = search->best_bin(node, cells, nullptr, 1, scratch);
  double weight = 0;
  for (const double n : node) weight += n;
  return search->improvement(cut.score, node) / weight;
}

double entropy(const std::vector<double>& counts) {
  double weight = 0;
  for (const double n : counts) weight += n;
  return -grow::Entropy::purity(counts.data(), counts.size()) / weight;
}
double gini(const std::vector<double>& counts) {
  double weight = 0;
  for (const double n : counts) weight += n;
  return 1 - grow::Gini::purity(counts.data(), counts.size()) / weight;
}

TEST(Entropy, OfEquallyLikelyClassesIsTheLogarithmOfTheirNumber) {
  EXPECT_DOUBLE_EQ(entropy({5, 5}), 1);
  EXPECT_DOUBLE_EQ(entropy({7, 0}), 0);
  for (const size_t k : {1, 2, 3, 4, 8, 10, 1000}) {
    EXPECT_NEAR(entropy(std::vector<double>(k, 3.0)), std::log2(static_cast<double>(k)), 1e-12)
        << k;
  }
}

TEST(Gini, OfEquallyLikelyClassesIsOneMinusOneOverTheirNumber) {
  EXPECT_DOUBLE_EQ(gini({7, 0}), 0);
  EXPECT_DOUBLE_EQ(gini({5, 5}), 0.5);
  EXPECT_DOUBLE_EQ(gini({3, 3, 3, 3}), 0.75);
}

TEST(Decrease, OfTwoClassesIsTheSameByBothFormsOfTheGiniIndex) {
  // {3,1} | {1,5} of {4,6}: 2*.4*.6 - .4*2*.75*.25 - .6*2*(1/6)*(5/6) = .48 - .15 - 1/6 = .163333.
  EXPECT_NEAR(decrease("gini", {3, 1}, {1, 5}), 0.48 - 0.15 - 1.0 / 6, 1e-14);
  // A third class that does not occur makes the general form run.
  EXPECT_NEAR(decrease("gini", {3, 1, 0}, {1, 5, 0}), 0.48 - 0.15 - 1.0 / 6, 1e-14);
}

TEST(Decrease, OfTheSquaredErrorIsTheVarianceBetweenTheSides) {
  // Targets 1 1 | 4 6: mean 3; squared deviations 4+4+1+9 = 18; left 0, right 1+1 = 2; 16/4 = 4.
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4})}, {1, 1, 4, 6});
  const Tree tree = test::run(table, "grow max-depth=1");
  EXPECT_DOUBLE_EQ(tree.node(0).notes().gain, 4);
  EXPECT_DOUBLE_EQ(test::cut_of(tree, 0), 2.5);
  EXPECT_DOUBLE_EQ(tree.risk(0), 18);
  EXPECT_DOUBLE_EQ(tree.risk(2), 2);
}

// Vanschoren: a1 = TTTFFF, a2 = TTFFTT, class = ++-+--.
Table six_rows() {
  return test::classes_table({test::codes({0, 0, 0, 1, 1, 1}), test::codes({0, 0, 1, 1, 0, 0})},
                             {0, 0, 1, 0, 1, 1});
}

TEST(SixRows, HaveTheEntropyAndGainsOfTheNotes) {
  EXPECT_DOUBLE_EQ(entropy({3, 3}), 1);
  EXPECT_NEAR(entropy({2, 1}), 0.9183, 5e-5);  // a1 = T
  EXPECT_NEAR(entropy({1, 2}), 0.9183, 5e-5);  // a1 = F
  EXPECT_NEAR(decrease("entropy", {2, 1}, {1, 2}), 0.0817, 5e-5);
  EXPECT_DOUBLE_EQ(decrease("entropy", {2, 2}, {1, 1}), 0);  // a2: classes stay equal
}

TEST(SixRows, AreSplitOnTheFirstAttribute) {
  for (const char* recipe :
       {"grow criterion=entropy", "grow", "grow criterion=entropy nominal=multiway"}) {
    const Tree tree = test::run(six_rows(), recipe);
    ASSERT_FALSE(tree.node(0).is_leaf());
    EXPECT_EQ(test::feature_of(tree, 0), 0U) << recipe;
    EXPECT_EQ(test::sums_of(tree, 1), (std::vector<double>{2, 1}));
    EXPECT_EQ(test::sums_of(tree, 2), (std::vector<double>{1, 2}));
  }
  const Tree tree = test::run(six_rows(), "grow criterion=entropy");
  EXPECT_NEAR(tree.node(0).notes().gain, 0.0817, 5e-5);
  // Each half is then separated by a2 without an error.
  EXPECT_EQ(test::wrong_of(tree, six_rows()), 0);
  EXPECT_EQ(shape_of(tree).leaves, 4U);
}

TEST(SixRows, AreNotSplitOnAnAttributeWithoutGain) {
  const Table only_a2 = test::classes_table({test::codes({0, 0, 1, 1, 0, 0})}, {0, 0, 1, 0, 1, 1});
  EXPECT_EQ(test::run(only_a2, "grow criterion=entropy").size(), 1U);
  EXPECT_EQ(test::run(only_a2, "grow criterion=gini").size(), 1U);
}

// UPV: 46 points, 26 of class A and 20 of B, with the counts that the chapter prints:
//   y1 > 3.5              14 B
//   y1 <= 3.5, y2 <= 2.5   2 A (y1 = 1.0) and 6 B (y1 >= 2.0), 3 of the B with y2 <= 1.8
//   y1 <= 3.5, y2 > 2.5   24 A, 13 of them with y1 <= 1.95
Table points() {
  std::vector<double> y1, y2;
  std::vector<int32_t> classes;
  const auto add = [&](double first, double second, int32_t klass) {
    y1.push_back(first);
    y2.push_back(second);
    classes.push_back(klass);
  };
  for (int i = 0; i < 14; ++i) add(3.6 + 0.15 * i, 1.0 + 0.35 * i, 1);
  add(1.0, 1.9, 0);
  add(1.0, 2.3, 0);
  for (int i = 0; i < 3; ++i) add(2.0 + 0.4 * i, 1.1 + 0.3 * i, 1);    // y2: 1.1, 1.4, 1.7
  for (int i = 0; i < 3; ++i) add(2.2 + 0.4 * i, 2.0 + 0.2 * i, 1);    // y2: 2.0, 2.2, 2.4
  for (int i = 0; i < 13; ++i) add(0.7 + 0.1 * i, 2.6 + 0.2 * i, 0);   // y1: 0.7 … 1.9
  for (int i = 0; i < 11; ++i) add(2.4 + 0.1 * i, 2.7 + 0.25 * i, 0);  // y1: 2.4 … 3.4
  return test::classes_table({test::numbers(y1), test::numbers(y2)}, classes);
}
const char* const three_leaves = "grow criterion=entropy max-leaves=3";

TEST(Points, AreDividedAsInTheChapter) {
  const Tree tree = test::run(points(), three_leaves);
  ASSERT_EQ(tree.size(), 5U);  // t1 … t5 of the chapter are nodes 0 … 4
  EXPECT_EQ(test::feature_of(tree, 0), 0U);
  EXPECT_NEAR(test::cut_of(tree, 0), 3.5, 1e-12);
  EXPECT_EQ(test::feature_of(tree, 1), 1U);
  EXPECT_NEAR(test::cut_of(tree, 1), 2.5, 1e-12);
  EXPECT_EQ(test::sums_of(tree, 0), (std::vector<double>{26, 20}));
  EXPECT_EQ(test::sums_of(tree, 1), (std::vector<double>{26, 6}));
  EXPECT_EQ(test::sums_of(tree, 2), (std::vector<double>{0, 14}));
  EXPECT_EQ(test::sums_of(tree, 3), (std::vector<double>{2, 6}));
  EXPECT_EQ(test::sums_of(tree, 4), (std::vector<double>{24, 0}));
}

TEST(Points, HaveTheProbabilitiesOfTheTable) {
  const Tree tree = test::run(points(), three_leaves);
  const std::vector<double> answers = tree.answers();
  constexpr double printed = 5e-4;
  const double of_a[] = {0.565, 0.813, 0.000, 0.250, 1.000};  // P(A | t): 26/46, 26/32 …
  for (NodeIndex t = 0; t < 5; ++t) {
    EXPECT_NEAR(answers[t * 2], of_a[t], printed);
    EXPECT_NEAR(answers[t * 2 + 1], 1 - of_a[t], printed);
  }
  EXPECT_NEAR(tree.weight(2) / 46, 0.304, printed);              // P(t3)
  EXPECT_NEAR(tree.weight(3) / 46, 0.174, printed);              // P(t4)
  EXPECT_NEAR(tree.weight(4) / 46, 0.522, printed);              // P(t5)
  EXPECT_NEAR(tree.weight(1) / tree.weight(0), 0.696, printed);  // P_t1(L)
  EXPECT_NEAR(tree.weight(2) / tree.weight(0), 0.304, printed);  // P_t1(R)
  EXPECT_NEAR(tree.weight(3) / tree.weight(1), 0.250, printed);  // P_t2(L)
  EXPECT_NEAR(tree.weight(4) / tree.weight(1), 0.750, printed);  // P_t2(R)
}

TEST(Points, HaveTheImpuritiesAndReductionsOfTheTable) {
  const Tree tree = test::run(points(), three_leaves);
  constexpr double printed = 1e-3;  // the chapter cuts 0.6962 to 0.695
  const double impurity[] = {0.988, 0.695, 0.000, 0.811, 0.000};
  for (NodeIndex t = 0; t < 5; ++t) {
    EXPECT_NEAR(entropy(test::sums_of(tree, t)), impurity[t], 1.5 * printed) << "t" << t + 1;
  }
  EXPECT_NEAR(tree.node(0).notes().gain, 0.504, printed);
  EXPECT_NEAR(tree.node(1).notes().gain, 0.492, 1.5 * printed);
  // .6962 - .25 * .8113 to all digits.
  EXPECT_NEAR(tree.node(1).notes().gain, entropy({26, 6}) - 0.25 * entropy({2, 6}), 1e-12);
}

TEST(Points, HaveWorseAlternativesInTheSecondNode) {
  constexpr double printed = 1e-3;
  EXPECT_NEAR(entropy({11, 6}), 0.937, printed);
  EXPECT_NEAR(entropy({26, 3}), 0.480, printed);
  // The chapter subtracts from 0.695 where I(t2) is 0.6962: all three are 0.0012 too small there.
  const double cut_off = entropy({26, 6}) - 0.695;
  EXPECT_NEAR(decrease("entropy", {15, 0}, {11, 6}) - cut_off, 0.197, printed);  // y1 <= 1.95
  EXPECT_NEAR(decrease("entropy", {0, 3}, {26, 3}) - cut_off, 0.260, printed);   // y2 <= 1.80
  EXPECT_NEAR(decrease("entropy", {2, 6}, {24, 0}) - cut_off, 0.492, printed);   // y2 <= 2.5
}

TEST(Points, AreClassifiedAsInTheChapter) {
  const Tree tree = test::run(points(), three_leaves);
  const Table fresh = test::classes_table(
      {test::numbers({1.0, 5.0, 1.5, 2.0}), test::numbers({1.0, 2.5, 2.7, 5.0})}, {1, 1, 0, 0});
  EXPECT_EQ(predict_classes(tree, fresh, all_rows(fresh), Parallel(1)),
            (std::vector<uint32_t>{1, 1, 0, 0}));  // B B A A
}

TEST(Points, HaveTheResubstitutionErrorOfTheChapter) {
  const Tree tree = test::run(points(), three_leaves);
  EXPECT_EQ(test::wrong_of(tree, points()), 2);  // 2/46
  EXPECT_DOUBLE_EQ(test::risk_of(tree) / 46, 2.0 / 46);
  // Grown to the end, all leaves are pure and it is 0.
  const Tree whole = test::run(points(), "grow criterion=entropy");
  EXPECT_EQ(test::wrong_of(whole, points()), 0);
  EXPECT_EQ(shape_of(whole).leaves, 4U);
  EXPECT_NEAR(test::cut_of(whole, 3), 1.5, 1e-12);  // (1, 1.5): y1 <= 1.5
  EXPECT_NEAR(whole.node(3).notes().gain, 0.811, 5e-4);
}

TEST(Points, NeedAnEpsilonAboveTheImpurityForATerminalNode) {
  // I(t4) = 2 - .75 log2 3 = 0.811278: its split into pure parts is worth all of it.
  const Table table = points();
  std::vector<RowIndex> rows_of_t4;
  for (RowIndex row = 14; row < 22; ++row) rows_of_t4.push_back(row);
  const Table t4 = test::part_of(table, rows_of_t4);
  EXPECT_EQ(test::run(t4, "grow criterion=entropy min-decrease=0.8112").size(), 3U);
  EXPECT_EQ(test::run(t4, "grow criterion=entropy min-decrease=0.8113").size(), 1U);
  // "With this epsilon the root itself would have been terminal."
  EXPECT_EQ(test::run(table, "grow criterion=entropy min-decrease=0.8113").size(), 1U);
  // Below the reduction of t1 and t2 both are made; above t2's only the root's.
  EXPECT_EQ(test::run(table, "grow criterion=entropy min-decrease=0.49").size(), 7U);
  EXPECT_EQ(test::run(table, "grow criterion=entropy min-decrease=0.5").size(), 3U);
}

void expect_tree_of_the_chapter(const Tree& tree, const Table& table) {
  ASSERT_EQ(tree.size(), 7U);
  EXPECT_EQ(shape_of(tree).leaves, 4U);
  EXPECT_EQ(test::feature_of(tree, 0), 2U);
  EXPECT_NEAR(test::cut_of(tree, 0), 2.45, 1e-12);
  EXPECT_EQ(test::feature_of(tree, 2), 3U);
  EXPECT_NEAR(test::cut_of(tree, 2), 1.75, 1e-12);
  EXPECT_EQ(test::feature_of(tree, 3), 2U);
  EXPECT_NEAR(test::cut_of(tree, 3), 4.95, 1e-12);
  EXPECT_EQ(test::sums_of(tree, 1), (std::vector<double>{50, 0, 0}));
  EXPECT_EQ(test::sums_of(tree, 4), (std::vector<double>{0, 1, 45}));  // 1 of 46 wrong
  EXPECT_EQ(test::sums_of(tree, 5), (std::vector<double>{0, 47, 1}));  // 1 of 48
  EXPECT_EQ(test::sums_of(tree, 6), (std::vector<double>{0, 2, 4}));   // 2 of 6
  EXPECT_EQ(test::wrong_of(tree, table), 4);                           // 4 of 150: 2.6 %
}

TEST(Iris, HasTheFourLeavesOfTheChapter) {
  const Table table = test::iris_table();
  expect_tree_of_the_chapter(test::run(table, "grow max-leaves=4"), table);
}

// Vanschoren, section 2: rpart with cp = 0 and minbucket 4 (then minsplit is three times that).
TEST(Iris, HasTheSameLeavesWithoutUselessSplits) {
  const Table table = test::iris_table();
  expect_tree_of_the_chapter(test::run(table, "grow min-leaf=4 min-split=12 | prune alpha=0"),
                             table);
}

}  // namespace
}  // namespace softwood
