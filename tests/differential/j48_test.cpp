// Trees and answers of Weka's J48, as recorded by `make peers`.
#include <gtest/gtest.h>

#include <cmath>

#include "stages/prune/pessimistic.h"
#include "support/grow.h"
#include "support/names.h"
#include "support/records.h"
#include "support/trees.h"

namespace softwood {
namespace {

using nlohmann::json;

class J48 : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    record_ = test::read_record("j48", GetParam());
    if (!test::has_data(GetParam())) GTEST_SKIP() << "this large set is not here";
  }
  json record_;
};
INSTANTIATE_TEST_SUITE_P(Sets, J48, testing::ValuesIn(test::recorded_sets("j48")), test::ByText());

class SlowJ48 : public J48 {};
INSTANTIATE_TEST_SUITE_P(Sets, SlowJ48, testing::ValuesIn(test::recorded_sets("j48")),
                         test::ByText());

bool same_gate(const Tree& tree, NodeIndex node, const json& theirs, size_t i) {
  if (test::feature_of(tree, node) != theirs["input"][i].get<uint32_t>()) return false;
  if (tree.children(node) != theirs["children"][i].size()) return false;
  if (theirs["cut"][i].is_null()) return true;
  // J48 prints 6 decimals.
  const double cut = theirs["cut"][i];
  return std::abs(test::cut_of(tree, node) - cut) <= 5.1e-7 + 1e-12 * std::abs(cut);
}

// Walks both trees; returns the number of places below which they are not the same.
size_t count_differences(const Tree& tree, const json& theirs) {
  size_t differences = 0;
  std::vector<std::pair<NodeIndex, size_t>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [node, i] = open.back();
    open.pop_back();
    const bool is_leaf = theirs["input"][i].get<int>() < 0;
    if (tree.node(node).is_leaf() != is_leaf || (!is_leaf && !same_gate(tree, node, theirs, i))) {
      ++differences;
      continue;
    }
    if (is_leaf) {
      // Printed with 2 decimals; the class of an empty leaf is that of its parent.
      EXPECT_NEAR(tree.weight(node), theirs["weight"][i].get<double>(), 0.0051);
      EXPECT_NEAR(tree.risk(node), theirs["errors"][i].get<double>(), 0.0051);
      continue;
    }
    for (uint32_t c = 0; c < tree.children(node); ++c) {
      open.emplace_back(tree.node(node).first_child + c, theirs["children"][i][c].get<size_t>());
    }
  }
  return differences;
}

TEST_P(J48, GrowsTheSameTree) {
  const Table table = test::whole_set(record_);
  const std::string recipe = find_method("c45").recipe;
  Tree grown = test::run(table, recipe.substr(0, recipe.find(" |")));
  prune::collapse(grown);
  EXPECT_EQ(count_differences(grown, record_["trees"][0]), 0U);
  EXPECT_EQ(count_differences(test::run(table, recipe), record_["trees"][1]), 0U);
}

TEST_P(SlowJ48, IsRightAboutTheSameRowsInCrossValidation) {
  const Table table = test::whole_set(record_);
  const Recipe recipe = Recipe::parse(find_method("c45").recipe);
  constexpr size_t folds = 10;
  size_t only_ours = 0, only_theirs = 0;
  Derived derived(table);
  for (size_t fold = 0; fold < folds; ++fold) {
    std::vector<RowIndex> train, held_out;
    for (const RowIndex row : all_rows(table)) {
      (row % folds == fold ? held_out : train).push_back(row);
    }
    const Tree tree = run_recipe(recipe, {derived, train, {}, 1}, Parallel(1), {}).tree;
    const std::vector<uint32_t> answers = predict_classes(tree, table, held_out, Parallel(1));
    for (size_t i = 0; i < held_out.size(); ++i) {
      const int32_t truth = table.target().codes[held_out[i]];
      const bool ours = static_cast<int32_t>(answers[i]) == truth;
      const bool theirs = record_["predicted"][held_out[i]].get<int32_t>() == truth;
      only_ours += ours && !theirs ? 1 : 0;
      only_theirs += theirs && !ours ? 1 : 0;
    }
  }
  // In one fold of satimage the gains of two thresholds differ by 1.4e-7 bits, which J48 takes for
  // a tie: it cuts at the first, we at the better one.
  const size_t explained = GetParam() == "satimage" ? 2 : 0;
  EXPECT_EQ(only_ours, explained);
  EXPECT_EQ(only_theirs, explained);
}

}  // namespace
}  // namespace softwood
