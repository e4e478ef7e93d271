#include "study/stability.h"

#include <gtest/gtest.h>

#include "data/draw.h"

namespace softwood {
namespace {

// x decides, z says nothing.
Table clear_table(Task task) {
  Schema schema;
  schema.features = {{"x", Kind::numeric, {}}, {"z", Kind::numeric, {}}};
  schema.target = task == Task::classification ? Feature{"y", Kind::nominal, {"a", "b"}}
                                               : Feature{"y", Kind::numeric, {}};
  ColumnDraft x(Kind::numeric), z(Kind::numeric), y(schema.target.kind);
  for (int i = 0; i < 60; ++i) {
    x.numbers.push_back(i);
    z.numbers.push_back(i * 7 % 11);
    y.numbers.push_back(i < 30 ? 0 : 10);
    y.codes.push_back(i < 30 ? 0 : 1);
  }
  if (task == Task::classification) {
    y.numbers.clear();
  } else {
    y.codes.clear();
  }
  return {schema, 60, {std::move(x), std::move(z)}, std::move(y), {}};
}

TrainRequest request() { return {"", Recipe::parse("grow max-depth=1")}; }

TEST(Stability, AClearSplitComesAgainInEverySample) {
  const Stability stability =
      bootstrap_stability(clear_table(Task::classification), request(), 30, Parallel(2), {});
  ASSERT_EQ(stability.splits.size(), 1U);
  EXPECT_EQ(stability.splits[0].same_place, 1);
  EXPECT_EQ(stability.splits[0].anywhere, 1);
  EXPECT_GT(stability.splits[0].cut_low, 24);
  EXPECT_LT(stability.splits[0].cut_high, 35);
  EXPECT_LE(stability.splits[0].cut_low, 29.5);
  EXPECT_GE(stability.splits[0].cut_high, 29.5);
  EXPECT_GT(stability.agreement, 0.95);
  EXPECT_LT(stability.agreement, 1);
  EXPECT_EQ(stability.leaves, 2);
  EXPECT_TRUE(std::isnan(stability.difference));
}

TEST(Stability, OfNumbersIsADifference) {
  const Stability stability =
      bootstrap_stability(clear_table(Task::regression), request(), 10, Parallel(1), {});
  EXPECT_GT(stability.difference, 0);
  EXPECT_LT(stability.relative_difference, 0.5);
  EXPECT_TRUE(std::isnan(stability.agreement));
}

TEST(Stability, CountsAWeightAsRows) {
  const Table once = clear_table(Task::classification);
  std::vector<double> weights(60, 1.0);
  std::vector<RowIndex> copies;
  for (RowIndex row = 0; row < 60; ++row) {
    weights[row] = row % 3 == 0 ? 4 : 1;
    for (int i = 0; i < weights[row]; ++i) copies.push_back(row);
  }
  const Table weighted(once.schema(), 60, {once.input(0), once.input(1)}, once.target(), weights);
  const Stability by_weight = bootstrap_stability(weighted, request(), 12, Parallel(1), {});
  const Stability by_copies =
      bootstrap_stability(drawn_rows(once, copies), request(), 12, Parallel(1), {});
  EXPECT_DOUBLE_EQ(by_weight.agreement, by_copies.agreement);
  EXPECT_EQ(by_weight.splits[0].cut_low, by_copies.splits[0].cut_low);
}

TEST(Stability, DoesNotDependOnThreads) {
  const Table table = clear_table(Task::classification);
  EXPECT_EQ(bootstrap_stability(table, request(), 8, Parallel(1), {}).agreement,
            bootstrap_stability(table, request(), 8, Parallel(3), {}).agreement);
}

}  // namespace
}  // namespace softwood
