// Trees of rpart with a loss matrix or with priors, as recorded by `make peers`.
#include <gtest/gtest.h>

#include "data/class_weights.h"
#include "stages/recipe.h"
#include "support/names.h"
#include "support/records.h"
#include "support/rpart_frame.h"

namespace softwood {
namespace {

using nlohmann::json;

std::vector<double> recorded_priors(size_t classes) {
  std::vector<double> priors(classes);
  for (size_t i = 0; i < classes; ++i) {
    priors[i] = static_cast<double>(2 * (i + 1)) / static_cast<double>(classes * (classes + 1));
  }
  return priors;
}

// rpart was told to split nodes of two rows and more. Its limits count rows, ours the weights that
// priors have altered, which may be small: so nothing but depth limits the growth here.
Tree grow(const Table& table, const std::vector<double>& costs) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Recipe recipe = Recipe::parse("grow min-split=0 min-leaf=0 max-depth=6");
  return run_recipe(recipe, {derived, rows, {}, 1, false, costs}, Parallel(1), {}).tree;
}

struct Compared {
  size_t splits = 0, ties = 0;
};

Compared compare(const std::string& variant, const std::string& set) {
  const json record = test::read_record(variant, set);
  Table table = test::whole_set(record);
  EXPECT_EQ(table.schema().target.levels, record["classes"].get<std::vector<std::string>>());
  const size_t classes = table.schema().classes();
  std::vector<double> costs, factors;
  if (variant == "loss") {
    costs = test::recorded_losses(classes);
  } else {
    factors = factors_for_priors(table, all_rows(table), recorded_priors(classes));
    table = reweighted(table, factors);
  }
  const Tree tree = grow(table, costs);
  Compared compared;
  compared.ties = test::count_ties(tree, record["frame"], factors,
                                   [&](NodeIndex, size_t) { ++compared.splits; });
  return compared;
}

class RpartStakes : public testing::TestWithParam<const char*> {};

// With losses and priors the splits and the risks of the nodes are rpart's.
TEST_P(RpartStakes, GiveTheSameSplits) {
  Compared all, small;  // small: those of the repository
  const test::PresentSets sets = test::present_sets(GetParam());
  for (const std::string& set : sets.names) {
    SCOPED_TRACE(set);
    const Compared one = compare(GetParam(), set);
    Compared& sum = test::is_small_set(set) ? small : all;
    sum.splits += one.splits;
    sum.ties += one.ties;
  }
  RecordProperty("splits", static_cast<int>(all.splits));
  RecordProperty("ties", static_cast<int>(all.ties));
  RecordProperty("small_splits", static_cast<int>(small.splits));
  RecordProperty("small_ties", static_cast<int>(small.ties));
  // Guards against comparing nothing.
  if (sets.all) {
    EXPECT_GE(all.splits, 100U);
  }
  EXPECT_GE(small.splits, 25U);
  // All of them are splits whose improvements agree to 1e-9, most in nodes of a few rows.
  EXPECT_LE(all.ties, 10U);
  EXPECT_LE(small.ties, 4U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RpartStakes, testing::Values("loss", "priors"), test::ByText());

}  // namespace
}  // namespace softwood
