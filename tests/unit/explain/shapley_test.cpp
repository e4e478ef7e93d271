// Shapley values against all coalitions, written down a second time.
#include "explain/shapley.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "explain/end_tables.h"
#include "explain/gauss_legendre.h"
#include "explain/product_game.h"
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
using testing::random_tree;
using testing::RandomTreeOptions;

// A model and rows for it.
struct Example {
  Model model;
  LoweredTree lowered;
  Table table;
};

Model model_of(const Schema& schema, Tree tree) { return {schema, std::move(tree), {}, {}}; }

// Thresholds, ramps, logistic gates and gates over levels, each of one input, and all rules for
// missing values but surrogates.
Example single_input_example(Task task, uint64_t index, bool hard) {
  Random random(7, "single input", index);
  const Schema schema = mixed_schema(task);
  Tree tree(task, schema.classes());
  tree.set_typical({0.25, missing_number, 1, 2, 0});
  for (size_t s = 0; s < 14; ++s) {
    const auto i = static_cast<NodeIndex>(random.below(tree.size()));
    if (!tree.node(i).is_leaf()) continue;
    Gate gate = testing::random_levels(schema, 3 + static_cast<uint32_t>(random.below(2)),
                                       2 + static_cast<uint32_t>(random.below(2)), random);
    if (random.below(3) > 0) {
      ScoreGate score = threshold_gate(static_cast<uint32_t>(random.below(3)), random.normal());
      if (!hard) {
        score.terms[0].coefficient = random.normal();
        score.link.form = static_cast<LinkForm>(random.below(3));
        score.link.below = random.uniform();
        score.link.above = random.uniform();
      }
      gate = score;
    }
    const uint32_t children = gate_children(gate);
    Missing missing = testing::random_missing(schema, children, {}, random);
    missing.surrogates.clear();
    tree.split(i, std::move(gate), missing);
  }
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    for (double& sum : tree.sums(i)) sum = 1 + static_cast<double>(random.below(100));
  }
  tree.canonicalise();
  Model model = model_of(schema, std::move(tree));
  LoweredTree lowered = lower(model);
  return {std::move(model), std::move(lowered), random_table(schema, 12, random)};
}

std::vector<double> cells_of(const Table& table, RowIndex row) {
  std::vector<double> cells;
  for (size_t f = 0; f < table.features(); ++f) cells.push_back(table.input(f).value(row));
  return cells;
}

// The value of a coalition where rows go on as the training rows did: at nodes whose input is not
// in it, by the weights of the children.
double path_value(const LoweredTree& tree, const std::vector<double>& cells, uint32_t coalition,
                  uint32_t node, size_t output) {
  const LoweredNode& at = tree.nodes[node];
  if (at.is_leaf()) return at.answer[output];
  const LoweredSplit& split = *at.split;
  const uint32_t input = condition_inputs(split.condition)[0];
  if ((coalition >> input & 1U) != 0) {
    // A tree of this node and leaves: the interpreter says where the row goes.
    LoweredTree stump = tree;
    stump.nodes = {at};
    stump.nodes[0].split->first_child = 1;
    for (uint32_t c = 0; c < split.children; ++c) stump.nodes.push_back({});
    double value = 0;
    const test::Interpreter interpreter(stump, cells);
    for (const auto& [end, share] : interpreter.ends()) {
      value += share *
               (end == 0 ? at.answer[output]
                         : path_value(tree, cells, coalition, split.first_child + end - 1, output));
    }
    return value;
  }
  const bool stays = split.missing.action == MissingAction::stay;
  double all = stays ? split.missing.weight : 0, value = all * at.answer[output];
  for (uint32_t c = 0; c < split.children; ++c) {
    const double weight = tree.nodes[split.first_child + c].weight;
    all += weight;
    value += weight * path_value(tree, cells, coalition, split.first_child + c, output);
  }
  return value / all;
}

// The mean over the background of the answer for the row with the cells of the coalition.
double mixed_value(const LoweredTree& tree, const std::vector<double>& cells, uint32_t coalition,
                   const Table& background, size_t output) {
  double sum = 0;
  for (RowIndex row = 0; row < background.rows(); ++row) {
    std::vector<double> hybrid = cells_of(background, row);
    for (size_t f = 0; f < hybrid.size(); ++f) {
      if ((coalition >> f & 1U) != 0) hybrid[f] = cells[f];
    }
    sum += test::Interpreter(tree, hybrid).answer()[output];
  }
  return sum / static_cast<double>(background.rows());
}

// Shapley's formula, by the permutations of few players.
template <class Value>
std::vector<double> by_permutations(size_t players, const Value& value) {
  std::vector<double> of_coalition(size_t{1} << players);
  for (uint32_t s = 0; s < of_coalition.size(); ++s) of_coalition[s] = value(s);
  std::vector<uint32_t> order(players);
  for (uint32_t p = 0; p < players; ++p) order[p] = p;
  std::vector<double> sums(players, 0.0);
  double count = 0;
  do {
    uint32_t there = 0;
    for (const uint32_t p : order) {
      sums[p] += of_coalition[there | 1U << p] - of_coalition[there];
      there |= 1U << p;
    }
    ++count;
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& sum : sums) sum /= count;
  return sums;
}

Explanation explained(const Example& example, const Table* background = nullptr,
                      const ExplainSettings& settings = {}) {
  const Predictor predictor(example.model.tree);
  return explain_rows({example.lowered, predictor}, example.table, all_rows(example.table),
                      background, settings, Parallel(2));
}

void expect_sums(const Explanation& explanation) {
  const size_t inputs = explanation.feature_names.size(), outputs = explanation.outputs.size();
  for (size_t row = 0; row < explanation.rows; ++row) {
    for (size_t o = 0; o < outputs; ++o) {
      double sum = explanation.base_values[o];
      for (size_t f = 0; f < inputs; ++f) sum += explanation.value(row, f, o);
      const double answer = explanation.answers[row * outputs + o];
      EXPECT_NEAR(sum, answer, 1e-12 * std::max(1.0, std::abs(answer)));
    }
  }
}

TEST(GaussLegendre, IntegratesPolynomials) {
  for (size_t n = 1; n <= 40; ++n) {
    const Quadrature rule = gauss_legendre(n);
    for (size_t degree = 0; degree < 2 * n; ++degree) {
      double sum = 0;
      for (size_t q = 0; q < n; ++q) {
        sum += rule.weights[q] * std::pow(rule.nodes[q], static_cast<double>(degree));
      }
      EXPECT_NEAR(sum, 1 / static_cast<double>(degree + 1), 2e-15) << n << " " << degree;
    }
  }
}

class SingleInputTrees : public ::testing::TestWithParam<int> {};

TEST_P(SingleInputTrees, PathDependentIsEnumeration) {
  for (const Task task : {Task::classification, Task::regression}) {
    for (const bool hard : {true, false}) {
      const Example example = single_input_example(task, static_cast<uint64_t>(GetParam()), hard);
      const Explanation explanation = explained(example);
      EXPECT_EQ(explanation.method, ExplainMethod::path_dependent);
      EXPECT_TRUE(explanation.is_exact());
      expect_sums(explanation);
      for (RowIndex row = 0; row < example.table.rows(); ++row) {
        const std::vector<double> cells = cells_of(example.table, row);
        for (size_t o = 0; o < explanation.outputs.size(); ++o) {
          const std::vector<double> wanted = by_permutations(cells.size(), [&](uint32_t coalition) {
            return path_value(example.lowered, cells, coalition, 0, o);
          });
          for (size_t f = 0; f < cells.size(); ++f) {
            EXPECT_NEAR(explanation.value(row, f, o), wanted[f],
                        1e-12 * std::max(1.0, std::abs(wanted[f])));
          }
        }
      }
    }
  }
}

// Rows that no condition divides, one pass over the tree against tables.
TEST_P(SingleInputTrees, TablesSayTheSame) {
  const Task task = GetParam() % 2 == 0 ? Task::classification : Task::regression;
  for (const bool hard : {true, false}) {
    const Example example =
        single_input_example(task, static_cast<uint64_t>(GetParam()) + 100, hard);
    const auto paths =
        PathTree::make(example.lowered, Quantity(example.lowered, AnswerScale::usual));
    ASSERT_TRUE(paths);
    const auto tables = EndTables::make(*paths, size_t{1} << 20);
    ASSERT_TRUE(tables);
    EXPECT_FALSE(EndTables::make(*paths, 1));
    constexpr size_t lanes = ProductGame::lanes;
    const size_t edges = paths->edges().size();
    std::vector<double> own(edges * lanes), training(edges * lanes);
    std::vector<uint16_t> passes(edges);
    for (size_t l = 0; l < lanes; ++l) paths->training_weights(training.data(), l, lanes);
    ProductGame game(*paths);
    std::vector<double> found(paths->inputs().size() * paths->outputs());
    for (RowIndex row = 0; row < example.table.rows(); ++row) {
      for (size_t l = 0; l < lanes; ++l) {
        paths->row_weights(example.table, row, own.data(), l, lanes);
      }
      const bool divided = std::any_of(own.begin(), own.end(),
                                       [](double weight) { return weight != 0 && weight != 1; });
      ASSERT_EQ(paths->passes(example.table, {&row, 1}, passes.data()), !divided);
      if (divided) continue;
      tables->values(1, passes.data(), found.data());
      const std::span<const double> wanted = game.values(own.data(), training.data());
      for (size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], wanted[v * lanes], 1e-12);
    }
  }
}

// Enough rows for tables; in some of these trees a condition divides some of them.
TEST(Shapley, ManyRowsAreExplainedAsFewAre) {
  size_t with_tables = 0;
  for (uint64_t index = 0; index < 12; ++index) {
    const Example example = single_input_example(Task::classification, index, true);
    const std::vector<RowIndex> few = all_rows(example.table);
    const auto paths =
        PathTree::make(example.lowered, Quantity(example.lowered, AnswerScale::usual));
    std::vector<uint16_t> passes(paths->edges().size() * few.size());
    with_tables += paths->passes(example.table, few, passes.data()) ? 1 : 0;
    std::vector<RowIndex> many;
    for (size_t i = 0; i < 3000; ++i) many.push_back(few[i % few.size()]);
    const Predictor predictor(example.model.tree);
    const auto explain = [&](const std::vector<RowIndex>& rows) {
      return explain_rows({example.lowered, predictor}, example.table, rows, nullptr, {},
                          Parallel(2));
    };
    const Explanation all = explain(many), some = explain(few);
    for (size_t i = 0; i < all.values.size(); ++i) {
      ASSERT_NEAR(all.values[i], some.values[i % some.values.size()], 1e-12) << index;
    }
  }
  EXPECT_GT(with_tables, 0U);
  EXPECT_LT(with_tables, 12U);
}

TEST_P(SingleInputTrees, InterventionalIsEnumeration) {
  for (const Task task : {Task::classification, Task::regression}) {
    const Example example = single_input_example(task, static_cast<uint64_t>(GetParam()), false);
    Random random(5, "background", static_cast<uint64_t>(GetParam()));
    const Table background = random_table(example.model.schema, 7, random);
    const Explanation explanation = explained(example, &background);
    EXPECT_EQ(explanation.method, ExplainMethod::interventional);
    EXPECT_EQ(explanation.background_rows, 7U);
    expect_sums(explanation);
    const std::vector<double> cells = cells_of(example.table, 3);
    for (size_t o = 0; o < explanation.outputs.size(); ++o) {
      const std::vector<double> wanted = by_permutations(cells.size(), [&](uint32_t coalition) {
        return mixed_value(example.lowered, cells, coalition, background, o);
      });
      for (size_t f = 0; f < cells.size(); ++f) {
        EXPECT_NEAR(explanation.value(3, f, o), wanted[f],
                    1e-12 * std::max(1.0, std::abs(wanted[f])));
      }
    }
  }
}

// Sums over several inputs, surrogates and formulas in leaves.
TEST_P(SingleInputTrees, AllOtherTreesAreEnumerated) {
  for (const Task task : {Task::classification, Task::regression}) {
    Random random(11, "any tree", static_cast<uint64_t>(GetParam()));
    const Schema schema = mixed_schema(task);
    Model model = model_of(schema, random_tree(schema, RandomTreeOptions{}, random));
    LoweredTree lowered = lower(model);
    const Example example{std::move(model), std::move(lowered), random_table(schema, 9, random)};
    const Table background = random_table(schema, 5, random);
    const Explanation explanation = explained(example, &background);
    EXPECT_TRUE(explanation.is_exact());
    expect_sums(explanation);
    const std::vector<double> cells = cells_of(example.table, 1);
    for (size_t o = 0; o < explanation.outputs.size(); ++o) {
      const std::vector<double> wanted = by_permutations(cells.size(), [&](uint32_t coalition) {
        return mixed_value(example.lowered, cells, coalition, background, o);
      });
      for (size_t f = 0; f < cells.size(); ++f) {
        EXPECT_NEAR(explanation.value(1, f, o), wanted[f],
                    1e-12 * std::max(1.0, std::abs(wanted[f])));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, SingleInputTrees, ::testing::Range(0, 8));

// y = 1 where a > 0 and b > 0, else 0; c is never asked.
Example symmetric_example() {
  Schema schema;
  for (const char* name : {"a", "b", "c"}) schema.features.push_back({name, Kind::numeric, {}});
  schema.target = {"y", Kind::numeric, {}};
  Tree tree(Task::regression, 0);
  const auto fill = [&](NodeIndex i, double weight, double mean) {
    tree.sums(i)[0] = weight;
    tree.sums(i)[1] = mean;
  };
  fill(0, 8, 0.25);
  const NodeIndex first = tree.split(0, threshold_gate(0, 0), {});
  fill(first, 4, 0);
  fill(first + 1, 4, 0.5);
  const NodeIndex second = tree.split(first + 1, threshold_gate(1, 0), {});
  fill(second, 2, 0);
  fill(second + 1, 2, 1);
  ColumnDraft column(Kind::numeric);
  column.numbers = {1, 1};
  const Column ones = std::move(column);
  Table table(schema, 2, {ones, ones, ones}, Column{Kind::numeric, {}, {}, 0}, {});
  Model model = model_of(schema, std::move(tree));
  LoweredTree lowered = lower(model);
  return {std::move(model), std::move(lowered), std::move(table)};
}

TEST(Shapley, SymmetricInputsShareAndUnusedOnesGetNothing) {
  const Explanation explanation = explained(symmetric_example());
  EXPECT_EQ(explanation.base_values, std::vector<double>{0.25});
  // From 1/4 to 1, half each: 1/2 (1/2 - 1/4) + 1/2 (1 - 1/2).
  EXPECT_NEAR(explanation.value(0, 0), 0.375, 1e-15);
  EXPECT_NEAR(explanation.value(0, 1), 0.375, 1e-15);
  EXPECT_EQ(explanation.value(0, 2), 0);
  EXPECT_EQ(explanation.outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(explanation.scale, AnswerScale::value);
}

TEST(Shapley, OneLeafExplainsNothing) {
  Schema schema = mixed_schema(Task::classification);
  Tree tree(Task::classification, 3);
  for (size_t k = 0; k < 3; ++k) tree.sums(0)[k] = 1;
  Random random(1, "leaf");
  Model model = model_of(schema, std::move(tree));
  LoweredTree lowered = lower(model);
  const Example example{std::move(model), std::move(lowered), random_table(schema, 3, random)};
  const Explanation explanation = explained(example);
  expect_sums(explanation);
  for (const double value : explanation.values) EXPECT_EQ(value, 0);
}

// The log odds of a mixture of log odds are a mean of constants, their probability is not.
TEST(Shapley, LogOddsOfMixedScores) {
  Example example = single_input_example(Task::classification, 3, false);
  example.model.tree.set_leaf_plan(trained_leaves(LeafMixing::scores));
  example.lowered = lower(example.model);
  ASSERT_EQ(example.lowered.mixing.kind, MixingKind::scores);
  const Explanation odds = explained(example);
  EXPECT_EQ(odds.scale, AnswerScale::log_odds);
  EXPECT_EQ(odds.method, ExplainMethod::path_dependent);
  expect_sums(odds);

  ExplainSettings settings;
  settings.scale = AnswerScale::probability;
  const Explanation probability = explained(example, nullptr, settings);
  EXPECT_EQ(probability.method, ExplainMethod::interventional);
  EXPECT_EQ(probability.background_rows, example.table.rows());
  expect_sums(probability);
  const std::vector<double> cells = cells_of(example.table, 0);
  const std::vector<double> wanted = by_permutations(cells.size(), [&](uint32_t coalition) {
    return mixed_value(example.lowered, cells, coalition, example.table, 0);
  });
  for (size_t f = 0; f < cells.size(); ++f) {
    EXPECT_NEAR(probability.value(0, f, 0), wanted[f], 1e-12);
  }

  example = single_input_example(Task::classification, 3, false);
  settings.scale = AnswerScale::log_odds;
  EXPECT_THROW(explained(example, nullptr, settings), Error);
}

// A sum over 14 inputs: additive in the score, so that sampling has something to be wrong about.
TEST(Shapley, ManyInputsAreSampledWithTheirError) {
  constexpr size_t inputs = 14;
  Schema schema;
  for (size_t f = 0; f < inputs; ++f) {
    schema.features.push_back({"x" + std::to_string(f), Kind::numeric, {}});
  }
  schema.target = {"y", Kind::numeric, {}};
  ScoreGate gate;
  for (uint32_t f = 0; f < inputs; ++f)
    gate.terms.push_back({TermForm::value, f, 0, 0.2 * (f + 1)});
  gate.link.form = LinkForm::logistic;
  Tree tree(Task::regression, 0);
  tree.sums(0)[0] = 2;
  const NodeIndex first = tree.split(0, gate, {});
  tree.sums(first)[0] = tree.sums(first + 1)[0] = 1;
  tree.sums(first + 1)[1] = 1;
  Random random(2, "cells");
  std::vector<Column> columns;
  for (size_t f = 0; f < inputs; ++f) {
    ColumnDraft column(Kind::numeric);
    for (size_t i = 0; i < 20; ++i) column.numbers.push_back(random.normal());
    columns.push_back(std::move(column));
  }
  Table table(schema, 20, columns, Column{Kind::numeric, {}, {}, 0}, {});
  Model model = model_of(schema, std::move(tree));
  LoweredTree lowered = lower(model);
  const Example example{std::move(model), std::move(lowered), std::move(table)};
  const Explanation explanation = explained(example);
  EXPECT_FALSE(explanation.is_exact());
  expect_sums(explanation);
  EXPECT_EQ(explained(example).values, explanation.values);
  // Exact values of one row by all coalitions.
  const std::vector<double> cells = cells_of(example.table, 0);
  std::vector<double> means(size_t{1} << inputs);
  for (uint32_t s = 0; s < means.size(); ++s) {
    for (RowIndex row = 0; row < 20; ++row) {
      double score = 0;
      for (size_t f = 0; f < inputs; ++f) {
        score += 0.2 * static_cast<double>(f + 1) *
                 ((s >> f & 1U) != 0 ? cells[f] : example.table.input(f).numbers[row]);
      }
      means[s] += 1 / (1 + std::exp(-score)) / 20;
    }
  }
  for (size_t f = 0; f < inputs; ++f) {
    double exact = 0;
    for (uint32_t s = 0; s < means.size(); ++s) {
      if ((s >> f & 1U) != 0) continue;
      const double before = std::popcount(s);
      exact += std::exp(std::lgamma(before + 1) + std::lgamma(inputs - before) -
                        std::lgamma(inputs + 1.0)) *
               (means[s | 1U << f] - means[s]);
    }
    const double error = explanation.standard_errors[f];
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 0.01);
    EXPECT_NEAR(explanation.value(0, f), exact, 5 * error);
  }
}

TEST(Shapley, BackgroundDoesNotDependOnTheOrderOfRows) {
  Random random(3, "rows");
  const Schema schema = mixed_schema(Task::regression);
  const Table table = random_table(schema, 30, random);
  std::vector<RowIndex> reversed = all_rows(table);
  std::reverse(reversed.begin(), reversed.end());
  const std::vector<uint32_t> inputs = {0, 1};
  const Table one = background_of(table, 10, inputs);
  const Table other = background_of(rows_of(table, reversed, inputs), 10, inputs);
  ASSERT_EQ(one.rows(), 10U);
  for (RowIndex row = 0; row < 10; ++row) {
    for (const uint32_t input : inputs) {
      EXPECT_EQ(std::isnan(one.input(input).value(row)), std::isnan(other.input(input).value(row)));
      if (std::isnan(one.input(input).value(row))) continue;
      EXPECT_EQ(one.input(input).value(row), other.input(input).value(row));
    }
    EXPECT_TRUE(one.input(4).is_missing(row));
  }
}

}  // namespace
}  // namespace softwood
