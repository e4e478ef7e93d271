#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/text.h"
#include "softwood/error.h"
#include "support/sample_models.h"
#include "support/views.h"

namespace softwood {
namespace {

using test::show_rules;
using test::show_summary;
using test::show_table;
using test::show_tree;
using test::show_tree_c50;
using test::show_tree_rpart;

TEST(Show, TreeHasALinePerNode) {
  EXPECT_EQ(
      show_tree(testing::iris_model()),
      R"(                             node    n  species     share  setosa  versicolor  virginica
all rows                        0  150  setosa      0.333      50          50         50
├─ petal_length <= 2.45 *       1   50  setosa      1.000      50           0          0
└─ petal_length > 2.45          2  100  versicolor  0.500       0          50         50
   ├─ petal_width <= 1.75 *     3   54  versicolor  0.907       0          49          5
   └─ petal_width > 1.75 *      4   46  virginica   0.978       0           1         45
* leaf; 5 nodes, 3 leaves, depth 2, 7 parameters
)");
}

TEST(Show, PValuesHaveAColumnWhereThereAreSome) {
  Model model = testing::iris_model();
  model.tree.node(0).notes().log_p = -5000;  // 10^-2171.47
  model.tree.node(2).notes().log_p = std::log(0.0421);
  EXPECT_EQ(
      show_tree(model),
      R"(                             node    n          p  species     share  setosa  versicolor  virginica
all rows                        0  150  3.4e-2172  setosa      0.333      50          50         50
├─ petal_length <= 2.45 *       1   50             setosa      1.000      50           0          0
└─ petal_length > 2.45          2  100      0.042  versicolor  0.500       0          50         50
   ├─ petal_width <= 1.75 *     3   54             versicolor  0.907       0          49          5
   └─ petal_width > 1.75 *      4   46             virginica   0.978       0           1         45
* leaf; 5 nodes, 3 leaves, depth 2, 7 parameters
)");
  model.tree.node(0).notes().log_p = std::log(9.96e-31);
  EXPECT_NE(show_tree(model).find(" 1.0e-30 "), std::string::npos);
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
* leaf; 3 nodes, 2 leaves, depth 1, 3 parameters
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

TEST(Show, SummaryShowsOriginImportanceAndEveryNode) {
  const std::string text = show_summary(testing::iris_model());
  const std::string facts =
      R"(target      species (classification, 3 classes: setosa, versicolor, virginica)
tree        5 nodes, 3 leaves, depth 2, 7 parameters
features    2 of 4 used: petal_length, petal_width
method      cart
recipe      grow | prune
rows        150, fingerprint 0123456789abcdef
seed        1
version     0.1.0

Importance       %
petal_length  56.2  ████████████████████████████████████████
petal_width   43.8  ███████████████████████████████

Cost-complexity table
)";
  EXPECT_EQ(text.substr(0, facts.size()), facts);
  const std::string node = R"(
Node 2: 100 rows (66.7 % of all), species = versicolor
  classes   versicolor 50 (50.0 %), virginica 50 (50.0 %)
  errors    50 (50.0 %)
  impurity  Gini index 0.5, entropy 1 bits
  split     Gini decrease (times n) 38.97, gain 0.3897
            node 3  54 rows  petal_width <= 1.75
            node 4  46 rows  petal_width > 1.75
  missing   no rows in training, else to node 4

Node 3, leaf: 54 rows (36.0 % of all), species = versicolor
  classes   versicolor 49 (90.7 %), virginica 5 (9.3 %)
  errors    5 (9.3 %)
  impurity  Gini index 0.168, entropy 0.4451 bits
)";
  EXPECT_NE(text.find(node), std::string::npos) << text;
}

TEST(Show, SummarySaysWhereRowsWithoutAValueGo) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  model.tree.set_typical({0.25, missing_number, 1, 2, 0});
  model.tree.split(0, threshold_gate(0, 0.5), {});
  Missing& missing = model.tree.node(0).missing();
  const auto said = [&] {
    const std::string text = show_summary(model);
    const size_t at = text.find("  missing   ");
    return text.substr(at + 12, text.find('\n', at) - at - 12);
  };
  missing.weight = 3;
  EXPECT_EQ(said(), "3 rows, to node 1");
  missing.rule = MissingRule::stay;
  EXPECT_EQ(said(), "3 rows, stay here and get this node's answer");
  missing.rule = MissingRule::impute;
  missing.child = 1;
  EXPECT_EQ(said(), "3 rows, taken as a = 0.25, else to node 2");
  EXPECT_NE(show_tree(model).find("a <= 0.5 or missing *"), std::string::npos);
  missing.rule = MissingRule::shares;
  missing.shares = {0.3, 0.7};
  EXPECT_EQ(said(), "3 rows, 30 % to node 1, 70 % to node 2");
  EXPECT_NE(show_tree(model).find("a <= 0.5 or missing (30 %) *"), std::string::npos);
  missing.surrogates.push_back({LevelsGate{4, 2, {1, 0}}, 0.9, 0.6});
  EXPECT_EQ(said(), "3 rows, by the surrogates; else 30 % to node 1, 70 % to node 2");
  EXPECT_NE(show_summary(model).find(R"(
  surrogate agrees  adjusted  to node 1
             0.900     0.600  shape = square
)"),
            std::string::npos)
      << show_summary(model);
}

TEST(Show, SummaryHasThePValue) {
  Model model = testing::iris_model();
  model.tree.node(2).notes().statistic = 12.5;
  model.tree.node(2).notes().log_p = -30 * std::log(10.0) + std::log(1.4);
  EXPECT_NE(
      show_summary(model).find(
          "  split     Gini decrease (times n) 38.97, gain 0.3897, statistic 12.5, p 1.4e-30\n"),
      std::string::npos);
}

TEST(Show, SoftGatesSayWhereTheyPass) {
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  ScoreGate soft = threshold_gate(0, 22.3);
  soft.link = {LinkForm::ramp, 7.1, 8.7};
  model.tree.split(0, soft, {});
  EXPECT_NE(
      show_summary(model).find(
          "  soft      a: all to node 1 below 15.2, all to node 2 above 31, half each at 22.3\n"),
      std::string::npos);
  EXPECT_NE(show_tree_c50(model).find("a <= 15.2 (22.3): 0 (0, sd 0)\na >= 31 (22.3): 0"),
            std::string::npos)
      << show_tree_c50(model);
}

// The examples of print.rpart: iris, and a tree whose sides rpart exchanges.
TEST(Show, RpartLayoutIsRs) {
  EXPECT_EQ(show_tree_rpart(testing::iris_model()),
            R"(n= 150 

node), split, n, loss, yval, (yprob)
      * denotes terminal node

1) root 150 100 setosa (0.33333333 0.33333333 0.33333333)  
  2) petal_length< 2.45 50   0 setosa (1.00000000 0.00000000 0.00000000) *
  3) petal_length>=2.45 100  50 versicolor (0.00000000 0.50000000 0.50000000)  
    6) petal_width< 1.75 54   5 versicolor (0.00000000 0.90740741 0.09259259) *
    7) petal_width>=1.75 46   1 virginica (0.00000000 0.02173913 0.97826087) *
)");
}

TEST(Show, RpartNumbersOfWidePlacesGoOn) {
  // With at most three children, those of k are 3k - 1, 3k and 3k + 1.
  Model model{testing::mixed_schema(Task::regression), Tree(Task::regression, 0), {}, {}};
  const NodeIndex first = model.tree.split(0, LevelsGate{3, 3, {0, 1, 2, 2}}, {});
  model.tree.split(first + 1, threshold_gate(0, 1), {});
  const std::string text = show_tree_rpart(model);
  EXPECT_NE(text.find(" 4) colour=blue,dark \"grey\" 0"), std::string::npos) << text;
  EXPECT_NE(text.find(" 9) a< 1 0"), std::string::npos) << text;
}

TEST(Show, C50LayoutShowsSimpleBranchesFirst) {
  EXPECT_EQ(show_tree_c50(testing::iris_model()), R"(Decision tree:

petal_length <= 2.45: setosa (50)
petal_length > 2.45:
:...petal_width <= 1.75: versicolor (54/5)
    petal_width > 1.75: virginica (46/1)
)");
}

TEST(Show, C50LayoutPutsWideSubtreesApart) {
  Model model = testing::iris_model();
  model.tree.split(3, threshold_gate(0, 5), {});
  model.tree.sums(5)[1] = 49;
  model.tree.sums(6)[2] = 5;
  EXPECT_EQ(show_tree_c50(model, 41), R"(Decision tree:

petal_length <= 2.45: setosa (50)
petal_length > 2.45:
:...petal_width > 1.75: virginica (46/1)
    petal_width <= 1.75: [S1]

SubTree [S1]

sepal_length <= 5: versicolor (49)
sepal_length > 5: virginica (5)
)");
}

TEST(Show, ManyClassesShareAColumn) {
  Model model{testing::mixed_schema(Task::classification), Tree(Task::classification, 8), {}, {}};
  model.schema.target.levels = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (size_t c = 0; c < 8; ++c) model.tree.sums(0)[c] = static_cast<double>(c);
  EXPECT_NE(show_tree(model).find("h 7, g 6, f 5, ..."), std::string::npos);
}

TEST(Show, WeightsAreNotCalledRows) {
  Model model = testing::iris_model();
  model.provenance.class_weights = {0.5, 1, 2.5};
  for (NodeIndex i = 0; i < model.tree.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) model.tree.sums(i)[k] *= model.provenance.class_weights[k];
  }
  model.tree.sums(1)[0] += 1e-12;  // rounding
  EXPECT_NE(show_tree(model).find("node  weight  species"), std::string::npos) << show_tree(model);
  EXPECT_NE(show_rules(model).find("Rule 1 (node 1, weight 25 of 200, 12.5 %)"), std::string::npos)
      << show_rules(model);
  EXPECT_NE(show_rules(model).find("weight 61.5 of 200"), std::string::npos) << show_rules(model);
  EXPECT_NE(show_summary(model).find("weighting   setosa x 0.5, versicolor x 1, virginica x 2.5"),
            std::string::npos)
      << show_summary(model);
  EXPECT_NE(show_tree_rpart(model).find(" 25 "), std::string::npos) << show_tree_rpart(model);
}

// The class and share of a leaf are what it answers; the counts are those of its rows.
TEST(Show, LeavesThatWereTrainedShowWhatTheyAnswer) {
  Model model{testing::mixed_schema(Task::classification), Tree(Task::classification, 2), {}, {}};
  model.schema.target.levels = {"no", "yes"};
  model.tree.split(0, threshold_gate(0, 1), {});
  for (NodeIndex i = 0; i < 3; ++i) {
    model.tree.sums(i)[0] = i == 0 ? 6 : 3;
    model.tree.sums(i)[1] = i == 0 ? 2 : 1;
  }
  LeafModel leaf;
  leaf.link = LeafLink::softmax;
  leaf.classes = {0, 1};
  leaf.coefficients = {0, std::log(4.0)};  // yes 80 %
  model.tree.node(1).model = Owned<LeafModel>(leaf);
  model.tree.set_leaf_plan(trained_leaves(LeafMixing::answers));
  const std::string text = show_tree(model);
  EXPECT_NE(text.find("1  4  yes    0.800   3    1"), std::string::npos) << text;
  EXPECT_EQ(text.find("Models of leaves"), std::string::npos) << text;
  EXPECT_NE(show_tree_rpart(model).find("yes (0.2000000 0.8000000)"), std::string::npos)
      << show_tree_rpart(model);
}

Model soft_model(LeafMixing mixing) {
  Model model{testing::mixed_schema(Task::classification), Tree(Task::classification, 2), {}, {}};
  model.schema.target.levels = {"no", "yes"};
  ScoreGate soft = threshold_gate(0, 1);
  soft.link.form = LinkForm::logistic;
  model.tree.split(0, soft, {});
  for (NodeIndex i = 0; i < 3; ++i) {
    model.tree.sums(i)[0] = i == 0 ? 0.06 : 0.03;
    model.tree.sums(i)[1] = i == 0 ? 0.02 : 0.01;
    if (i == 0) continue;
    LeafModel leaf;
    leaf.link = LeafLink::softmax;
    leaf.classes = {0, 1};
    leaf.coefficients = {0, i == 1 ? -9.0 : 9.0};
    model.tree.node(i).model = Owned<LeafModel>(leaf);
  }
  model.tree.set_leaf_plan(trained_leaves(mixing));
  return model;
}

// The rule is that by which the tree answers: of the leaves' answers, or of their scores.
TEST(Show, RulesOfSoftTreesSayWhatIsMixed) {
  const std::string answers = show_rules(soft_model(LeafMixing::answers));
  EXPECT_NE(answers.find("its answer is their mean"), std::string::npos) << answers;
  const std::string scores = show_rules(soft_model(LeafMixing::scores));
  EXPECT_EQ(scores.find("its answer is their mean"), std::string::npos) << scores;
  EXPECT_NE(scores.find("its log odds are the mean"), std::string::npos) << scores;
  EXPECT_NE(scores.find("then  log odds of yes to no = -9; this leaf by itself: no 100.0 %"),
            std::string::npos)
      << scores;
}

// Small weights are no reason to show other shares than those of the rows.
TEST(Show, InnerNodesOfTrainedTreesHaveTheSharesOfTheirRows) {
  const std::string text = show_tree_rpart(soft_model(LeafMixing::answers));
  EXPECT_NE(text.find("(0.7500000000 0.2500000000)"), std::string::npos) << text;
}

TEST(Show, TreesWithTrainedLeavesSayHowToReadThem) {
  const Model model = soft_model(LeafMixing::answers);
  for (const std::string& text :
       {show_tree(model), show_tree_rpart(model), show_tree_c50(model), show_summary(model)}) {
    EXPECT_NE(text.find("A row goes to several leaves in part"), std::string::npos) << text;
  }
  const Model plain = testing::iris_model();
  EXPECT_EQ(show_tree(plain).find("A row goes"), std::string::npos);
}

// Numbers stand under each other, however long the names are.
TEST(Show, LongNamesDoNotMoveTheColumns) {
  Model model = soft_model(LeafMixing::answers);
  model.schema.features[0].name = "a_name_that_is_much_longer_than_all_the_room_that_a_line_has";
  ScoreGate sum = *linear_form(model.tree.node(0).gate());
  sum.terms.push_back(sum.terms[0]);
  sum.terms[0].coefficient = 1.23456;
  model.tree.node(0).gate() = sum;
  const std::string text = show_tree(model, 80);
  std::set<size_t> ends;  // of the column of shares
  for (const std::string_view line : split(text, '\n')) {
    const size_t at = std::min({line.find("share"), line.find("0.750"), line.find("1.000")});
    if (at == std::string_view::npos) break;
    ends.insert(display_width(line.substr(0, at)));
  }
  EXPECT_EQ(ends.size(), 1U) << text;
  EXPECT_NE(text.find("1.23456*a_na"), std::string::npos) << text;
  EXPECT_NE(text.find("... + ... 1 more <= 1 (soft) *"), std::string::npos) << text;
}

// Long sums are shortened in the layouts of other programs too.
TEST(Show, OtherLayoutsShortenSums) {
  Model model = soft_model(LeafMixing::answers);
  ScoreGate sum = *linear_form(model.tree.node(0).gate());
  for (int i = 0; i < 50; ++i) sum.terms.push_back(sum.terms[0]);
  model.tree.node(0).gate() = sum;
  for (const std::string& text : {show_tree_rpart(model), show_tree_c50(model)}) {
    EXPECT_NE(text.find(" more <= "), std::string::npos) << text;
    for (const std::string_view line : split(text, '\n'))
      EXPECT_LE(display_width(line), render::usual_width);
  }
}

// Every number of a split has its criterion and its unit.
TEST(Show, SummaryNamesTheCriterionOfGains) {
  LoweredTree tree = lower(testing::iris_model());
  tree.origin.gain_name = "information gain";
  tree.origin.gain_unit = "bits";
  tree.nodes[2].split->competitors.push_back({tree.nodes[0].split->condition, 0.25});
  const std::string text = render::summary_text(tree);
  EXPECT_NE(
      text.find("  split     Gini decrease (times n) 50, information gain 0.3333 bits, pruned "
                "when alpha ≥ 0.5\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"(
  next best information gain (bits)  split
                               0.25  petal_length <= 2.45
)"),
            std::string::npos)
      << text;
}

TEST(Show, SummarySaysWhichInputsAreMonotone) {
  LoweredTree tree = lower(testing::iris_model());
  tree.inputs[0].monotone = 1;
  tree.inputs[1].monotone = -1;
  const std::string text = render::summary_text(tree);
  EXPECT_NE(text.find("monotone    the share of versicolor never falls with sepal_length and never "
                      "rises with sepal_width\n"),
            std::string::npos)
      << text;
}

// A class that is cheap to be wrong about may win against a likelier one.
TEST(Show, RulesHaveTheExpectedCostsOfTheAnswers) {
  Model model = testing::iris_model();
  model.tree.set_costs({0, 1, 1, 1, 0, 1, 1, 20, 0});
  const std::string text = show_rules(model);
  EXPECT_NE(text.find("then  species = virginica (P = 9.3 %, expected cost 0.907; setosa 1, "
                      "versicolor 1.85)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(show_summary(model).find("  errors    49 (90.7 %), cost 49, per row 0.9074\n"),
            std::string::npos)
      << show_summary(model);
}

// A tree that the clock or a signal ended is not what its recipe gives.
TEST(Show, SummarySaysWhatStoppedTheTraining) {
  Model model = testing::iris_model();
  model.provenance.stopped = "interrupt";
  EXPECT_NE(show_summary(model).find("stopped     by a signal before its end"), std::string::npos);
}

TEST(Renderers, AreFoundByName) {
  for (const render::Renderer& renderer : render::renderers()) {
    EXPECT_EQ(&render::find_renderer(renderer.name), &renderer);
    EXPECT_FALSE(renderer.help.empty());
  }
  EXPECT_THROW(render::find_renderer("rprat"), Error);
}

}  // namespace
}  // namespace softwood
