#include "study/train.h"

#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/iris.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

TrainRequest request(const std::string& recipe, bool on_tree = false) {
  return {"", Recipe::parse(recipe, {}, on_tree), 1, nullptr};
}

TEST(Train, RecordsWhereTheModelCameFrom) {
  const Table table = test::iris_table();
  TrainRequest asked = request("grow min-leaf=2 | prune");
  asked.method = "cart";
  asked.seed = 17;
  const TrainOutcome outcome = train(table, asked, Parallel(1), {});
  const Provenance& provenance = outcome.model.provenance;
  EXPECT_EQ(provenance.method, "cart");
  EXPECT_EQ(provenance.recipe, "grow min-leaf=2 | prune");
  EXPECT_EQ(provenance.seed, 17U);
  EXPECT_EQ(provenance.rows, 150U);
  EXPECT_EQ(provenance.fingerprint, table.fingerprint());
  EXPECT_EQ(outcome.stopped, Stopped::converged);
  EXPECT_TRUE(outcome.model.complexity);
  EXPECT_EQ(outcome.model.schema.features, table.schema().features);
}

TEST(Train, UsesValidationRows) {
  // The training rows suggest a split, the validation rows contradict it.
  const Table table = test::classes_table({test::numbers({1, 2, 3})}, {0, 0, 1});
  const Table validation = test::classes_table({test::numbers({1, 3, 3})}, {0, 0, 0});
  TrainRequest asked = request("grow | prune rule=min");
  asked.validation = &validation;
  EXPECT_EQ(train(table, asked, Parallel(1), {}).model.tree.size(), 1U);
}

TEST(Rework, GivesTheModelOfTheWholeRecipe) {
  const Table table = test::iris_table();
  const Model grown = train(table, request("grow min-leaf=2"), Parallel(1), {}).model;
  const Model loaded = model_from_text(model_to_text(grown), "test");
  const Model pruned =
      rework(loaded, table, request("prune rule=min", true), Parallel(1), {}).model;
  const Model whole =
      train(table, request("grow min-leaf=2 | prune rule=min"), Parallel(1), {}).model;
  EXPECT_EQ(model_to_text(pruned), model_to_text(whole));
  EXPECT_EQ(pruned.provenance.recipe, "grow min-leaf=2 | prune rule=min");
}

TEST(Rework, CanBeRepeated) {
  const Table table = test::iris_table();
  const Model grown = train(table, request("grow"), Parallel(1), {}).model;
  const Model once = rework(grown, table, request("prune alpha=0.01", true), Parallel(1), {}).model;
  const Model twice = rework(once, table, request("prune alpha=0.1", true), Parallel(1), {}).model;
  EXPECT_EQ(twice.provenance.recipe, "grow | prune alpha=0.01 | prune alpha=0.1");
  test::expect_same_tree(
      twice.tree, train(table, request("grow | prune alpha=0.1"), Parallel(1), {}).model.tree);
}

TEST(Rework, WorksOnOtherRows) {
  const Table table = test::iris_table();
  std::vector<RowIndex> even;
  for (RowIndex row = 0; row < 150; row += 2) even.push_back(row);
  const Table half = test::part_of(table, even);
  const Model grown = train(table, request("grow"), Parallel(1), {}).model;
  const Model pruned = rework(grown, half, request("prune", true), Parallel(1), {}).model;
  EXPECT_LE(pruned.tree.size(), grown.tree.size());
  EXPECT_EQ(pruned.provenance.rows, 75U);
}

}  // namespace
}  // namespace softwood
