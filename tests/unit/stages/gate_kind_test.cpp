// A kind of gate that the library does not know (support/toy_gate.h): everything works with it or
// says by name what it can't do.
#include <gtest/gtest.h>

#include <numeric>

#include "lower/lower.h"
#include "softwood/error.h"
#include "stages/recipe.h"
#include "support/tables.h"
#include "support/toy_gate.h"
#include "support/trees.h"
#include "tree/compiled.h"
#include "tree/edit.h"
#include "tree/importance.h"
#include "tree/model_load.h"
#include "tree/recount.h"
#include "tree/spreads.h"
#include "use/evaluate.h"

namespace softwood {
namespace {

using test::modulo_gate;

constexpr size_t rows = 240;

// The class is that of the number modulo 3, but for every eleventh row; some cells are missing.
Table modulo_table() {
  std::vector<double> first, second;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < rows; ++i) {
    first.push_back(i % 17 == 0 ? missing_number : static_cast<double>(i) / 2);
    second.push_back(static_cast<double>(i * 7 % 31));
    classes.push_back(static_cast<int32_t>((i / 2 + (i % 11 == 0 ? 1 : 0)) % 3));
  }
  return test::classes_table({test::numbers(first), test::numbers(second)}, classes, {}, 3);
}

// A modulo gate at the root, and below its first child a threshold. The rule is the one given.
Tree modulo_tree(const Table& table, double blur = 0, MissingRule rule = MissingRule::child) {
  Tree tree(Task::classification, 3);
  Missing missing;
  missing.rule = rule;
  if (rule == MissingRule::shares) missing.shares = {0.5, 0.25, 0.25};
  tree.set_typical({4.5, 2});
  const NodeIndex first = tree.split(0, modulo_gate({0, 3, blur}), missing);
  tree.split(first, threshold_gate(1, 12), {});
  tree.canonicalise();
  count_rows(tree, table, all_rows(table));
  return tree;
}

Model modulo_model(double blur = 0) {
  const Table table = modulo_table();
  return {table.schema(), modulo_tree(table, blur), {"", "grow", 1, "", "", rows}, std::nullopt};
}

TEST(ToyGate, SendsRowsInEveryDescent) {
  const Table table = modulo_table();
  const Tree tree = modulo_tree(table);
  const Compiled compiled(tree);
  ASSERT_TRUE(compiled.single_path());
  std::vector<NodeIndex> ends(rows);
  compiled.end_nodes(table, all_rows(table), ends);
  for (RowIndex row = 0; row < rows; ++row) {
    const double value = table.input(0).value(row);
    const size_t child = std::isnan(value) ? 0 : static_cast<size_t>(std::floor(value)) % 3;
    const NodeIndex expected = child > 0                         ? 1 + child
                               : table.input(1).value(row) <= 12 ? tree.node(1).first_child
                                                                 : tree.node(1).first_child + 1;
    EXPECT_EQ(ends[row], expected) << row;
  }
}

TEST(ToyGate, DividesRowsThatAreSoftOrMissing) {
  const Table table = modulo_table();
  for (const MissingRule rule : {MissingRule::child, MissingRule::shares, MissingRule::stay,
                                 MissingRule::own, MissingRule::impute}) {
    const Tree tree = modulo_tree(table, 0.3, rule);
    std::vector<Arrival> arrivals;
    Compiled(tree).arrivals(table, all_rows(table), arrivals);
    const double sum = std::accumulate(
        arrivals.begin(), arrivals.end(), 0.0,
        [](double before, const Arrival& arrival) { return before + arrival.weight; });
    EXPECT_NEAR(sum, rows, 1e-9);
    Tree again = tree;
    recount(again, table, all_rows(table));
    test::expect_same_tree(again, tree, 1e-12);
  }
}

TEST(ToyGate, IsSavedAndLoadedWithItsLineInTheTable) {
  for (const double blur : {0.0, 0.25}) {
    const std::string text = model_to_text(modulo_model(blur), test::kinds_with_modulo());
    const Model loaded = model_from_text(text, "toy.json", test::kinds_with_modulo());
    EXPECT_EQ(model_to_text(loaded, test::kinds_with_modulo()), text);
    EXPECT_TRUE(loaded.tree.node(0).gate() == modulo_gate({0, 3, blur}));
    EXPECT_FALSE(loaded.tree.node(0).gate() == modulo_gate({0, 3, 0.5}));
  }
}

TEST(ToyGate, IsRefusedByNameWithoutIt) {
  const std::string text = model_to_text(modulo_model(), test::kinds_with_modulo());
  try {
    model_from_text(text, "toy.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("modulo"), std::string::npos) << error.what();
  }
}

// So every view, picture and export refuses it by name.
TEST(ToyGate, HasNoLoweredFormAndSaysSo) {
  try {
    lower(modulo_model());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("modulo"), std::string::npos) << error.what();
  }
}

TEST(ToyGate, CountsInShapeImportanceAndSpreads) {
  const Table table = modulo_table();
  Model model = modulo_model();
  EXPECT_EQ(shape_of(model.tree).leaves, 4U);
  EXPECT_TRUE(features_used(model.tree, 2)[0]);
  model.tree.node(0).notes().gain = 0.5;
  EXPECT_GT(importance_of(model)[0], 0);
  note_spreads(model.tree, table, all_rows(table));
  EXPECT_EQ(gate_kind(model.tree.node(0).gate()), "modulo");
}

// Every stage that works on a tree, with each of its ways (`by`).
std::vector<std::string> steps_on_trees() {
  std::vector<std::string> steps;
  for (const Stage& stage : stages()) {
    if (stage.starts) continue;
    const size_t before = steps.size();
    for (const OptionSpec& option : stage.options) {
      if (option.name != "by") continue;
      for (const std::string& way : option.choices) steps.push_back(stage.name + " by=" + way);
    }
    if (steps.size() == before) steps.push_back(stage.name);
  }
  return steps;
}

Tree run_on(const Tree& tree, const Table& table, const std::string& step) {
  Derived derived(table);
  const std::vector<RowIndex> all = all_rows(table);
  const std::vector<RowIndex> held_out(all.begin(), all.begin() + rows / 3);
  const Training training{derived, all, Sample{&table, held_out}, 1};
  return run_recipe(Recipe::parse(step, {}, true), training, Parallel(1), {}, tree).tree;
}

// What is left of the tree answers; what can't be done is said, and of which kind the gate is.
TEST(ToyGate, GoesThroughEveryStageOrIsRefusedByName) {
  const Table table = modulo_table();
  const std::vector<std::string> steps = steps_on_trees();
  ASSERT_GE(steps.size(), 6U);
  for (const std::string& step : steps) {
    for (const double blur : {0.0, 0.25}) {
      SCOPED_TRACE(step + (blur > 0 ? ", soft" : ", hard"));
      try {
        const Tree tree = run_on(modulo_tree(table, blur), table, step);
        const Predictions answers = predict(tree, table, all_rows(table), Parallel(1));
        for (const double answer : answers.answers) EXPECT_TRUE(std::isfinite(answer));
      } catch (const Error& error) {
        const std::string said = std::string(error.what()) + error.hint();
        const bool by_name = said.find("modulo") != std::string::npos ||
                             said.find("harden first") != std::string::npos;
        EXPECT_TRUE(by_name && blur > 0) << said;
      }
    }
  }
}

TEST(ToyGate, StaysAsItIsWhereAStageKnowsNoBetter) {
  const Table table = modulo_table();
  const Gate toy = modulo_gate({0, 3, 0});
  for (const char* step : {"soften by=anneal", "soften by=interval", "soften by=gradient",
                           "refine by=alternating", "refine by=gradient", "harden"}) {
    SCOPED_TRACE(step);
    const Tree tree = run_on(modulo_tree(table), table, step);
    ASSERT_FALSE(tree.node(0).is_leaf());
    EXPECT_TRUE(tree.node(0).gate() == toy);
  }
}

TEST(ToyGate, HasNoHardFormWhereItIsSoft) {
  try {
    hardened(modulo_gate({0, 3, 0.5}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("modulo"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace softwood
