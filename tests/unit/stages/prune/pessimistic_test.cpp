// Pessimistic pruning: the upper limit by Quinlan's numbers, cutting, collapsing and raising.
#include "stages/prune/pessimistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/sample_models.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/compiled.h"

namespace softwood {
namespace {

using prune::extra_errors;
using prune::pruned_pessimistically;

// The limit as a rate, U_CF(E, N) of Quinlan 1993, chapter 4.
double upper_rate(double errors, double weight, double confidence = 0.25) {
  return (errors + extra_errors(weight, errors, confidence)) / weight;
}

// The same by the binomial distribution itself: at most `errors` of `count` have probability
// `confidence`.
double exact_upper_rate(int errors, int count, double confidence) {
  double low = 0, high = 1;
  for (int step = 0; step < 100; ++step) {
    const double p = (low + high) / 2;
    double sum = 0;
    for (int i = 0; i <= errors; ++i) {
      sum += std::exp(std::lgamma(count + 1) - std::lgamma(i + 1) - std::lgamma(count - i + 1) +
                      i * std::log(p) + (count - i) * std::log1p(-p));
    }
    (sum > confidence ? low : high) = p;
  }
  return low;
}

TEST(ExtraErrors, HaveTheValuesOfQuinlansBook) {
  EXPECT_NEAR(upper_rate(0, 6), 0.206, 5e-4);
  EXPECT_NEAR(upper_rate(0, 9), 0.143, 5e-4);
  EXPECT_NEAR(upper_rate(0, 1), 0.750, 5e-4);
  // Printed as .157, where the binomial limit is .160: an approximation there, too.
  EXPECT_NEAR(upper_rate(1, 16), 0.157, 5e-3);
}

TEST(ExtraErrors, AreCloseToTheBinomialLimit) {
  for (const int count : {10, 30, 100, 1000}) {
    for (const int errors : {0, 1, 2, 5, 9}) {
      for (const double confidence : {0.1, 0.25, 0.5}) {
        EXPECT_NEAR(upper_rate(errors, count, confidence),
                    exact_upper_rate(errors, count, confidence), 0.25 / count)
            << errors << " of " << count << " at " << confidence;
      }
    }
  }
}

TEST(ExtraErrors, AreLinearBelowOneErrorAndNeverReachBeyondTheWeight) {
  for (const double weight : {1.0, 1.7, 8.0, 500.0}) {
    const double none = extra_errors(weight, 0, 0.25), one = extra_errors(weight, 1, 0.25);
    EXPECT_NEAR(extra_errors(weight, 0.25, 0.25), none + 0.25 * (one - none), 1e-12);
    double before = 0;
    for (double errors = 0; errors <= weight; errors += weight / 64) {
      const double all = errors + extra_errors(weight, errors, 0.25);
      EXPECT_LE(all, std::max(weight, errors) * (1 + 1e-12)) << errors << " of " << weight;
      EXPECT_GE(all, before);
      before = all;
    }
  }
}

TEST(ExtraErrors, GrowAsTheConfidenceShrinks) {
  for (const double errors : {0.0, 0.5, 1.0, 7.0}) {
    double before = 0;
    for (const double confidence : {0.5, 0.25, 0.1, 0.01, 1e-6}) {
      const double extra = extra_errors(40, errors, confidence);
      EXPECT_GT(extra, before);
      before = extra;
    }
  }
}

std::vector<double> doubles(std::initializer_list<std::pair<size_t, double>> runs) {
  std::vector<double> cells;
  for (const auto& [count, value] : runs) cells.insert(cells.end(), count, value);
  return cells;
}
std::vector<int32_t> ints(std::initializer_list<std::pair<size_t, int32_t>> runs) {
  std::vector<int32_t> cells;
  for (const auto& [count, value] : runs) cells.insert(cells.end(), count, value);
  return cells;
}

// Quinlan 1993, section 4.2: leaves of 6, 9 and 1 rows without an error are expected to make
// 6 x .206 + 9 x .143 + 1 x .750 = 3.273 errors, a leaf in their place 16 x .157 = 2.512.
TEST(Pessimistic, CutsTheBranchOfQuinlansExample) {
  const Table table =
      test::classes_table({test::codes(ints({{6, 0}, {9, 1}, {1, 2}}))}, ints({{15, 0}, {1, 1}}));
  const Tree grown = test::run(table, "grow criterion=entropy nominal=multiway");
  ASSERT_EQ(grown.size(), 4U);
  EXPECT_EQ(
      test::run(table, "grow criterion=entropy nominal=multiway | prune by=pessimistic").size(),
      1U);
}

TEST(Pessimistic, KeepsABranchThatPays) {
  const Table table =
      test::classes_table({test::numbers(doubles({{20, 0}, {20, 1}}))}, ints({{20, 0}, {20, 1}}));
  EXPECT_EQ(test::run(table, "grow | prune by=pessimistic").size(), 3U);
}

TEST(Collapse, CutsWhatSavesNoErrorEvenWhereItWouldBelow) {
  // Root: 6 of class 0, 4 of class 1; both children have the majority of the root.
  Tree tree(Task::classification, 2);
  const NodeIndex first = tree.split(0, threshold_gate(0, 0.5), {});
  const auto set = [&](NodeIndex node, double a, double b) {
    tree.sums(node)[0] = a;
    tree.sums(node)[1] = b;
  };
  set(0, 6, 4);
  set(first, 3, 2);
  set(first + 1, 3, 2);
  Tree deeper = tree;
  prune::collapse(tree);
  EXPECT_EQ(tree.size(), 1U);
  // A split below that saves errors saves its ancestors, too, but not its sibling's split.
  const NodeIndex below = deeper.split(first + 1, threshold_gate(1, 0.5), {});
  const NodeIndex useless = deeper.split(first, threshold_gate(1, 0.5), {});
  std::copy_n(std::vector<double>{3, 0}.begin(), 2, deeper.sums(below).begin());
  std::copy_n(std::vector<double>{0, 2}.begin(), 2, deeper.sums(below + 1).begin());
  std::copy_n(std::vector<double>{2, 1}.begin(), 2, deeper.sums(useless).begin());
  std::copy_n(std::vector<double>{1, 1}.begin(), 2, deeper.sums(useless + 1).begin());
  deeper.canonicalise();
  prune::collapse(deeper);
  EXPECT_EQ(deeper.size(), 5U);
  EXPECT_TRUE(deeper.node(1).is_leaf());
  EXPECT_FALSE(deeper.node(2).is_leaf());
}

// The class is that of x1. The tree asks for x0 first, where nearly all rows go left and are then
// divided by x1; the four on the right are a leaf with one error.
struct Raisable {
  Raisable() : tree(Task::classification, 2) {
    const NodeIndex first = tree.split(0, threshold_gate(0, 0.5), {});
    tree.split(first, threshold_gate(1, 0.5), {});
    tree.node(first).notes().gain = 0.7;
    tree.canonicalise();
  }
  Table table = test::classes_table({test::numbers(doubles({{36, 0}, {4, 1}})),
                                     test::numbers(doubles({{18, 0}, {18, 1}, {3, 0}, {1, 1}}))},
                                    ints({{18, 0}, {18, 1}, {3, 0}, {1, 1}}));
  Tree tree;
};

TEST(Raising, PutsTheHeaviestBranchInThePlaceOfItsParentAndSendsAllRowsDown) {
  const Raisable made;
  const Tree raised = pruned_pessimistically(made.tree, made.table, all_rows(made.table), {});
  ASSERT_EQ(raised.size(), 3U);
  EXPECT_EQ(test::feature_of(raised, 0), 1U);
  EXPECT_EQ(test::sums_of(raised, 0), (std::vector<double>{21, 19}));
  EXPECT_EQ(test::sums_of(raised, 1), (std::vector<double>{21, 0}));
  EXPECT_EQ(test::sums_of(raised, 2), (std::vector<double>{0, 19}));
  EXPECT_TRUE(std::isnan(raised.node(0).notes().gain)) << "the gain of other rows";
}

TEST(Raising, IsNotDoneWhenForbidden) {
  const Raisable made;
  Tree tree = made.tree;
  // Without raising the sums are taken as they are.
  const std::vector<std::vector<double>> sums = {{21, 19}, {18, 18}, {3, 1}, {18, 0}, {0, 18}};
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    std::copy(sums[i].begin(), sums[i].end(), tree.sums(i).begin());
  }
  const Tree pruned =
      pruned_pessimistically(tree, made.table, all_rows(made.table), {.raise = false});
  test::expect_same_tree(pruned, tree);
}

// The gates on the way to every leaf, as text.
std::map<std::string, size_t> gates_on_paths(const Tree& tree, const Schema& schema) {
  std::map<std::string, size_t> paths;
  std::vector<std::string> path(tree.size());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    ++paths[path[i]];
    for (uint32_t c = 0; c < tree.children(i); ++c) {
      path[tree.node(i).first_child + c] =
          path[i] + " & " + gate_condition(tree.node(i).gate(), c, schema);
    }
  }
  return paths;
}

TEST(Pessimistic, WithoutRaisingGivesASubtreeAndNeverMoreNodes) {
  size_t raised = 0;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    const Table table =
        test::random_table({.rows = 200, .classes = 3, .numeric = 3, .noise = 0.4}, seed);
    const Tree grown = test::run(table, "grow");
    const Tree cut = test::run(table, "grow | prune by=pessimistic raise=no");
    const Tree both = test::run(table, "grow | prune by=pessimistic");
    const auto all = gates_on_paths(grown, table.schema());
    for (const auto& [path, count] : gates_on_paths(cut, table.schema())) {
      EXPECT_EQ(all.count(path), 1U) << path;
    }
    EXPECT_LT(cut.size(), grown.size());
    EXPECT_LE(both.size(), grown.size());
    for (const auto& [path, count] : gates_on_paths(both, table.schema())) {
      raised += all.count(path) == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(raised, 0U) << "no branch was raised in any of the trees";
}

// Whatever the gates and rules: sums are those of the rows that arrive.
void expect_sums_of_arrivals(const Tree& tree, const Table& table) {
  std::vector<double> expected(tree.size() * tree.width(), 0.0);
  std::vector<Arrival> arrivals;
  Compiled(tree).arrivals(table, all_rows(table), arrivals);
  for (const Arrival& arrival : arrivals) {
    const auto k = static_cast<size_t>(table.target().codes[arrival.row]);
    expected[arrival.node * tree.width() + k] += arrival.weight * table.weight(arrival.row);
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (!tree.node(i).is_leaf()) continue;
    for (size_t k = 0; k < tree.width(); ++k) {
      EXPECT_NEAR(tree.sums(i)[k], expected[i * tree.width() + k], 1e-9) << "node " << i;
    }
  }
}

TEST(Pessimistic, WorksOnTreesOfAnyGatesAndMissingRules) {
  size_t kept = 0;
  for (uint64_t seed = 1; seed < 60; ++seed) {
    Random random(seed, "pessimistic test");
    const Schema schema = testing::mixed_schema(Task::classification);
    const Table table = testing::random_table(schema, 120, random);
    const Tree tree = testing::random_tree(schema, {}, random);
    for (const double confidence : {0.5, 0.25}) {
      const Tree pruned =
          pruned_pessimistically(tree, table, all_rows(table), {.confidence = confidence});
      EXPECT_TRUE(is_canonical(pruned));
      EXPECT_LE(pruned.size(), tree.size());
      EXPECT_NEAR(pruned.weight(0), 120, 1e-9);
      expect_sums_of_arrivals(pruned, table);
      kept += pruned.size() > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(kept, 20U);
}

TEST(Pessimistic, TakesARowOfWeightTwoAsTwoRows) {
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const Table table = test::random_table({.rows = 120, .classes = 3, .missing = 0.1}, seed);
    std::vector<double> weights;
    std::vector<RowIndex> twice;
    for (const RowIndex row : all_rows(table)) {
      weights.push_back(row % 3 == 0 ? 2 : 1);
      twice.insert(twice.end(), row % 3 == 0 ? 2 : 1, row);
    }
    const std::string recipe = "grow | prune by=pessimistic cf=0.4";
    test::expect_same_tree(test::run(test::with_weights(table, weights), recipe),
                           test::run(test::part_of(table, twice), recipe), 1e-12);
  }
}

TEST(Pessimistic, IsRefusedForRegression) {
  const Table table = test::random_table({.rows = 50, .classes = 0}, 1);
  EXPECT_THROW(test::run(table, "grow | prune by=pessimistic"), Error);
}

TEST(Pessimistic, TakesAVeryDeepTree) {
  constexpr size_t depth = 20000;
  Tree tree(Task::classification, 2);
  NodeIndex node = 0;
  for (size_t i = 0; i < depth; ++i) {
    node = tree.split(node, threshold_gate(0, static_cast<double>(depth - i)), {});
  }
  const Table table = test::classes_table({test::numbers({0, 1, 2, 3})}, {0, 1, 0, 1});
  EXPECT_LT(pruned_pessimistically(tree, table, all_rows(table), {}).size(), 8U);
}

}  // namespace
}  // namespace softwood
