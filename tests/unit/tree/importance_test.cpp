#include "tree/importance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/sample_models.h"

namespace softwood {
namespace {

TEST(Importance, IsRparts) {
  // rpart(Species ~ ., iris) with its surrogates: 34, 31, 21 and 14 % (summary.rpart).
  Model model = testing::iris_model();
  const auto add = [&](NodeIndex i, uint32_t feature, double adjusted) {
    model.tree.node(i).missing().surrogates.push_back({threshold_gate(feature, 1), 0.9, adjusted});
  };
  add(0, 3, 1);
  add(0, 0, 0.76);
  add(0, 1, 0.5);
  add(2, 2, 37.0 / 46);
  add(2, 0, 19.0 / 46);
  add(2, 1, 13.0 / 46);
  const std::vector<double> importance = importance_of(model);
  EXPECT_EQ(std::lround(100 * importance[3]), 34);
  EXPECT_EQ(std::lround(100 * importance[2]), 31);
  EXPECT_EQ(std::lround(100 * importance[0]), 21);
  EXPECT_EQ(std::lround(100 * importance[1]), 14);
}

TEST(Importance, DecreaseIsThatOfTheSquaredDeviations) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  model.tree.split(0, threshold_gate(0, 0.5), {});
  // {1, 1, 4} and {5, 9}: 46 squared deviations, 6 and 8 after the split.
  const double sums[3][3] = {{5, 4, 44}, {3, 2, 6}, {2, 7, 8}};
  for (NodeIndex i = 0; i < 3; ++i) std::copy_n(sums[i], 3, model.tree.sums(i).begin());
  EXPECT_NEAR(decrease_at(model.tree, 0), 44 - 6 - 8, 1e-12);
  EXPECT_EQ(decrease_at(model.tree, 1), 0);
  // Where the rows {5, 9} stay at the node they count as a child all the same.
  model.tree.sums(2)[0] = 0;
  EXPECT_NEAR(decrease_at(model.tree, 0), 44 - 6 - 8, 1e-12);
}

}  // namespace
}  // namespace softwood
