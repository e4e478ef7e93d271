// Where rows go whose value no training row lacked.
#include <gtest/gtest.h>

#include "softwood/error.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

class UnseenMissing : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Recipes, UnseenMissing,
                         testing::Values("grow", "grow | prune by=reduced-error",
                                         "grow | prune by=pessimistic cf=0.5",
                                         "grow max-depth=5 | refine"),
                         test::ByText());

TEST_P(UnseenMissing, GoesToTheHeaviestChild) {
  size_t inner = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Table table = test::random_table(
        {.rows = 400, .classes = 3, .numeric = 4, .nominal = 1, .missing = 0, .noise = 0.4}, seed);
    const Tree tree = test::run(table, GetParam());
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (tree.node(i).is_leaf()) continue;
      ++inner;
      const NodeIndex first = tree.node(i).first_child;
      const double sent = tree.weight(first + tree.node(i).missing().child);
      for (uint32_t c = 0; c < tree.children(i); ++c) EXPECT_LE(tree.weight(first + c), sent);
    }
  }
  EXPECT_GT(inner, 20U);
}

TEST(SplitsBySeveralInputs, RefuseCriteriaWithoutAnImpurity) {
  const Table classes = test::random_table({.rows = 60, .classes = 2, .numeric = 2}, 1);
  const Table numbers = test::random_table({.rows = 60, .classes = 0, .numeric = 2}, 1);
  for (const std::string split : {"oblique", "quadratic", "omnivariate"}) {
    EXPECT_THROW(test::run(classes, "grow criterion=twoing split=" + split), Error);
    EXPECT_THROW(test::run(numbers, "grow criterion=mae split=" + split), Error);
    EXPECT_THROW(test::run(numbers, "grow criterion=poisson split=" + split), Error);
    EXPECT_NO_THROW(test::run(classes, "grow criterion=entropy split=" + split));
  }
}

}  // namespace
}  // namespace softwood
