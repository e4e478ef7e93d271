// Which recipes are trained on rows in parts.
#include "softwood/cluster.h"

#include <gtest/gtest.h>

#include "softwood/softwood.h"

namespace softwood {
namespace {

bool for_parts(const std::string& recipe, const std::vector<std::string>& settings = {}) {
  TrainSettings train;
  train.recipe = recipe;
  train.settings = settings;
  return is_for_parts(train);
}

TEST(ClusterRecipes, GrowingIsBinnedWhereItCanBe) {
  EXPECT_TRUE(for_parts("grow"));
  EXPECT_TRUE(for_parts("grow | prune"));
  EXPECT_TRUE(for_parts("grow criterion=entropy max-depth=3"));
  EXPECT_FALSE(for_parts("grow search=exact"));
  EXPECT_FALSE(for_parts("grow", {"grow.search=exact"}));
}

TEST(ClusterRecipes, WhatBinsCannotDoNeedsRowsTogether) {
  for (const std::string options :
       {"max-leaves=8", "missing=impute", "missing=fractional", "cut-at=data-point",
        "nominal=every-level", "criterion=gain-ratio", "criterion=mae", "leaf=ridge",
        "leaf=naive-bayes", "split=oblique", "significance=0.05", "monotone=x:+"}) {
    EXPECT_FALSE(for_parts("grow " + options)) << options;
  }
  EXPECT_FALSE(for_parts("grow | prune", {"grow.max-leaves=8"}));
}

// Who asks for bins is told what does not work with them.
TEST(ClusterRecipes, BinsThatAreAskedForAreNotLeftOut) {
  for (const std::string options : {"max-leaves=8", "missing=impute", "missing=fractional",
                                    "cut-at=data-point", "leaf=ridge", "split=oblique"}) {
    EXPECT_THROW(for_parts("grow search=binned " + options), Error) << options;
    EXPECT_THROW(for_parts("grow " + options, {"grow.search=binned"}), Error) << options;
  }
  EXPECT_THROW(for_parts("grow max-leave=8"), Error);
}

TEST(ClusterRecipes, EveryMethodIsForPartsOrNot) {
  std::vector<std::string> in_parts;
  for (const MethodInfo& method : method_table()) {
    TrainSettings settings;
    settings.method = method.name;
    if (is_for_parts(settings)) in_parts.push_back(method.name);
  }
  EXPECT_EQ(in_parts, std::vector<std::string>{"cart"});
}

}  // namespace
}  // namespace softwood
