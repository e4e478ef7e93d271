#include "tree/show.h"

#include <gtest/gtest.h>

#include "support/sample_models.h"

namespace softwood {
namespace {

TEST(Show, TreeHasALineANode) {
  EXPECT_EQ(
      show_tree(testing::iris_model()),
      R"(                             node    n  species     share  setosa  versicolor  virginica
all rows                        0  150  setosa      0.333      50          50         50
├─ petal_length <= 2.45 *       1   50  setosa      1.000      50           0          0
└─ petal_length > 2.45          2  100  versicolor  0.500       0          50         50
   ├─ petal_width <= 1.75 *     3   54  versicolor  0.907       0          49          5
   └─ petal_width > 1.75 *      4   46  virginica   0.978       0           1         45
* leaf
)");
}

TEST(Show, RegressionTreeShowsMeanAndSpread) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  model.tree.split(0, threshold_gate(2, 0.5), {});
  const double sums[3][3] = {{10, 2.5, 40}, {4, 1, 4}, {6, 3.5, 13.5}};
  for (NodeIndex i = 0; i < 3; ++i) std::copy_n(sums[i], 3, model.tree.sums(i).begin());
  EXPECT_EQ(show_tree(model),
            R"(                   node   n    y   sd
all rows              0  10  2.5    2
├─ grade <= low *     1   4    1    1
└─ grade > low *      2   6  3.5  1.5
* leaf
)");
}

TEST(Show, RulesSayWhenAndHowSure) {
  EXPECT_EQ(show_rules(testing::iris_model()),
            R"(Rule 1 (node 1, 50 of 150 rows, 33.3 %)
    if  petal_length <= 2.45
  then  species = setosa, 100.0 %

Rule 2 (node 3, 54 of 150 rows, 36.0 %)
    if  petal_length > 2.45
   and  petal_width <= 1.75
  then  species = versicolor, 90.7 %

Rule 3 (node 4, 46 of 150 rows, 30.7 %)
    if  petal_length > 2.45
   and  petal_width > 1.75
  then  species = virginica, 97.8 %
)");
}

TEST(Show, TableLooksLikePrintcp) {
  EXPECT_EQ(show_table(testing::iris_model()),
            R"(Root node error: 100/150 = 0.66667

n = 150

     CP  nsplit  rel error  xerror    xstd
1   0.5       0          1    1.14  0.0523
2  0.44       1        0.5    0.64  0.0611
3  0.01       2       0.06    0.09  0.0291  <- chosen
)");
}

TEST(Show, TableWithoutCrossValidationHasFewerColumns) {
  Model model = testing::iris_model();
  for (ComplexityRow& row : model.complexity->rows) row.xerror = row.xstd = no_note;
  EXPECT_EQ(show_table(model).find("xerror"), std::string::npos);
  model.complexity.reset();
  EXPECT_NE(show_table(model).find("no cost-complexity table"), std::string::npos);
}

TEST(Show, SummaryTellsSizeAndOrigin) {
  EXPECT_EQ(show_summary(testing::iris_model()),
            R"(target      species (classification, 3 classes: setosa, versicolor, virginica)
tree        5 nodes, 3 leaves, depth 2, 7 parameters
features    2 of 4 used: petal_length, petal_width
method      cart
recipe      grow | prune
rows        150, fingerprint 0123456789abcdef
seed        1
version     0.1.0
)");
}

TEST(Show, ManyClassesShareAColumn) {
  Model model{testing::mixed_schema(Task::classification), Tree(Task::classification, 8), {}, {}};
  model.schema.target.levels = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (size_t c = 0; c < 8; ++c) model.tree.sums(0)[c] = static_cast<double>(c);
  EXPECT_NE(show_tree(model).find("h 7, g 6, f 5, ..."), std::string::npos);
}

TEST(Show, PathConditionsAreMergedWhenImplied) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  Tree& tree = model.tree;
  NodeIndex i = tree.split(0, threshold_gate(0, 2.45), {}) + 1;
  i = tree.split(i, LevelsGate{3, 2, {0, 0, 0, 1}}, {});
  i = tree.split(i, threshold_gate(0, 9), {});
  i = tree.split(i, threshold_gate(0, 4.95), {}) + 1;
  i = tree.split(i, LevelsGate{3, 2, {0, 1, 0, -1}}, {});
  EXPECT_EQ(path_conditions(model, i),
            (std::vector<std::string>{"a > 4.95", "colour in {red, blue}", "a <= 9"}));
  EXPECT_TRUE(path_conditions(model, 0).empty());
}

TEST(Show, SoftConditionsAreNotMerged) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  ScoreGate soft = threshold_gate(0, 2);
  soft.link = {LinkForm::ramp, 1, 1};
  const NodeIndex i = model.tree.split(0, soft, {});
  const NodeIndex j = model.tree.split(i, threshold_gate(0, 1), {});
  EXPECT_EQ(path_conditions(model, j),
            (std::vector<std::string>{"a <= 2 (soft from 1 to 3)", "a <= 1"}));
}

}  // namespace
}  // namespace softwood
