// The prune stage: how the tree of the sequence is chosen.
#include "stages/prune/prune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/folds.h"
#include "fit/complexity.h"
#include "support/grow.h"
#include "support/iris.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

Trained train(const Table& table, const std::string& recipe, const Table* validation = nullptr,
              uint64_t seed = 1) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  std::vector<RowIndex> validation_rows;
  Training training{derived, rows, std::nullopt, seed};
  if (validation != nullptr) {
    validation_rows = all_rows(*validation);
    training.validation = Sample{validation, validation_rows};
  }
  return run_recipe(Recipe::parse(recipe), training, Parallel(1), {});
}

Table noisy(size_t classes, uint64_t seed, size_t rows = 300) {
  return test::random_table(
      {.rows = rows, .classes = classes, .numeric = 2, .distinct = 0, .noise = 0.4}, seed);
}

TEST(Prune, LeavesTheTableWithTheChosenTree) {
  for (const size_t classes : {0, 2, 3}) {
    const Table table = noisy(classes, 1);
    const Trained trained = train(table, "grow | prune");
    ASSERT_TRUE(trained.report.complexity);
    const ComplexityTable& complexity = *trained.report.complexity;
    const ComplexityRow& row = complexity.rows[complexity.chosen];
    EXPECT_EQ(shape_of(trained.tree).leaves, row.splits + 1);
    EXPECT_NEAR(test::risk_of(trained.tree) / complexity.root_error, row.error, 1e-9);
    for (const ComplexityRow& one : complexity.rows) {
      EXPECT_TRUE(std::isfinite(one.xerror));
      EXPECT_GE(one.xstd, 0);
    }
  }
}

TEST(Prune, ByTheRuleOfOneStandardErrorIsNeverLargerThanByTheMinimum) {
  bool smaller = false;
  for (uint64_t seed = 1; seed < 8; ++seed) {
    const Table table = noisy(3, seed);
    const Trained best = train(table, "grow | prune rule=min"),
                  one_se = train(table, "grow | prune");
    EXPECT_LE(one_se.tree.size(), best.tree.size());
    smaller = smaller || one_se.tree.size() < best.tree.size();
    // The table is the same; only the choice differs.
    const ComplexityTable &a = *best.report.complexity, &b = *one_se.report.complexity;
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (size_t i = 0; i < a.rows.size(); ++i) EXPECT_EQ(a.rows[i].xerror, b.rows[i].xerror);
    EXPECT_LE(b.rows[b.chosen].xerror, a.rows[a.chosen].xerror + a.rows[a.chosen].xstd);
  }
  EXPECT_TRUE(smaller);
}

TEST(Prune, CutsTheTreeOfPureNoiseToTheRoot) {
  const Table table = test::random_table(
      {.rows = 300, .classes = 2, .numeric = 4, .nominal = 0, .distinct = 0, .noise = 1}, 5);
  EXPECT_GT(test::run(table, "grow").size(), 50U);
  EXPECT_EQ(test::run(table, "grow | prune").size(), 1U);
}

TEST(Prune, KeepsATreeWithoutNoise) {
  const Table table = test::random_table(
      {.rows = 500, .classes = 3, .numeric = 1, .nominal = 0, .distinct = 0, .noise = 0}, 5);
  EXPECT_EQ(test::wrong_of(test::run(table, "grow | prune rule=min"), table), 0);
}

TEST(Prune, WithAlphaTakesTheTreeOfThatCost) {
  const Table table = test::iris_table();
  // Gini tree of iris: cp 0.5, 0.44, 0.02, … : at 0.45 one split is left, at 0.1 two, at 1 none.
  EXPECT_EQ(train(table, "grow | prune alpha=0.45").tree.size(), 3U);
  EXPECT_EQ(train(table, "grow | prune alpha=0.1").tree.size(), 5U);
  EXPECT_EQ(train(table, "grow | prune alpha=1").tree.size(), 1U);
  EXPECT_EQ(train(table, "grow | prune alpha=1e18").tree.size(), 1U);
  // Alpha 0 only drops splits that gain nothing.
  const Trained whole = train(table, "grow"), zero = train(table, "grow | prune alpha=0");
  EXPECT_EQ(test::risk_of(whole.tree), test::risk_of(zero.tree));
  EXPECT_LE(zero.tree.size(), whole.tree.size());
  // And no cross-validation is made.
  EXPECT_TRUE(std::isnan(zero.report.complexity->rows[0].xerror));
}

TEST(Prune, ChosenRowIsTheTreeOfThatAlpha) {
  const Table table = noisy(3, 3);
  Tree grown = test::run(table, "grow");
  fit::note_alphas(grown, fit::Sequence::weakest_link);
  for (const double alpha : {0.0, 0.001, 0.004, 0.01, 0.03, 0.1, 0.5}) {
    const Trained trained = train(table, "grow | prune alpha=" + std::to_string(alpha));
    const ComplexityTable& complexity = *trained.report.complexity;
    test::expect_same_tree(trained.tree, fit::pruned_at(grown, alpha));
    EXPECT_EQ(complexity.rows[complexity.chosen].splits + 1, shape_of(trained.tree).leaves);
  }
}

TEST(Prune, LetsValidationRowsChoose) {
  for (const size_t classes : {0, 3}) {
    const Table table = noisy(classes, 4), validation = noisy(classes, 40, 400);
    const Trained trained = train(table, "grow | prune rule=min", &validation);
    const ComplexityTable& complexity = *trained.report.complexity;
    // No tree of the sequence is better on the validation rows.
    Tree grown = test::run(table, "grow");
    fit::note_alphas(grown, fit::Sequence::weakest_link);
    const auto rows = all_rows(validation);
    double least = INFINITY;
    for (const ComplexityRow& row : complexity.rows) {
      const std::vector<double> alpha = {row.cp};
      const double error = fit::sequence_errors(grown, alpha, validation, rows, rows).sum[0];
      // Relative to what the root's error on 300 rows is worth on 400.
      EXPECT_NEAR(row.xerror, error / (complexity.root_error * 400 / 300), 1e-9);
      least = std::min(least, error);
    }
    const std::vector<double> chosen = {complexity.rows[complexity.chosen].cp};
    EXPECT_NEAR(fit::sequence_errors(grown, chosen, validation, rows, rows).sum[0], least,
                1e-9 * least);
    // Another seed draws no other folds: there are none.
    test::expect_same_tree(train(table, "grow | prune rule=min", &validation, 77).tree,
                           trained.tree);
  }
}

TEST(Prune, CrossValidatesFoldByFold) {
  // The table's errors are those of the same recipe on the rows outside each fold.
  const Table table = noisy(2, 6, 120);
  const Trained trained = train(table, "grow min-leaf=3 | prune folds=4");
  const ComplexityTable& complexity = *trained.report.complexity;
  const auto rows = all_rows(table);
  const auto fold = stratified_folds(table, rows, 4, 1);
  const std::vector<double> alphas = fit::typical_alphas(complexity);
  std::vector<double> sums(alphas.size(), 0.0);
  for (uint32_t f = 0; f < 4; ++f) {
    std::vector<RowIndex> inside, outside;
    for (const RowIndex row : rows) (fold[row] == f ? inside : outside).push_back(row);
    Tree tree = test::run(test::part_of(table, outside), "grow min-leaf=3");
    fit::note_alphas(tree, fit::Sequence::weakest_link);
    for (size_t i = 0; i < alphas.size(); ++i) {
      // The same cost of a leaf for each row, as a share of that tree's root risk.
      const double alpha = i == 0 ? INFINITY
                                  : alphas[i] * (complexity.root_error / complexity.root_weight) /
                                        (tree.risk(0) / tree.weight(0));
      sums[i] += test::wrong_of(fit::pruned_at(tree, alpha), test::part_of(table, inside));
    }
  }
  for (size_t i = 0; i < alphas.size(); ++i) {
    EXPECT_NEAR(complexity.rows[i].xerror, sums[i] / complexity.root_error, 1e-9);
    // Errors are 0 or 1: the variance sum is e - e^2/n.
    EXPECT_NEAR(complexity.rows[i].xstd,
                std::sqrt(sums[i] - sums[i] * sums[i] / 120) / complexity.root_error, 1e-9);
  }
}

TEST(Prune, SaysThatItDoesNotJudgeByMedians) {
  const Table table = test::numbers_table({test::numbers({1, 2, 3, 4})}, {1, 1, 5, 9});
  const auto notes_of = [&](const std::string& recipe) {
    Derived derived(table);
    const std::vector<RowIndex> rows = all_rows(table);
    Control control;
    std::string notes;
    control.note = [&](const Note& note) { notes += note.message; };
    run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1}, Parallel(1), control);
    return notes;
  };
  EXPECT_NE(notes_of("grow criterion=mae | prune alpha=0").find("squared errors of means"),
            std::string::npos);
  EXPECT_EQ(notes_of("grow | prune alpha=0"), "");
}

TEST(Prune, TakesAsManyFoldsAsThereAreRows) {
  const Table table = test::classes_table({test::numbers({1, 2, 3, 4, 5, 6})}, {0, 0, 0, 1, 1, 1});
  const Trained trained = train(table, "grow | prune folds=1000 rule=min");
  ASSERT_EQ(trained.report.complexity->rows.size(), 2U);
  // Leave one out. By the split: rows 3 and 4 are next to the cut, but midpoints 3 and 4 go to the
  // left, so 3 is right and 4 (cut 4 = (3 + 5) / 2, not above it) is wrong. By the root: the
  // majority of the other five is always the other class, all wrong.
  EXPECT_DOUBLE_EQ(trained.report.complexity->rows[0].xerror, 2);
  EXPECT_DOUBLE_EQ(trained.report.complexity->rows[1].xerror, 1.0 / 3);
  EXPECT_EQ(trained.tree.size(), 3U);
}

TEST(Prune, AcceptsRareClassesAndTinyTables) {
  for (const size_t rows : {1, 2, 3, 5}) {
    std::vector<double> x;
    std::vector<int32_t> y;
    for (size_t i = 0; i < rows; ++i) {
      x.push_back(static_cast<double>(i));
      y.push_back(i == 0 ? 1 : 0);  // one row of its class: some fold trains without it
    }
    const Table table = test::classes_table({test::numbers(x)}, y);
    const Trained trained = train(table, "grow | prune");
    EXPECT_GE(trained.tree.size(), 1U);
    for (const ComplexityRow& row : trained.report.complexity->rows) {
      EXPECT_FALSE(std::isinf(row.xerror));
    }
    const Table line = test::numbers_table({test::numbers(x)}, x);
    EXPECT_GE(train(line, "grow | prune").tree.size(), 1U);
  }
}

TEST(Prune, OfAPrunedTreeChangesNothing) {
  const Table table = noisy(3, 8);
  test::expect_same_tree(test::run(table, "grow | prune alpha=0.02 | prune alpha=0.02"),
                         test::run(table, "grow | prune alpha=0.02"));
}

TEST(Prune, ScalesWithTheWeights) {
  // All weights times 3: the same shares and folds. A weight counts as that many rows, so the
  // standard error is smaller by the root of 3.
  for (const size_t classes : {0, 3}) {
    const Table table = noisy(classes, 9);
    const Table heavy = test::with_weights(table, std::vector<double>(table.rows(), 3.0));
    const Trained light = train(table, "grow | prune rule=min"),
                  other = train(heavy, "grow | prune rule=min");
    ASSERT_EQ(light.tree.size(), other.tree.size());
    for (size_t i = 0; i < light.report.complexity->rows.size(); ++i) {
      const ComplexityRow &a = light.report.complexity->rows[i],
                          &b = other.report.complexity->rows[i];
      EXPECT_NEAR(a.cp, b.cp, 1e-9);
      EXPECT_NEAR(a.error, b.error, 1e-9);
      EXPECT_NEAR(a.xerror, b.xerror, 1e-9);
      EXPECT_NEAR(a.xstd, b.xstd * std::sqrt(3.0), 1e-9);
    }
  }
}

// Errors on the training rows rise by at most one standard error, and the next weakest branch would
// take them beyond it.
TEST(Prune, GloballyCutsTheWeakestBranchesWithinOneStandardError) {
  bool any = false;
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const Table table = noisy(3, seed);
    const std::string recipe = "grow min-leaf=4 | prune by=pessimistic cf=0.5 raise=no";
    const Tree before = train(table, recipe).tree;
    Tree after = train(table, recipe + " global=yes").tree;
    const double errors = test::risk_of(before);
    const double most = errors + std::sqrt(errors * (1 - errors / before.weight(0)));
    any = any || shape_of(after).leaves < shape_of(before).leaves;
    EXPECT_LE(test::risk_of(after), most * (1 + 1e-9));
    ASSERT_GT(after.size(), 1U);
    fit::note_alphas(after, fit::Sequence::weakest_link);
    const ComplexityTable next = fit::complexity_table(after);
    EXPECT_GT(next.rows[next.rows.size() - 2].error * next.root_error, most);
  }
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace softwood
