// What must not change a tree: how weight is written down, rows without weight, threads, shards,
// the way messages travel, saving and loading, running twice.
#include <gtest/gtest.h>

#include "stages/grow/binned.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

using test::text_of;

struct Case {
  const char* recipe;
  size_t classes;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.recipe << ", " << c.classes << " classes";
}
class Invariance : public testing::TestWithParam<Case> {
 protected:
  static Table table_of(size_t rows, uint64_t seed) {
    return test::random_table({.rows = rows,
                               .classes = GetParam().classes,
                               .numeric = 3,
                               .nominal = 2,
                               .ordinal = 1,
                               .distinct = 40,
                               .missing = 0.1,
                               .noise = 0.4},
                              seed);
  }
  static double tolerance() { return GetParam().classes > 0 ? 0 : 1e-9; }
};
INSTANTIATE_TEST_SUITE_P(
    Recipes, Invariance,
    testing::Values(Case{"grow", 2}, Case{"grow", 4}, Case{"grow", 0},
                    Case{"grow criterion=entropy min-leaf=3", 3}, Case{"grow nominal=multiway", 3},
                    Case{"grow nominal=multiway", 0}, Case{"grow max-leaves=15", 2},
                    Case{"grow missing=surrogate", 3}, Case{"grow missing=surrogate", 0},
                    Case{"grow missing=separate", 3}, Case{"grow missing=impute", 2},
                    Case{"grow search=binned", 3}, Case{"grow search=binned", 0},
                    Case{"grow search=binned bins=6", 3}, Case{"grow search=binned bins=6", 0},
                    Case{"grow search=binned max-leaves=9", 2},
                    Case{"grow search=binned nominal=multiway min-leaf=4", 3},
                    Case{"grow | prune alpha=0.01", 3}, Case{"grow | prune alpha=0.01", 0},
                    Case{"grow | prune alpha=0.02 sequence=rpart", 3},
                    Case{"grow search=binned | prune alpha=0.01", 2},
                    Case{"evolve alpha=0.0025 patience=10", 3},
                    Case{"evolve alpha=0.0025 patience=10", 0},
                    Case{"evolve alpha=0.0025 split=oblique patience=5", 3},
                    Case{"evolve alpha=0.0025 split=oblique patience=5", 0}),
    test::ByText());

TEST_P(Invariance, WeightTwoIsTheRowTwice) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const Table table = table_of(200, seed);
    std::vector<double> weights(table.rows(), 1.0);
    std::vector<RowIndex> rows;
    for (RowIndex row = 0; row < table.rows(); ++row) {
      rows.push_back(row);
      if (row % 3 == 0) {
        weights[row] = 2;
        rows.push_back(row);
      }
    }
    const Tree weighted = test::run(test::with_weights(table, weights), GetParam().recipe);
    const Tree repeated = test::run(test::part_of(table, rows), GetParam().recipe);
    EXPECT_GT(weighted.size(), 3U);
    test::expect_same_tree(weighted, repeated, tolerance());
  }
}

TEST_P(Invariance, WeightsOfOneAreNoWeights) {
  const Table table = table_of(200, 11);
  test::expect_same_tree(
      test::run(test::with_weights(table, std::vector<double>(200, 1.0)), GetParam().recipe),
      test::run(table, GetParam().recipe));
}

TEST_P(Invariance, RowsWithoutWeightChangeNothing) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    const Table table = table_of(200, seed);
    std::vector<double> weights(table.rows(), 1.0);
    std::vector<RowIndex> rows;
    for (RowIndex row = 0; row < table.rows(); ++row) {
      if (row % 3 == 0) {
        weights[row] = 0;
      } else {
        rows.push_back(row);
      }
    }
    test::expect_same_tree(test::run(test::with_weights(table, weights), GetParam().recipe),
                           test::run(test::part_of(table, rows), GetParam().recipe));
  }
}

TEST_P(Invariance, TwoRunsGiveTheSameBytes) {
  const Table table = table_of(300, 1);
  EXPECT_EQ(text_of(test::run(table, GetParam().recipe), table.schema()),
            text_of(test::run(table, GetParam().recipe), table.schema()));
}

TEST_P(Invariance, SavedAndLoadedTheBytesAreTheSame) {
  const Table table = table_of(300, 2);
  const std::string text = text_of(test::run(table, GetParam().recipe), table.schema());
  EXPECT_EQ(model_to_text(model_from_text(text, "test")), text);
}

TEST_P(Invariance, TheOnlyUserOfTheSortedColumnsMayTakeThem) {
  const Table table = table_of(300, 3);
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Training training{
      .derived = derived, .rows = rows, .validation = {}, .seed = 1, .only_use = true};
  EXPECT_EQ(text_of(run_recipe(Recipe::parse(GetParam().recipe), training, Parallel(1), {}).tree,
                    table.schema()),
            text_of(test::run(table, GetParam().recipe), table.schema()));
}

// Rows of weight 0 that are the only ones of a level, of a missing cell, or between two values.
TEST(NoWeight, RowsAreNotSeenByLevelsThresholdsOrMissingValues) {
  const Column level = test::codes({0, 0, 1, 1, 2, -1});
  const Column number = test::numbers({1, 1, 5, 5, 2, missing_number});
  const std::vector<int32_t> classes = {0, 0, 1, 1, 1, 0};
  const std::vector<double> weights = {1, 1, 1, 1, 0, 0};
  for (const char* recipe : {"grow", "grow nominal=multiway", "grow search=binned",
                             "grow search=binned nominal=multiway"}) {
    for (const Column& column : {level, number}) {
      const Table table = test::classes_table({column}, classes, weights);
      test::expect_same_tree(test::run(table, recipe),
                             test::run(test::part_of(table, {0, 1, 2, 3}), recipe));
    }
  }
}

TEST(NoWeight, RowsChangeNothingInCrossValidatedPruning) {
  const Table table = test::random_table({.rows = 150, .classes = 2}, 3);
  std::vector<double> weights(table.rows(), 1.0);
  std::vector<RowIndex> rows;
  for (RowIndex row = 0; row < table.rows(); ++row) {
    if (row % 5 == 0) {
      weights[row] = 0;
    } else {
      rows.push_back(row);
    }
  }
  test::expect_same_tree(test::run(test::with_weights(table, weights), "grow | prune"),
                         test::run(test::part_of(table, rows), "grow | prune"));
}

// Large enough for the parallel paths: 200 000 cells in exact growth, 50 000 rows in binned.
Table large_table(size_t classes) {
  return test::random_table({.rows = 60000,
                             .classes = classes,
                             .numeric = 4,
                             .nominal = 1,
                             .levels = 20,
                             .distinct = 0,
                             .missing = 0.05,
                             .noise = 0.2},
                            7);
}

class Threads : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Recipes, Threads,
                         testing::Values(Case{"grow", 2}, Case{"grow", 0},
                                         Case{"grow criterion=entropy nominal=multiway", 4},
                                         Case{"grow max-leaves=40", 3},
                                         Case{"grow search=binned", 3},
                                         Case{"grow search=binned", 0},
                                         Case{"grow search=binned max-leaves=40", 2},
                                         Case{"grow max-depth=8 | prune folds=3", 0},
                                         Case{"grow search=binned max-depth=6 | prune folds=3", 0}),
                         test::ByText());

TEST_P(Threads, DoNotChangeTheBytes) {
  const Table table = large_table(GetParam().classes);
  const std::string one = text_of(test::run(table, GetParam().recipe, Parallel(1)), table.schema());
  EXPECT_GT(one.size(), 3000U);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(text_of(test::run(table, GetParam().recipe, Parallel(threads)), table.schema()), one)
        << threads;
  }
}

Tree grow_on_shards(const Table& table, const std::string& recipe, size_t shards,
                    Transport transport) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Recipe parsed = Recipe::parse(recipe);
  const Parallel parallel(2);
  const Control control;
  StageReport report;
  Context context{.derived = derived,
                  .last_use = false,
                  .rows = rows,
                  .validation = {std::nullopt, report.validation_used},
                  .options = parsed.steps()[0].options,
                  .seed = 1,
                  .parallel = parallel,
                  .control = control,
                  .report = report,
                  .rerun = {}};
  return grow::grow_binned(context, shards, transport);
}

class Shards : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Recipes, Shards,
                         testing::Values(Case{"grow search=binned", 2},
                                         Case{"grow search=binned", 4},
                                         Case{"grow search=binned", 0},
                                         Case{"grow search=binned nominal=multiway", 3},
                                         Case{"grow search=binned max-leaves=25 bins=16", 0},
                                         Case{"grow search=binned bins=700", 3}),
                         test::ByText());

TEST_P(Shards, AndTransportDoNotChangeTheBytes) {
  Table table = test::random_table({.rows = 3000,
                                    .classes = GetParam().classes,
                                    .numeric = 3,
                                    .nominal = 2,
                                    .ordinal = 1,
                                    .distinct = 0,
                                    .missing = 0.1},
                                   5);
  for (const bool weighted : {false, true}) {
    if (weighted) {
      std::vector<double> weights(table.rows());
      Random random(1, "weights");
      for (double& weight : weights) weight = random.uniform() + 0.1;  // not whole numbers
      table = test::with_weights(table, weights);
    }
    const std::string one =
        text_of(grow_on_shards(table, GetParam().recipe, 1, Transport::memory), table.schema());
    EXPECT_GT(one.size(), 3000U);
    for (const size_t shards : {1, 5}) {
      for (const Transport transport : {Transport::memory, Transport::bytes}) {
        EXPECT_EQ(
            text_of(grow_on_shards(table, GetParam().recipe, shards, transport), table.schema()),
            one)
            << shards << " shards, " << (transport == Transport::bytes ? "bytes" : "memory")
            << (weighted ? ", weighted" : "");
      }
    }
  }
}

TEST(ShardCount, MayBeLargerThanTheRows) {
  const Table table = test::classes_table({test::numbers({1, 2, 3})}, {0, 1, 1});
  EXPECT_EQ(
      text_of(grow_on_shards(table, "grow search=binned", 8, Transport::bytes), table.schema()),
      text_of(grow_on_shards(table, "grow search=binned", 1, Transport::memory), table.schema()));
}

// Ten times 0.1 is less than 1 in floating point.
TEST(Weights, ReachLimitsButForRounding) {
  for (const size_t rows : {16, 20}) {
    std::vector<double> x(rows), weights(rows, 2.0 / static_cast<double>(rows));
    std::vector<int32_t> y(rows, 0);
    for (size_t i = 0; i < rows; ++i) {
      x[i] = static_cast<double>(i);
      y[i] = i < rows / 2 ? 0 : 1;
    }
    const Table table = test::with_weights(test::classes_table({test::numbers(x)}, y), weights);
    for (const char* limits : {"min-split=2 min-leaf=0", "min-split=0 min-leaf=1"}) {
      EXPECT_EQ(test::run(table, std::string("grow ") + limits).size(), 3U) << rows << limits;
      EXPECT_EQ(test::run(table, std::string("grow search=binned ") + limits).size(), 3U);
    }
  }
}

}  // namespace
}  // namespace softwood
