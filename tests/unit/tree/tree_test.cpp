#include "tree/tree.h"

#include <gtest/gtest.h>

#include "support/sample_models.h"

namespace softwood {
namespace {

TEST(Tree, KnowsItsShape) {
  const Tree tree = testing::iris_model().tree;
  const Shape shape = shape_of(tree);
  EXPECT_EQ(shape.nodes, 5U);
  EXPECT_EQ(shape.leaves, 3U);
  EXPECT_EQ(shape.depth, 2U);
  EXPECT_EQ(shape.parameters, 2U + 1 + 2 + 2);  // cuts, and non-zero probabilities of the leaves
  EXPECT_EQ(shape_of(Tree(Task::regression, 0)).depth, 0U);
}

TEST(Tree, KnowsWhichFeaturesItsAnswersDependOn) {
  Tree tree(Task::regression, 0);
  using Used = std::vector<bool>;
  EXPECT_EQ(features_used(tree, 4), Used(4, false));
  const NodeIndex leaf = tree.split(0, threshold_gate(1, 0.5), {});
  EXPECT_EQ(features_used(tree, 4), (Used{false, true, false, false}));
  tree.node(0).missing().surrogates.push_back({threshold_gate(3, 2.0)});
  EXPECT_EQ(features_used(tree, 4), (Used{false, true, false, true}));
  LeafModel model;
  model.terms = {{TermForm::value, 0}};
  tree.node(leaf).model = Owned<LeafModel>(model);
  EXPECT_EQ(features_used(tree, 4), (Used{true, true, false, true}));
}

TEST(Tree, RiskAndMajorityOfClasses) {
  const Tree tree = testing::iris_model().tree;
  EXPECT_EQ(tree.weight(0), 150);
  EXPECT_EQ(tree.risk(0), 100);
  EXPECT_EQ(tree.majority(0), 0U);  // the first of equals
  EXPECT_EQ(tree.risk(3), 5);
  EXPECT_EQ(tree.majority(3), 1U);
}

TEST(Tree, TrainingMajorityIsThatOfTheRowsBeforeTheyWereWeighed) {
  Tree tree(Task::classification, 3);
  const std::vector<double> counts = {2, 5, 5}, factors = {10, 1, 0.3};
  for (size_t c = 0; c < 3; ++c) tree.sums(0)[c] = counts[c] * factors[c];
  EXPECT_EQ(tree.majority(0), 0U);
  EXPECT_EQ(training_majority(tree, {}), 0U);
  EXPECT_EQ(training_majority(tree, factors), 1U);  // the first of equals
  EXPECT_EQ(training_majority(Tree(Task::regression, 0), {}), 0U);
}

TEST(Tree, MomentsOfRegression) {
  Tree tree(Task::regression, 0);
  tree.sums(0)[0] = 4;
  tree.sums(0)[1] = -2;
  tree.sums(0)[2] = 10;
  EXPECT_EQ(tree.weight(0), 4);
  EXPECT_EQ(tree.mean(0), -2);
  EXPECT_EQ(tree.risk(0), 10);
  EXPECT_EQ(tree.answers(), std::vector<double>{-2});
}

TEST(Tree, NodeThatNoWeightReachedAnswersAsItsAncestor) {
  Tree tree(Task::classification, 2);
  EXPECT_EQ(tree.answers(), (std::vector<double>{0.5, 0.5}));
  tree.sums(0)[0] = 3;
  tree.sums(0)[1] = 1;
  const NodeIndex first = tree.split(0, threshold_gate(0, 1), {});
  tree.sums(first)[0] = 2;
  tree.split(first + 1, threshold_gate(0, 2), {});
  EXPECT_EQ(tree.answers(),
            (std::vector<double>{0.75, 0.25, 1, 0, 0.75, 0.25, 0.75, 0.25, 0.75, 0.25}));
}

TEST(Tree, CanonicaliseOrdersAndDropsWhatIsNotReached) {
  Tree tree(Task::classification, 1);
  tree.split(0, threshold_gate(0, 0), {});  // 1 2
  tree.split(2, threshold_gate(0, 2), {});  // 3 4
  tree.split(1, threshold_gate(0, 1), {});  // 5 6
  tree.split(3, threshold_gate(0, 3), {});  // 7 8
  for (NodeIndex i = 0; i < tree.size(); ++i) tree.sums(i)[0] = i;
  EXPECT_FALSE(is_canonical(tree));
  tree.make_leaf(3);
  tree.canonicalise();
  EXPECT_TRUE(is_canonical(tree));
  ASSERT_EQ(tree.size(), 7U);
  std::vector<double> old;
  for (NodeIndex i = 0; i < tree.size(); ++i) old.push_back(tree.sums(i)[0]);
  EXPECT_EQ(old, (std::vector<double>{0, 1, 2, 5, 6, 3, 4}));
  EXPECT_EQ(parents_of(tree), (std::vector<NodeIndex>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(shape_of(tree).nodes, 7U);
}

TEST(Tree, SplitGivesAsManyChildrenAsTheGateHas) {
  Tree tree(Task::regression, 0);
  EXPECT_EQ(tree.split(0, LevelsGate{3, 4, {0, 1, 2, 3}}, {}), 1U);
  EXPECT_EQ(tree.size(), 5U);
  EXPECT_EQ(tree.children(0), 4U);
}

}  // namespace
}  // namespace softwood
