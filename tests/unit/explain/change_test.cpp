// The nearest change against all combinations of cells of the tree's cuts.
#include "explain/change.h"

#include <gtest/gtest.h>

#include "explain/change_space.h"
#include "explain/partial.h"
#include "explain/rows.h"
#include "lower/condition.h"
#include "lower/lower.h"
#include "softwood/error.h"
#include "support/interpreter.h"
#include "support/sample_models.h"

namespace softwood {
namespace {

using testing::mixed_schema;
using testing::random_table;

struct Example {
  Model model;
  LoweredTree lowered;
  Table table;
};

Example hard_example(Task task, uint64_t index) {
  Random random(17, "hard", index);
  const Schema schema = mixed_schema(task);
  testing::RandomTreeOptions options;
  options.hard = true;
  options.thresholds_and_levels = true;
  options.splits = 9;
  Tree tree(task, schema.classes());
  tree.set_typical({0.25, missing_number, 1, 2, 0});
  for (size_t s = 0; s < options.splits; ++s) {
    const auto i = static_cast<NodeIndex>(random.below(tree.size()));
    if (!tree.node(i).is_leaf()) continue;
    Gate gate = threshold_gate(static_cast<uint32_t>(random.below(3)), random.normal());
    if (random.below(3) == 0) {
      LevelsGate levels;
      levels.feature = 3 + static_cast<uint32_t>(random.below(2));
      levels.children = 2;
      for (size_t l = 0; l < schema.features[levels.feature].levels.size(); ++l) {
        levels.child_of_level.push_back(l == 0 ? 0 : static_cast<int32_t>(random.below(2)));
      }
      gate = levels;
    }
    Missing missing = testing::random_missing(schema, 2, options, random);
    missing.surrogates.clear();
    tree.split(i, std::move(gate), missing);
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (double& sum : tree.sums(i)) sum = 1 + static_cast<double>(random.below(100));
  }
  tree.canonicalise();
  Model model{schema, std::move(tree), {}, {}};
  LoweredTree lowered = lower(model);
  return {std::move(model), std::move(lowered), random_table(schema, 10, random)};
}

std::vector<double> cells_of(const Table& table, RowIndex row) {
  std::vector<double> cells;
  for (size_t f = 0; f < table.features(); ++f) cells.push_back(table.input(f).value(row));
  return cells;
}

// Every value of an input that could be the nearest one: the present cell, and the nearest of each
// interval between cuts, with its distance.
std::vector<std::pair<double, double>> options_of(const Example& example,
                                                  const ChangingInput& input, double from) {
  std::vector<std::pair<double, double>> options = {{from, 0}};
  if (input.fixed) return options;
  const auto add = [&](double value, double distance) {
    if (input.allows(from, value)) options.emplace_back(value, std::isnan(from) ? 1 : distance);
  };
  const size_t levels = example.lowered.inputs[input.input].levels.size();
  for (size_t l = 0; l < levels; ++l) {
    const auto level = static_cast<double>(l);
    if (level != from)
      add(level, input.kind == InputKind::nominal ? 1 : std::abs(level - from) / input.spread);
  }
  if (levels > 0) return options;
  std::vector<double> cuts;
  for (const LoweredNode& node : example.lowered.nodes) {
    const auto* const score =
        node.split ? std::get_if<LoweredScore>(&node.split->condition) : nullptr;
    if (score != nullptr && score->terms[0].input == input.input) cuts.push_back(score->cut);
  }
  for (const double cut : cuts) {
    add(cut, std::abs(from - cut) / input.spread);
    add(std::nextafter(cut, 1e300), std::abs(from - cut) / input.spread);
  }
  return options;
}

struct Best {
  size_t inputs = 1000;
  double distance = 1e300;
};

void enumerate(const Example& example, const std::vector<ChangingInput>& inputs, const Goal& goal,
               size_t at, std::vector<double>& cells, Best here, Best& best) {
  if (here.inputs > best.inputs) return;
  if (at == inputs.size()) {
    const bool better =
        here.inputs < best.inputs || (here.inputs == best.inputs && here.distance < best.distance);
    if (better && goal.reached(test::Interpreter(example.lowered, cells).answer())) best = here;
    return;
  }
  const double from = cells[inputs[at].input];
  bool first = true;
  for (const auto& [value, distance] : options_of(example, inputs[at], from)) {
    cells[inputs[at].input] = value;
    enumerate(example, inputs, goal, at + 1, cells,
              {here.inputs + (first ? 0 : 1), here.distance + distance}, best);
    first = false;
  }
  cells[inputs[at].input] = from;
}

class Changes : public ::testing::TestWithParam<int> {};

TEST_P(Changes, OfHardTreesAreTheNearest) {
  size_t found = 0, none = 0;
  for (const Task task : {Task::classification, Task::regression}) {
    const Example example = hard_example(task, static_cast<uint64_t>(GetParam()));
    const Predictor predictor(example.model.tree);
    const ExplainedTree tree{example.lowered, predictor};
    for (int variant = 0; variant < 3; ++variant) {
      ChangeGoal wanted;
      if (task == Task::regression) wanted.reach = 60;
      if (task == Task::classification && variant == 1) wanted.to = "maybe";
      if (variant == 1) wanted.fixed = {"a", "colour"};
      if (variant == 2) {
        wanted.only_up = {"a"};
        wanted.only_down = {"b"};
      }
      const std::vector<Change> changes = nearest_changes(
          tree, example.table, all_rows(example.table), example.table, wanted, Parallel(2));
      const std::vector<ChangingInput> inputs =
          changing_inputs(tree, example.table, example.table, wanted);
      for (RowIndex row = 0; row < example.table.rows(); ++row) {
        std::vector<double> cells = cells_of(example.table, row);
        const Goal goal(example.lowered, wanted,
                        test::Interpreter(example.lowered, cells).answer());
        Best best;
        enumerate(example, inputs, goal, 0, cells, {0, 0}, best);
        const Change& change = changes[row];
        EXPECT_TRUE(change.is_exact);
        ASSERT_EQ(change.found, best.inputs < 1000);
        ++(change.found ? found : none);
        if (!change.found) continue;
        EXPECT_EQ(change.reached_already, best.inputs == 0);
        EXPECT_EQ(change.inputs.size(), best.inputs);
        EXPECT_NEAR(change.distance, best.distance, 1e-9);
        // What is proposed does reach the goal.
        for (const InputChange& one : change.inputs) cells[one.input] = one.to;
        const std::vector<double> answer = test::Interpreter(example.lowered, cells).answer();
        EXPECT_TRUE(goal.reached(answer));
        EXPECT_EQ(change.answer, answer);
      }
    }
  }
  EXPECT_GT(found, 0U);
  RecordProperty("none", static_cast<int>(none));
}

INSTANTIATE_TEST_SUITE_P(Random, Changes, ::testing::Range(0, 12));

TEST(NearestValue, IsShortAndInTheInterval) {
  ChangingInput input;
  input.spread = 2;
  const auto up = nearest_value(input, 1, 3.4499999, 10);
  ASSERT_TRUE(up);
  EXPECT_EQ(up->value, 3.45);
  EXPECT_NEAR(up->distance, (3.4499999 - 1) / 2, 1e-15);
  const auto down = nearest_value(input, 5, 0, 3.4567);
  ASSERT_TRUE(down);
  EXPECT_EQ(down->value, 3.45);
  const auto narrow = nearest_value(input, 5, 3.45669, 3.4567);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->value, 3.4567);
  input.whole = true;
  EXPECT_EQ(nearest_value(input, 48, -1e300, 22.5)->value, 22);
  EXPECT_EQ(nearest_value(input, 10, 22.5, 1e300)->value, 23);
  EXPECT_FALSE(nearest_value(input, 10, 22.5, 22.9));
  input.direction = -1;
  EXPECT_FALSE(nearest_value(input, 10, 22.5, 1e300));
}

// A soft tree: the search must end on the right side, about where the half is.
TEST(Changes, OfSoftTreesAreSearched) {
  Schema schema;
  schema.features = {{"a", Kind::numeric, {}}, {"b", Kind::numeric, {}}};
  schema.target = {"class", Kind::nominal, {"no", "yes"}};
  ScoreGate gate;
  gate.terms = {{TermForm::value, 0, 0, 2.0}, {TermForm::value, 1, 0, 0.5}};
  gate.cut = 3;
  gate.link.form = LinkForm::logistic;
  Tree tree(Task::classification, 2);
  tree.sums(0)[0] = tree.sums(0)[1] = 5;
  const NodeIndex first = tree.split(0, gate, {});
  tree.sums(first)[0] = tree.sums(first + 1)[1] = 5;
  ColumnDraft a(Kind::numeric), b(Kind::numeric);
  for (int i = 0; i <= 20; ++i) {
    a.numbers.push_back(i * 0.15);
    b.numbers.push_back(1 - i * 0.03);
  }
  const Table table(schema, 21, {std::move(a), std::move(b)}, Column{Kind::nominal, {}, {}, 0}, {});
  const Model model{schema, std::move(tree), {}, {}};
  const LoweredTree lowered = lower(model);
  const Predictor predictor(model.tree);
  ChangeGoal goal;
  const std::vector<RowIndex> row = {0};
  const auto changes = nearest_changes({lowered, predictor}, table, row, table, goal, Parallel(1));
  ASSERT_TRUE(changes[0].found);
  EXPECT_FALSE(changes[0].is_exact);
  ASSERT_EQ(changes[0].inputs.size(), 1U);
  EXPECT_EQ(changes[0].inputs[0].input, 0U);
  EXPECT_NEAR(changes[0].inputs[0].to, 1.25, 0.02);  // 2 a + 0.5 = 3
  EXPECT_GT(changes[0].answer[1], 0.5);
  goal.fixed = {"a"};
  EXPECT_FALSE(
      nearest_changes({lowered, predictor}, table, row, table, goal, Parallel(1))[0].found);
  goal.fixed = {"c"};
  EXPECT_THROW(nearest_changes({lowered, predictor}, table, row, table, goal, Parallel(1)), Error);
}

// yes below -1 and above 2, no between them.
TEST(Changes, OfMonotoneInputsGoTheWayThatHelps) {
  Schema schema;
  schema.features = {{"a", Kind::numeric, {}}};
  schema.target = {"class", Kind::nominal, {"no", "yes"}};
  Tree tree(Task::classification, 2);
  tree.sums(0)[0] = tree.sums(0)[1] = 4;
  const NodeIndex first = tree.split(0, threshold_gate(0, -1), {});
  tree.sums(first)[1] = 2;
  tree.sums(first + 1)[0] = 4;
  tree.sums(first + 1)[1] = 2;
  const NodeIndex second = tree.split(first + 1, threshold_gate(0, 2), {});
  tree.sums(second)[0] = 4;
  tree.sums(second + 1)[1] = 2;
  ColumnDraft a(Kind::numeric);
  a.numbers = {-0.75, 3.5, -2.5};
  const Table table(schema, 3, {std::move(a)}, Column{Kind::nominal, {}, {}, 0}, {});
  const Model model{schema, std::move(tree), {}, {}};
  LoweredTree lowered = lower(model);
  const Predictor predictor(model.tree);
  const std::vector<RowIndex> row = {0};
  const auto nearest = [&](const ChangeGoal& goal) {
    return nearest_changes({lowered, predictor}, table, row, table, goal, Parallel(1))[0];
  };
  EXPECT_EQ(nearest({}).inputs[0].to, -1);
  ChangeGoal up;
  up.only_up = {"a"};
  EXPECT_GT(nearest(up).inputs[0].to, 2);
  EXPECT_LT(nearest(up).inputs[0].to, 2.1);
  lowered.inputs[0].monotone = 1;
  EXPECT_GT(nearest({}).inputs[0].to, 2);
  ChangeGoal down;
  down.only_down = {"a"};
  EXPECT_FALSE(nearest(down).found);
}

TEST(Changes, RegressionNeedsANumber) {
  const Example example = hard_example(Task::regression, 1);
  const Predictor predictor(example.model.tree);
  EXPECT_THROW(nearest_changes({example.lowered, predictor}, example.table, all_rows(example.table),
                               example.table, {}, Parallel(1)),
               Error);
}

TEST(Partial, IsTheMeanOfChangedRows) {
  for (const Task task : {Task::classification, Task::regression}) {
    Random random(23, "partial");
    const Schema schema = mixed_schema(task);
    const Model model{schema, testing::random_tree(schema, {}, random), {}, {}};
    const LoweredTree lowered = lower(model);
    const Predictor predictor(model.tree);
    const Table table = random_table(schema, 40, random);
    PartialSettings settings;
    settings.inputs = {"a", "colour"};
    settings.points = 6;
    settings.individual = true;
    const PartialDependence partial =
        partial_dependence({lowered, predictor}, table, settings, Parallel(2));
    ASSERT_EQ(partial.grid[0].size(), 6U);
    ASSERT_EQ(partial.grid[1].size(), 4U);
    const size_t outputs = partial.outputs.size();
    for (size_t i = 0; i < 6; ++i) {
      for (size_t j = 0; j < 4; ++j) {
        for (size_t o = 0; o < outputs; ++o) {
          double sum = 0;
          for (RowIndex row = 0; row < table.rows(); ++row) {
            std::vector<double> cells = cells_of(table, row);
            cells[0] = partial.grid[0][i];
            cells[3] = partial.grid[1][j];
            const double answer = test::Interpreter(lowered, cells).answer()[o];
            sum += answer;
            EXPECT_NEAR(partial.curves[((row * 6 + i) * 4 + j) * outputs + o], answer, 1e-12);
          }
          EXPECT_NEAR(partial.means[(i * 4 + j) * outputs + o], sum / 40, 1e-12);
        }
      }
    }
    settings.inputs = {"a", "a"};
    EXPECT_THROW(partial_dependence({lowered, predictor}, table, settings, Parallel(1)), Error);
  }
}

TEST(Partial, GridOfNumbersAreQuantiles) {
  ColumnDraft draft(Kind::numeric);
  for (int i = 100; i >= 0; --i) draft.numbers.push_back(i);
  draft.numbers.push_back(missing_number);
  const Column column = std::move(draft);
  LoweredInput input;
  EXPECT_EQ(grid_of(input, column, 5), (std::vector<double>{0, 25, 50, 75, 100}));
  EXPECT_EQ(grid_of(input, column, 1000).size(), 101U);
}

}  // namespace
}  // namespace softwood
