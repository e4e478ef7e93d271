// Alternating optimisation: single steps by hand, and what holds for every tree.
#include <gtest/gtest.h>

#include <cmath>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/sample_models.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/recount.h"

namespace softwood {
namespace {

using test::classes_table;
using test::codes;
using test::numbers;
using test::numbers_table;

Tree refine(const Table& table, Tree tree, const std::string& options = "",
            const Parallel& parallel = Parallel(1)) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  return run_recipe(Recipe::parse("refine " + options, {}, true), {derived, rows, {}, 1}, parallel,
                    {}, std::move(tree))
      .tree;
}

// A stump whose leaves have the sums of the rows.
Tree stump(const Table& table, Gate gate) {
  Tree tree(table.schema().task(), table.schema().classes());
  tree.split(0, std::move(gate), {});
  recount(tree, table, all_rows(table));
  return tree;
}

TEST(Recount, SumsTheRowsThatReachEachNode) {
  const Table table = numbers_table({numbers({0, 1, 2})}, {1, 3, 8}, {1, 1, 2});
  const Tree tree = stump(table, threshold_gate(0, 1.5));
  EXPECT_EQ(test::sums_of(tree, 0), (std::vector<double>{4, 5, 38}));  // 16 + 4 + 2 * 9
  EXPECT_EQ(test::sums_of(tree, 1), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(test::sums_of(tree, 2), (std::vector<double>{2, 8, 0}));
}

TEST(Refine, MovesACutToWhereTheLeavesAnswerBest) {
  // Two wrong at 0.5, none at 2.5.
  const Table table = classes_table({numbers({0, 1, 2, 3, 4, 5})}, {0, 0, 0, 1, 1, 1});
  const Tree tree = refine(table, stump(table, threshold_gate(0, 0.5)));
  EXPECT_EQ(test::cut_of(tree, 0), 2.5);
  EXPECT_EQ(test::sums_of(tree, 1), (std::vector<double>{3, 0}));
  EXPECT_EQ(test::sums_of(tree, 2), (std::vector<double>{0, 3}));
}

TEST(Refine, ChoosesAnotherFeatureAndTheSideOfMissingValues) {
  const double no = missing_number;
  const Table table =
      classes_table({numbers({0, 1, 0, 1, 0, 1, 0, 1}), numbers({1, 1, 1, 2, 2, 2, no, no})},
                    {0, 0, 0, 1, 1, 1, 1, 1});
  const Tree tree = refine(table, stump(table, threshold_gate(0, 0.5)));
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(test::feature_of(tree, 0), 1U);
  EXPECT_EQ(test::cut_of(tree, 0), 1.5);
  EXPECT_EQ(tree.node(0).missing().child, 1U);
  EXPECT_EQ(tree.node(0).missing().weight, 2);
  EXPECT_EQ(test::risk_of(tree), 0);
}

TEST(Refine, SendsEachLevelWhereItsRowsAreAnsweredBest) {
  const Table table = classes_table({codes({0, 0, 0, 1, 1, 2, 2, 2})}, {0, 0, 0, 0, 0, 1, 1, 1});
  const Tree tree = refine(table, stump(table, LevelsGate{0, 2, {0, 1, 1}}));
  EXPECT_EQ(level_map(tree.node(0).gate())->child_of_level, (std::vector<int32_t>{0, 0, 1}));
}

TEST(Refine, FollowsSquaredErrors) {
  // Leaves answer 0 and (0 + 10 + 10 + 10) / 4 = 7.5 at first: the second row is nearer to 0.
  const Table table = numbers_table({numbers({1, 2, 3, 4, 5})}, {0, 0, 10, 10, 10});
  const Tree tree = refine(table, stump(table, threshold_gate(0, 1.5)));
  EXPECT_EQ(test::cut_of(tree, 0), 2.5);
  EXPECT_EQ(test::risk_of(tree), 0);
}

TEST(Refine, TakesOutWhatNoRowReaches) {
  // The left leaf is wrong about its third row; the subtree on the right is right about all rows,
  // so that nothing is left to ask of the root.
  const Table table = classes_table(
      {numbers({0, 0, 0, 5, 5, 5, 5}), numbers({-1, -1, 1, -1, 1, -1, 1})}, {0, 0, 1, 0, 1, 0, 1});
  Tree tree(Task::classification, 2);
  const NodeIndex first = tree.split(0, threshold_gate(0, 1.5), {});
  tree.split(first + 1, threshold_gate(1, 0), {});
  recount(tree, table, all_rows(table));
  const Tree refined = refine(table, tree);
  EXPECT_EQ(test::risk_of(refined), 0);
  ASSERT_EQ(refined.size(), 3U);
  EXPECT_EQ(test::feature_of(refined, 0), 1U);
  EXPECT_TRUE(is_canonical(refined));
}

TEST(Refine, FindsAHyperplaneWhereOneInputCantDivide) {
  Random random(5, "refine plane");
  std::vector<double> a, b;
  std::vector<int32_t> classes;
  while (classes.size() < 200) {
    const double x = random.normal(), y = random.normal();
    if (std::fabs(x + y) < 0.2) continue;
    a.push_back(x);
    b.push_back(y);
    classes.push_back(x + y > 0 ? 1 : 0);
  }
  const Table table = classes_table({numbers(a), numbers(b)}, classes);
  const Tree tree = test::run(table, "grow max-depth=1");
  EXPECT_GT(test::wrong_of(tree, table), 20);
  EXPECT_GT(test::wrong_of(refine(table, tree), table), 20);
  for (const char* options : {"gates=hyperplanes", "gates=hyperplanes l1=0.01"}) {
    const Tree refined = refine(table, tree, options);
    EXPECT_EQ(test::wrong_of(refined, table), 0) << options;
    EXPECT_EQ(refined.size(), 3U);
  }
}

TEST(Refine, LeavesOutInputsThatL1FindsTooDear) {
  Random random(6, "refine sparse");
  std::vector<double> a, b, noise;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < 400; ++i) {
    a.push_back(random.normal());
    b.push_back(random.normal());
    noise.push_back(random.normal());
    classes.push_back(a.back() + b.back() > 0 ? 1 : 0);
  }
  const Table table = classes_table({numbers(a), numbers(noise), numbers(b)}, classes);
  const Tree tree =
      refine(table, test::run(table, "grow max-depth=1"), "gates=hyperplanes l1=0.05");
  EXPECT_EQ(gate_features(tree.node(0).gate()), (std::vector<uint32_t>{0, 2}));
}

double loss_of(const Tree& tree, const Table& table) {
  if (tree.task() == Task::classification) return test::wrong_of(tree, table);
  const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
  double loss = 0;
  for (size_t i = 0; i < table.rows(); ++i) {
    loss += table.weight(i) * std::pow(answers.answers[i] - table.target().numbers[i], 2);
  }
  return loss;
}

TEST(Refine, NeverRaisesTheLossOfTheTrainingRows) {
  size_t lower = 0;
  for (const std::string grow :
       {"max-depth=3", "max-leaves=6 nominal=multiway", "max-depth=3 missing=separate",
        "max-depth=3 missing=impute", "max-depth=4 missing=majority"}) {
    for (const std::string options : {"", "gates=hyperplanes", "gates=hyperplanes l1=0.02"}) {
      for (uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(grow + " | " + options);
        Table table = test::random_table({.rows = 150,
                                          .classes = seed % 2 == 0 ? size_t{0} : size_t{3},
                                          .ordinal = 1,
                                          .missing = 0.1},
                                         seed);
        if (seed > 2) {
          std::vector<double> weights;
          for (size_t i = 0; i < table.rows(); ++i) weights.push_back(0.5 * (1 + i % 3));
          table = test::with_weights(table, weights);
        }
        const Tree tree = test::run(table, "grow " + grow);
        const Tree refined = refine(table, tree, options);
        EXPECT_LE(loss_of(refined, table), loss_of(tree, table) * (1 + 1e-9));
        EXPECT_LE(shape_of(refined).leaves, shape_of(tree).leaves);
        EXPECT_TRUE(is_canonical(refined));
        lower += loss_of(refined, table) < loss_of(tree, table) * (1 - 1e-6) ? 1 : 0;
        // What is done is done: again changes nothing.
        EXPECT_EQ(test::text_of(refine(table, refined, options), table.schema()),
                  test::text_of(refined, table.schema()));
      }
    }
  }
  EXPECT_GT(lower, 30U);
}

TEST(Refine, NeverRaisesTheLossOfAnyHardTree) {
  Random random(7, "refine any");
  for (int trial = 0; trial < 40; ++trial) {
    const Schema schema =
        testing::mixed_schema(trial % 2 == 0 ? Task::classification : Task::regression);
    const Table table = testing::random_table(schema, 120, random);
    Tree tree = testing::random_tree(schema, {true, false, 8}, random);
    tree.set_leaf_plan({});
    for (NodeIndex i = 0; i < tree.size(); ++i) tree.node(i).model.reset();
    tree.canonicalise();
    recount(tree, table, all_rows(table));
    const Tree refined = refine(table, tree, trial % 4 < 2 ? "" : "gates=hyperplanes");
    EXPECT_LE(loss_of(refined, table), loss_of(tree, table) * (1 + 1e-9)) << trial;
  }
}

TEST(Refine, CountsWhatWrongAnswersCost) {
  // At 0.5 the right leaf has three rows of class 0 and two of class 1. Without costs both leaves
  // answer 0 and no row cares. When missing class 1 costs 10, the right leaf answers 1, and the
  // second and third row are better off on the left.
  const Table table = classes_table({numbers({0, 1, 2, 3, 4, 5})}, {0, 0, 0, 1, 0, 1});
  const Tree tree = stump(table, threshold_gate(0, 0.5));
  EXPECT_EQ(test::cut_of(refine(table, tree), 0), 0.5);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Training training{derived, rows, {}, 1, false, {0, 1, 10, 0}};
  const Tree refined =
      run_recipe(Recipe::parse("refine", {}, true), training, Parallel(1), {}, tree).tree;
  EXPECT_EQ(test::cut_of(refined, 0), 2.5);
  EXPECT_EQ(refined.costs(), training.costs);
  EXPECT_EQ(test::risk_of(refined), 1);
}

TEST(Refine, GivesTheSameTreeOnTwoThreads) {
  const Table table = test::random_table({.rows = 300, .classes = 3, .missing = 0.1}, 9);
  const Tree tree = test::run(table, "grow max-depth=4");
  const std::string one = test::text_of(refine(table, tree, "gates=hyperplanes"), table.schema());
  EXPECT_EQ(test::text_of(refine(table, tree, "gates=hyperplanes", Parallel(2)), table.schema()),
            one);
}

TEST(Refine, TakesARowOfWeightTwoAsTwoRows) {
  const Table table = test::random_table({.rows = 150, .classes = 3}, 10);
  std::vector<RowIndex> rows;
  std::vector<double> weights;
  for (RowIndex row = 0; row < table.rows(); ++row) {
    weights.push_back(row % 3 == 0 ? 2 : 1);
    rows.insert(rows.end(), row % 3 == 0 ? 2 : 1, row);
  }
  const Table weighted = test::with_weights(table, weights), repeated = test::part_of(table, rows);
  test::expect_same_tree(test::run(weighted, "grow max-depth=3 | refine"),
                         test::run(repeated, "grow max-depth=3 | refine"), 1e-9);
}

// Trees of C4.5 divide only rows without a value: there are none here.
TEST(Refine, KeepsTheSharesOfMissingValuesWhereNoneIsMissing) {
  const Table table = classes_table({numbers({0, 1, 2, 3, 4, 5, 6, 7})}, {0, 0, 0, 1, 1, 1, 1, 1});
  Tree tree = stump(table, threshold_gate(0, 0.5));
  tree.node(0).missing().rule = MissingRule::shares;
  tree.node(0).missing().shares = {0.125, 0.875};
  const Tree refined = refine(table, tree);
  EXPECT_EQ(test::cut_of(refined, 0), 2.5);
  EXPECT_EQ(refined.node(0).missing().rule, MissingRule::shares);
  EXPECT_EQ(refined.node(0).missing().shares, (std::vector<double>{0.375, 0.625}));
  const Table complete = test::random_table(
      {.rows = 300, .classes = 3, .numeric = 3, .nominal = 2, .missing = 0, .noise = 0.3}, 11);
  const std::string grow = "grow criterion=gain-ratio nominal=every-level missing=fractional ";
  EXPECT_LE(test::risk_of(test::run(complete, grow + "max-leaves=9 | refine")),
            test::risk_of(test::run(complete, grow + "max-leaves=9")));
  const Table holes = test::random_table({.rows = 100, .classes = 2, .missing = 0.2}, 12);
  EXPECT_THROW(test::run(holes, grow + "| refine"), Error);
}

TEST(Refine, RefusesSoftTrees) {
  const Table table = classes_table({numbers({0, 1, 2, 3})}, {0, 0, 1, 1});
  ScoreGate soft = threshold_gate(0, 0.5);
  soft.link = {LinkForm::logistic, 0, 0};
  const Tree tree = stump(table, soft);
  EXPECT_THROW(refine(table, tree), Error);
}

}  // namespace
}  // namespace softwood
