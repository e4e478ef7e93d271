// Missing values and levels without rows at nodes that ask for a nominal input.
#include <gtest/gtest.h>

#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

// Missing as one more level.
TEST(MissingLevel, CanBeSeparatedFromAllOthers) {
  for (const char* recipe : {"grow", "grow nominal=multiway", "grow search=binned"}) {
    const Table table =
        test::classes_table({test::codes({0, 1, 0, 1, -1, -1})}, {0, 0, 0, 0, 1, 1});
    const Tree tree = test::run(table, recipe);
    ASSERT_FALSE(tree.node(0).is_leaf()) << recipe;
    EXPECT_EQ(tree.node(0).missing().rule, MissingRule::child);
    const NodeIndex of_missing = tree.node(0).first_child + tree.node(0).missing().child;
    EXPECT_EQ(test::sums_of(tree, of_missing), (std::vector<double>{0, 2})) << recipe;
    EXPECT_EQ(test::wrong_of(tree, table), 0) << recipe;
  }
}

TEST(MissingLevel, JoinsTheLevelsItIsLike) {
  const Table table = test::classes_table({test::codes({0, 0, 1, 1, -1, -1})}, {0, 0, 1, 1, 1, 1});
  for (const char* recipe : {"grow", "grow search=binned"}) {
    const Tree tree = test::run(table, recipe);
    const auto& gate = *level_map(tree.node(0).gate());
    EXPECT_EQ(static_cast<int32_t>(tree.node(0).missing().child), gate.child_of_level[1]) << recipe;
    EXPECT_NE(gate.child_of_level[0], gate.child_of_level[1]) << recipe;
  }
}

TEST(UnseenLevel, GoesWhereMissingValuesGo) {
  // Level 2 is in the schema, but no row has it; none is missing: the heavier child takes both.
  Schema schema;
  schema.features = {{"colour", Kind::nominal, {"red", "green", "blue"}}};
  schema.target = {"class", Kind::nominal, {"a", "b"}};
  const Table table(schema, 5, {test::codes({0, 0, 0, 1, 1})}, test::codes({0, 0, 0, 1, 1}), {});
  for (const char* recipe : {"grow", "grow nominal=multiway", "grow search=binned"}) {
    const Tree tree = test::run(table, recipe);
    const auto& gate = *level_map(tree.node(0).gate());
    EXPECT_EQ(gate.child_of_level[2], -1) << recipe;
    const Table fresh(schema, 2, {test::codes({2, -1})}, test::codes({0, 0}), {});
    EXPECT_EQ(test::wrong_of(tree, fresh), 0) << recipe;
  }
}

}  // namespace
}  // namespace softwood
