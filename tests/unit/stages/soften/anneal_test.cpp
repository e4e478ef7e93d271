// Soft thresholds by annealing: the annealer by hand, the objective against computation from
// scratch, and what holds for every tree.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "fit/training_loss.h"
#include "stages/soften/anneal.h"
#include "support/grow.h"
#include "support/sample_models.h"
#include "support/tables.h"
#include "support/trees.h"
#include "tree/recount.h"

namespace softwood {
namespace {

using soften::Annealing;
using soften::AnnealingObjective;
using soften::Group;
using soften::Ramp;
using soften::Widths;
using test::classes_table;
using test::numbers;
using test::numbers_table;

Link link_of(const Tree& tree, NodeIndex node) { return linear_form(tree.node(node).gate())->link; }

Tree soften_by(const Table& table, const Tree& tree, const std::string& options,
               uint64_t seed = 1) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  return run_recipe(Recipe::parse("soften " + options, {}, true), {derived, rows, {}, seed},
                    Parallel(1), {}, tree)
      .tree;
}

Trained soften_under(const Control& control, const Table& table, const Tree& tree,
                     const std::string& recipe) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  return run_recipe(Recipe::parse(recipe, {}, true), {derived, rows, {}, 1}, Parallel(1), control,
                    tree);
}

double loss_of(const Tree& tree, const Table& table) {
  return fit::training_loss(tree, table, all_rows(table), Parallel(1));
}

// help(optim): temp / log(((t-1) %/% tmax) * tmax + exp(1)).
TEST(Annealer, CoolsAsROptimDoes) {
  const Annealing how;
  EXPECT_DOUBLE_EQ(how.temperature(1), 10);
  EXPECT_DOUBLE_EQ(how.temperature(10), 10);
  EXPECT_NEAR(how.temperature(11), 3.9323008, 1e-7);  // 10 / log(12.7182818)
  EXPECT_NEAR(how.temperature(20), 3.9323008, 1e-7);
  EXPECT_NEAR(how.temperature(21), 3.2018751, 1e-7);   // 10 / log(22.7182818)
  EXPECT_NEAR(how.temperature(100), 2.2077172, 1e-7);  // 10 / log(92.7182818)
}

TEST(Annealer, EvaluatesTheStartAndAHundredPoints) {
  Random random(1, "test");
  std::vector<double> point = {50};  // no step leads below 0 or above 100
  size_t evaluations = 1;            // the start, whose value is given
  soften::anneal(
      {}, point, 0.0, [&](const std::vector<double>&) { return ++evaluations, 1.0; }, random);
  EXPECT_EQ(evaluations, 101);
}

TEST(Annealer, TakesStepsOfTheTemperaturesShare) {
  // Every point is refused, so each is a step from the start: standard deviation 1, then 0.39, ...
  Random random(2, "test");
  double squares[2] = {0, 0};
  size_t counts[2] = {0, 0};
  for (int repeat = 0; repeat < 400; ++repeat) {
    std::vector<double> point = {50};
    size_t t = 0;
    soften::anneal(
        {}, point, 0.0,
        [&](const std::vector<double>& tried) {
          ++t;
          if (t <= 20) {
            squares[(t - 1) / 10] += (tried[0] - 50) * (tried[0] - 50);
            ++counts[(t - 1) / 10];
          }
          return 1e9;
        },
        random);
    EXPECT_EQ(point[0], 50);
  }
  EXPECT_NEAR(std::sqrt(squares[0] / static_cast<double>(counts[0])), 1, 0.05);
  EXPECT_NEAR(std::sqrt(squares[1] / static_cast<double>(counts[1])), 0.39323, 0.02);
}

TEST(Annealer, ReturnsTheBestPointAndNeverANegativeOne) {
  Random random(3, "test");
  std::vector<double> point = {2, 3};
  const auto value = [](const std::vector<double>& x) { return 50 * (x[0] * x[0] + x[1] * x[1]); };
  double least = 50 * 13;
  const double best = soften::anneal(
      {}, point, least,
      [&](const std::vector<double>& x) {
        EXPECT_GE(x[0], 0);
        EXPECT_GE(x[1], 0);
        least = std::min(least, value(x));
        return value(x);
      },
      random);
  EXPECT_EQ(best, least);
  EXPECT_EQ(value(point), best);
  EXPECT_LT(best, 50 * 4);
}

// Section 3: the ranges of the rows, cut by the thresholds above.
// A function that falls for ever, as the loss often does towards infinite widths: calls come to an
// end all the same.
TEST(Annealer, KeepsWithinTheWidestCoordinate) {
  Random random(4, "test");
  std::vector<double> point = {0};
  double least = 1;
  size_t failures = 0;
  for (size_t call = 0; call < 2000 && failures < 50; ++call) {
    const double value = soften::anneal(
        {}, point, least, [&](const std::vector<double>& x) { return 1 / (1 + x[0]); }, random);
    failures = value < least ? 0 : failures + 1;
    least = value;
  }
  EXPECT_EQ(failures, 50);
  EXPECT_LE(point[0], 100);
  EXPECT_GT(point[0], 99);
  // A wider one that was there before stays.
  point = {1000};
  soften::anneal(
      {}, point, 1.0, [&](const std::vector<double>& x) { return x[0]; }, random);
  EXPECT_EQ(point[0], 1000);
}

TEST(Ramps, UnitsAreTheSidesOfTheHyperrectangle) {
  const Table table = numbers_table({numbers({-2, 0, 6, 10}), numbers({5, 1, 2, 9})}, {0, 1, 2, 3});
  Tree tree(Task::regression, 0);
  const NodeIndex first = tree.split(0, threshold_gate(0, 4), {});
  const NodeIndex left = tree.split(first, threshold_gate(1, 3), {});
  tree.split(first + 1, threshold_gate(0, 7), {});
  tree.split(left, threshold_gate(0, 1), {});
  tree.canonicalise();
  const std::vector<Ramp> ramps = soften::ramps_of(tree, table, all_rows(table));
  ASSERT_EQ(ramps.size(), 4);
  EXPECT_EQ(ramps[0].units, (Widths{6, 6}));  // x0 from -2 to 10 around 4
  EXPECT_EQ(ramps[1].units, (Widths{2, 6}));  // x1 from 1 to 9 around 3
  EXPECT_EQ(ramps[2].units, (Widths{3, 3}));  // x0 from 4 to 10 around 7
  EXPECT_EQ(ramps[3].units, (Widths{3, 3}));  // x0 from -2 to 4 around 1
}

// Section 4: s is any width whose subtree is not a leaf. What these never move moves alone.
TEST(Softening, StartsFromEveryWidthAboveASubtree) {
  Tree tree(Task::regression, 0);
  const NodeIndex first = tree.split(0, threshold_gate(0, 4), {});
  tree.split(first + 1, threshold_gate(0, 7), {});
  tree.canonicalise();
  const auto starts = soften::starts_of(tree);
  // The root's b_j, whose subtree splits; the root's a_j, which is in no other group. Those of the
  // lower node are moved with the root's b_j.
  ASSERT_EQ(starts.size(), 2);
  EXPECT_EQ(starts[0].node, 0);
  EXPECT_EQ(starts[0].side, 0);
  EXPECT_EQ(starts[1].node, 0);
  EXPECT_EQ(starts[1].side, 1);
}

// Equation 1 by hand: exp(4 (|T* - y| - 1)) with T* a half, and 1 or 0 where the row is right.
TEST(AnnealingObjective, IsThePapers) {
  const Table table = classes_table({numbers({0, 1, 2})}, {0, 0, 1});
  Tree tree(Task::classification, 2);
  tree.split(0, threshold_gate(0, 1), {});
  recount(tree, table, all_rows(table));
  EXPECT_NEAR(loss_of(tree, table), 3 * std::exp(-4.0), 1e-12);
  // At width 0 the row on the threshold is divided.
  const AnnealingObjective objective(tree, table, all_rows(table));
  EXPECT_NEAR(objective.value(), 2 * std::exp(-4.0) + std::exp(-2.0), 1e-12);
}

TEST(AnnealingObjective, OfNumbersIsTheSquaredError) {
  const Table table = numbers_table({numbers({0, 1, 2})}, {1, 3, 8}, {1, 1, 2});
  Tree tree(Task::regression, 0);
  tree.split(0, threshold_gate(0, 1.5), {});
  recount(tree, table, all_rows(table));
  EXPECT_NEAR(loss_of(tree, table), 2, 1e-12);
  AnnealingObjective objective(tree, table, all_rows(table));
  objective.open({0, 1, {0, 1}});
  // The row at 2 gets 3/4 of 8 and 1/4 of 2 under a width of 1 above: 2 * 1.5^2 more.
  EXPECT_NEAR(objective.value_at({Widths{0, 1}, {}, {}, {}}), 2 + 4.5, 1e-12);
}

std::vector<Group> all_groups(const Tree& tree) {
  std::vector<Group> groups;
  for (const auto& start : soften::starts_of(tree)) {
    const NodeIndex middle = tree.node(start.node).first_child + start.side;
    groups.push_back({start.node, start.side, {0, 1}});
    if (!tree.node(middle).is_leaf() && gate_children(tree.node(middle).gate()) > 2) {
      groups.push_back({start.node, start.side, {0, 2}});
      groups.push_back({start.node, start.side, {2, 1}});
    }
  }
  return groups;
}

// Any gates, missing values, classification or regression: what is computed from the rows that a
// move reaches is what the whole tree gives for all rows.
TEST(AnnealingObjective, FollowsRandomMovesOfRandomTrees) {
  size_t moves_checked = 0;
  for (uint64_t trial = 0; trial < 150; ++trial) {
    Random random(trial, "soften test");
    const Schema schema =
        testing::mixed_schema(trial % 2 == 0 ? Task::classification : Task::regression);
    Tree tree = testing::random_tree(schema, {false, trial % 5 == 0, 5 + trial % 30}, random);
    for (NodeIndex i = 0; i < tree.size(); ++i) tree.node(i).model.reset();
    Table table = testing::random_table(schema, 80, random);
    std::vector<double> weights;
    for (size_t i = 0; i < table.rows(); ++i)
      weights.push_back(0.5 * static_cast<double>(random.below(4)));
    if (trial % 3 == 0) table = test::with_weights(table, weights);
    AnnealingObjective objective(tree, table, all_rows(table));
    ASSERT_NEAR(objective.value(), loss_of(objective.tree(), table),
                1e-9 * (1 + objective.value()));
    const std::vector<Group> groups = all_groups(tree);
    if (groups.empty()) continue;
    for (int step = 0; step < 20; ++step) {
      objective.open(groups[random.below(groups.size())]);
      const auto nodes = objective.open_nodes();
      AnnealingObjective::Moves moves;
      Tree moved = objective.tree();
      for (size_t k = 0; k < nodes.size(); ++k) {
        if (nodes[k] == AnnealingObjective::no_node) continue;
        // Only the width of its own side moves at the top.
        const Link link = link_of(moved, nodes[k]);
        moves[k] = {link.below, link.above};
        const auto draw = [&] { return random.below(4) == 0 ? 0 : 2 * random.uniform(); };
        const bool top = k == 0;
        const uint32_t side = nodes[0] == AnnealingObjective::no_node ? 0 : objective.group().side;
        if (!top || side == 0) moves[k].below = draw();
        if (!top || side == 1) moves[k].above = draw();
        soften::set_widths(moved, nodes[k], moves[k]);
      }
      const double expected = loss_of(moved, table);
      ASSERT_NEAR(objective.value_at(moves), expected, 1e-9 * (1 + expected))
          << "trial " << trial << " step " << step;
      ++moves_checked;
      if (random.below(2) == 0) continue;
      objective.accept(moves);
      ASSERT_NEAR(objective.value(), expected, 1e-9 * (1 + expected));
      ASSERT_NEAR(loss_of(objective.tree(), table), expected, 1e-9 * (1 + expected));
    }
  }
  EXPECT_GT(moves_checked, 1000);
}

// The cost of an evaluation: the rows that reach the group's side of its top, whatever the size of
// the rest of the tree. Over all groups these are no more than depth times all rows.
TEST(AnnealingObjective, ComputesNoRowsButThoseThatReachTheGroup) {
  const Table once = test::random_table({.rows = 300, .nominal = 0}, 5);
  std::vector<RowIndex> twice = all_rows(once);
  twice.insert(twice.end(), twice.begin(), twice.end());
  const Table table = test::part_of(once, twice);
  const Tree tree = test::run(once, "grow max-leaves=40");
  ASSERT_GE(shape_of(tree).leaves, 30);
  AnnealingObjective single(tree, once, all_rows(once)), doubled(tree, table, all_rows(table));
  size_t all = 0;
  for (const Group& group : all_groups(tree)) {
    single.open(group);
    doubled.open(group);
    EXPECT_EQ(static_cast<double>(single.open_rows()),
              tree.weight(tree.node(group.top).first_child + group.side));
    EXPECT_EQ(doubled.open_rows(), 2 * single.open_rows());
    all += single.open_rows();
  }
  EXPECT_LE(all, shape_of(tree).depth * once.rows());
  // A ramp above sends more rows into the group; one beside it none.
  const NodeIndex left = tree.node(0).first_child;
  ASSERT_FALSE(tree.node(left).is_leaf());
  ASSERT_FALSE(tree.node(left + 1).is_leaf());
  single.open({left, 0, {0, 1}});
  const size_t before = single.open_rows();
  single.open({left + 1, 0, {0, 1}});
  single.accept({Widths{1, 1}, {}, {}, {}});
  single.open({left, 0, {0, 1}});
  EXPECT_EQ(single.open_rows(), before);
  single.open({0, 1, {0, 1}});
  single.accept({Widths{0, 1e6}, {}, {}, {}});
  single.open({left, 0, {0, 1}});
  EXPECT_GT(single.open_rows(), before);
}

// Section 2: T(0, x) is T(x) unless x lies on a threshold of its path.
TEST(Softening, WithoutWidthsTheTreeIsTheHardOneOffItsThresholds) {
  const Table table = test::random_table({.rows = 200, .nominal = 0, .distinct = 12}, 3);
  for (const bool on_values : {false, true}) {
    const Tree tree =
        test::run(table, on_values ? "grow max-depth=4 cut-at=data-point" : "grow max-depth=4");
    const AnnealingObjective objective(tree, table, all_rows(table));
    const auto rows = all_rows(table);
    const Predictions hard = predict(tree, table, rows, Parallel(1));
    const Predictions soft = predict(objective.tree(), table, rows, Parallel(1));
    size_t divided = 0;
    for (const RowIndex row : rows) {
      bool on_threshold = false;
      for (NodeIndex node = 0; !tree.node(node).is_leaf();) {
        const double x = table.input(test::feature_of(tree, node)).numbers[row];
        on_threshold = on_threshold || x == test::cut_of(tree, node);
        node = tree.node(node).first_child + (x <= test::cut_of(tree, node) ? 0 : 1);
      }
      divided += on_threshold ? 1 : 0;
      if (!on_threshold) {
        EXPECT_EQ(hard.answers[2 * row], soft.answers[2 * row]);
      }
    }
    EXPECT_EQ(divided > 0, on_values);
  }
}

TEST(Softening, NeverRaisesTheObjective) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Table table = test::random_table(
        {.rows = 150, .classes = seed % 2 == 0 ? 0U : 3U, .missing = seed > 3 ? 0.1 : 0.0}, seed);
    for (const char* grow : {"grow min-leaf=5", "grow cut-at=data-point max-depth=5"}) {
      const Tree tree = test::run(table, grow);
      const Tree soft = soften_by(table, tree, "by=anneal", seed);
      EXPECT_LE(loss_of(soft, table), loss_of(tree, table) * (1 + 1e-9));
    }
  }
}

// Leaves that by=gradient has trained keep their answers.
TEST(Softening, GoesOnWithATreeThatWasTrained) {
  for (const size_t classes : {0U, 3U}) {
    const Table table =
        test::random_table({.rows = 200, .classes = classes, .nominal = 0, .noise = 0.3}, 4);
    const Tree trained = test::run(table, "grow max-leaves=6 | soften by=gradient steps=200");
    ASSERT_TRUE(trained.leaf_plan().has_trained_models());
    const AnnealingObjective objective(trained, table, all_rows(table));
    EXPECT_NEAR(objective.value(), loss_of(trained, table), 1e-9 * objective.value());
    const Tree again = soften_by(table, trained, "by=anneal");
    EXPECT_LT(loss_of(again, table), loss_of(trained, table));
    EXPECT_TRUE(again.leaf_plan().has_trained_models());
  }
}

// A boundary across both inputs: steps fit it badly, ramps well.
Table diagonal_table(size_t rows, uint64_t seed) {
  Random random(seed, "diagonal");
  std::vector<double> x, y;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < rows; ++i) {
    x.push_back(random.uniform());
    y.push_back(random.uniform());
    classes.push_back(x.back() + y.back() + 0.1 * random.normal() > 1 ? 1 : 0);
  }
  return classes_table({numbers(x), numbers(y)}, classes);
}

TEST(Softening, LeavesTreesWhoseLeavesItCantFollow) {
  const Table table = diagonal_table(200, 11);
  const Tree soft = test::run(table, "grow max-leaves=4 | refine by=gradient steps=50");
  ASSERT_EQ(soft.leaf_plan(), trained_leaves(LeafMixing::scores));
  EXPECT_EQ(loss_of(soften_by(table, soft, "by=anneal"), table), loss_of(soft, table));
}

TEST(Softening, ImprovesATreeForASlantedBoundaryOnOtherRows) {
  const Table table = diagonal_table(1000, 1), other = diagonal_table(4000, 2);
  const Tree tree = test::run(table, "grow max-leaves=8");
  const Tree soft = soften_by(table, tree, "by=anneal");
  EXPECT_LT(loss_of(soft, table), 0.8 * loss_of(tree, table));
  EXPECT_LT(loss_of(soft, other), 0.85 * loss_of(tree, other));
  EXPECT_LT(test::wrong_of(soft, other), 0.9 * test::wrong_of(tree, other));
  EXPECT_EQ(soft.size(), tree.size());
}

TEST(Softening, OfTheSequenceTakesTheTreeByItsRule) {
  const Table table = diagonal_table(400, 3);
  const Tree tree = test::run(table, "grow min-leaf=5 | prune rule=min");
  const Tree by_error = soften_by(table, tree, "over=sequence choose=error");
  const Tree by_objective = soften_by(table, tree, "over=sequence");
  EXPECT_LE(test::wrong_of(by_error, table), test::wrong_of(by_objective, table));
  EXPECT_LE(loss_of(by_objective, table), loss_of(by_error, table));
  EXPECT_LT(loss_of(by_objective, table), loss_of(tree, table) / 1.01);
  EXPECT_GT(by_objective.size(), 1);
}

TEST(Softening, CountsARowOfWeightTwoAsTwoRows) {
  const Table once = diagonal_table(120, 4);
  std::vector<RowIndex> twice;
  std::vector<double> weights;
  for (const RowIndex row : all_rows(once)) {
    weights.push_back(row % 3 == 0 ? 2 : 1);
    for (double w = 0; w < weights.back(); ++w) twice.push_back(row);
  }
  const Table weighted = test::with_weights(once, weights);
  const Table repeated = test::part_of(once, twice);
  const Tree tree = test::run(repeated, "grow max-leaves=6");
  const Tree a = soften_by(weighted, tree, "by=anneal"), b = soften_by(repeated, tree, "by=anneal");
  bool any_soft = false;
  for (NodeIndex i = 0; i < a.size(); ++i) {
    if (a.node(i).is_leaf()) continue;
    EXPECT_NEAR(link_of(a, i).below, link_of(b, i).below, 1e-9);
    EXPECT_NEAR(link_of(a, i).above, link_of(b, i).above, 1e-9);
    any_soft = any_soft || link_of(a, i).below > 0 || link_of(a, i).above > 0;
  }
  EXPECT_TRUE(any_soft);
}

// Rows alike but more of them, or targets in other units: the same widths.
TEST(Softening, TempAutoDoesNotDependOnTheSizeOfTheObjective) {
  const Table table = diagonal_table(200, 5);
  const std::vector<double> tens(table.rows(), 10.0);
  const Table heavy = test::with_weights(table, tens);
  const Tree tree = test::run(table, "grow max-leaves=6");
  const Tree a = soften_by(table, tree, "by=anneal"), b = soften_by(heavy, tree, "by=anneal");
  for (NodeIndex i = 0; i < a.size(); ++i) {
    if (a.node(i).is_leaf()) continue;
    EXPECT_NEAR(link_of(a, i).below, link_of(b, i).below, 1e-9);
  }
  std::vector<double> y, scaled;
  for (const RowIndex row : all_rows(table)) {
    y.push_back(table.input(0).numbers[row] * table.input(1).numbers[row]);
    scaled.push_back(1024 * y.back());
  }
  const Table numeric = numbers_table({table.input(0), table.input(1)}, y);
  const Table large = numbers_table({table.input(0), table.input(1)}, scaled);
  const Tree c = test::run(numeric, "grow max-leaves=6 | soften");
  const Tree d = test::run(large, "grow max-leaves=6 | soften");
  for (NodeIndex i = 0; i < c.size(); ++i) {
    if (c.node(i).is_leaf()) continue;
    EXPECT_NEAR(link_of(c, i).above, link_of(d, i).above, 1e-9);
  }
}

TEST(Softening, StopsAtOnceWhenThereIsNoTime) {
  const Table table = diagonal_table(300, 6);
  const Tree tree = test::run(table, "grow min-leaf=5");
  for (const char* recipe : {"soften", "soften over=sequence", "soften by=gradient"}) {
    Control control;
    control.deadline = Control::Clock::now();
    const Trained stopped = soften_under(control, table, tree, recipe);
    EXPECT_EQ(stopped.report.stopped, Stopped::budget) << recipe;
    EXPECT_LE(loss_of(stopped.tree, table), loss_of(tree, table)) << recipe;
  }
}

TEST(SofteningByGradient, KeepsTheTreeWhereNothingCanBeFoundOut) {
  // Without the held-out rows there is no split that min-leaf allows.
  std::vector<double> x;
  std::vector<int32_t> classes;
  for (int i = 0; i < 40; ++i) {
    x.push_back(i);
    classes.push_back(i < 20 ? 0 : 1);
  }
  const Table table = classes_table({numbers(x)}, classes);
  const Tree soft = test::run(table, "grow min-leaf=19 | soften by=gradient steps=5 softness=100");
  EXPECT_EQ(soft.size(), 3U);
  EXPECT_EQ(loss_of(soft, table), loss_of(test::run(table, "grow min-leaf=19"), table));
}

TEST(SofteningByGradient, BearsNumbersThatSinglePrecisionDoesNot) {
  Random random(1, "huge");
  std::vector<double> huge, x;
  std::vector<int32_t> classes;
  for (int i = 0; i < 200; ++i) {
    huge.push_back(random.uniform() < 0.5 ? -1e308 : 1e308);
    x.push_back(random.uniform());
    classes.push_back(x.back() + 0.1 * random.normal() + (huge.back() > 0 ? 0.2 : 0) > 0.6 ? 1 : 0);
  }
  const Table table = classes_table({numbers(huge), numbers(x)}, classes);
  const Tree soft = test::run(table, "grow max-leaves=6 | soften by=gradient steps=50");
  for (NodeIndex i = 0; i < soft.size(); ++i) {
    if (soft.node(i).is_leaf()) continue;
    EXPECT_NO_THROW(check_gate(soft.node(i).gate(), table.schema()));
  }
}

TEST(SofteningByGradient, FitsModelsOfLeavesAfterwards) {
  const Table table = diagonal_table(300, 3);
  const Tree soft =
      test::run(table, "grow max-leaves=3 leaf=logistic | soften by=gradient steps=100");
  EXPECT_EQ(soft.leaf_plan(), fitted_leaves("logistic"));
}

// Interrupted after some calls of the annealer, or some trees of the sequence.
TEST(Softening, KeepsTheBestTreeSoFarWhenItIsStopped) {
  const Table table = diagonal_table(1000, 1);
  const Tree tree = test::run(table, "grow max-leaves=8");
  for (const char* recipe : {"soften", "soften over=sequence"}) {
    const Trained whole = soften_under({}, table, tree, recipe);
    EXPECT_EQ(whole.report.stopped, Stopped::converged);
    std::atomic<bool> interrupt = false;
    size_t reports = 0;
    Control control;
    control.interrupt = [&] { return interrupt.load(); };
    control.progress = [&](const Progress& progress) {
      if (progress.activity == "softening" && ++reports == 3) interrupt = true;
    };
    const Trained stopped = soften_under(control, table, tree, recipe);
    EXPECT_EQ(stopped.report.stopped, Stopped::interrupt) << recipe;
    EXPECT_LT(loss_of(stopped.tree, table), loss_of(tree, table)) << recipe;
    EXPECT_GE(loss_of(stopped.tree, table), loss_of(whole.tree, table)) << recipe;
  }
}

TEST(Harden, GivesBackTheTreeThatWasSoftened) {
  const Table table = diagonal_table(300, 7);
  const Tree tree = test::run(table, "grow max-leaves=6");
  const Tree back = test::run(table, "grow max-leaves=6 | soften | harden");
  test::expect_same_tree(back, tree, 1e-12);
}

// How long to train is found out with a tree that never saw the held-out rows; what comes out is
// the tree that was given.
TEST(SoftenByGradientStage, JudgesTheTrainingByRowsThatNoTreeHasSeen) {
  const Table table = diagonal_table(500, 9);
  const Tree tree = test::run(table, "grow max-leaves=6");
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Options options("soften", find_stage("soften").options, {{"by", "gradient"}});
  const Parallel parallel(1);
  const Control control;
  StageReport report;
  bool used = false;
  std::vector<size_t> grown_with;
  const auto rerun = [&](std::span<const RowIndex> part, const Parallel&) {
    grown_with.push_back(part.size());
    return run_recipe(Recipe::parse("grow max-leaves=9"), {derived, part, {}, 1}, parallel, {})
        .tree;
  };
  Context context{derived, false, rows, {std::nullopt, used}, options, 1, parallel, control,
                  report,  rerun, {}};
  const Tree soft = find_stage("soften").run(context, tree);
  EXPECT_EQ(grown_with, std::vector<size_t>{400});
  EXPECT_EQ(soft.size(), tree.size());
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree.node(i).is_leaf()) continue;
    EXPECT_EQ(test::feature_of(soft, i), test::feature_of(tree, i));
    EXPECT_EQ(link_of(soft, i).form, LinkForm::ramp);
  }
}

TEST(SoftenByGradientStage, LeavesATreeThatIsBetterHard) {
  std::vector<double> x;
  std::vector<int32_t> classes;
  Random random(10, "step");
  for (int i = 0; i < 400; ++i) {
    classes.push_back(i % 2);
    x.push_back(random.uniform() + 1.5 * classes.back());  // a gap from 1 to 1.5
  }
  const Table table = classes_table({numbers(x)}, classes);
  const Tree tree = test::run(table, "grow | soften by=gradient move=ramps");
  ASSERT_EQ(tree.size(), 3);
  EXPECT_EQ(link_of(tree, 0).form, LinkForm::step);
}

// Leaves that were trained to be mixed do not answer alone: their rows' means do.
TEST(Harden, DropsLeavesThatAnswerWorseThanTheirRows) {
  const Table classes = diagonal_table(400, 8);
  std::vector<double> y;
  for (const RowIndex row : all_rows(classes)) {
    y.push_back(std::exp(3 * classes.input(0).numbers[row] - classes.input(1).numbers[row]));
  }
  const Table table = numbers_table({classes.input(0), classes.input(1)}, y);
  const std::string soften = "grow max-leaves=12 | soften by=gradient";
  const Tree soft = test::run(table, soften), hard = test::run(table, soften + " | harden");
  Tree kept = hard;
  for (NodeIndex i = 0; i < soft.size(); ++i) kept.node(i).model = soft.node(i).model;
  kept.set_leaf_plan(soft.leaf_plan());
  EXPECT_LT(loss_of(hard, table), loss_of(kept, table));
  EXPECT_LT(loss_of(soft, table), loss_of(hard, table));
}

}  // namespace
}  // namespace softwood
