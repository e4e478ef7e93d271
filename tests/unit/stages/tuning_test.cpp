// What stages that soften and tune say, keep and refuse.
#include <gtest/gtest.h>

#include <atomic>

#include "softwood/error.h"
#include "stages/prune/complexity.h"
#include "stages/recipe.h"
#include "support/grow.h"
#include "support/tables.h"
#include "support/trees.h"

namespace softwood {
namespace {

Table diagonal(size_t rows, uint64_t seed) {
  Random random(seed, "diagonal");
  std::vector<double> a, b;
  std::vector<int32_t> classes;
  for (size_t i = 0; i < rows; ++i) {
    a.push_back(random.uniform());
    b.push_back(random.uniform());
    classes.push_back(a.back() + b.back() + 0.1 * random.normal() > 1 ? 1 : 0);
  }
  return test::classes_table({test::numbers(a), test::numbers(b)}, classes);
}

struct Told {
  std::vector<std::string> notes, warnings;
  std::vector<double> progress;  // of the training

  Control control() {
    Control control;
    control.note = [this](const std::string& text) { notes.push_back(text); };
    control.warning = [this](const std::string& text) { warnings.push_back(text); };
    control.progress = [this](double share, std::string_view what) {
      if (what == "training") progress.push_back(share);
    };
    return control;
  }
  bool has(const std::string& part) const {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  }
};

Trained told_run(const Table& table, const std::string& recipe, Told& told) {
  Derived derived(table);
  const std::vector<RowIndex> rows = all_rows(table);
  const Control control = told.control();
  return run_recipe(Recipe::parse(recipe), {derived, rows, {}, 1}, Parallel(2), control);
}

TEST(Tuning, SaysWhatItDidAndHowFarItIs) {
  const Table table = diagonal(500, 3);
  for (const char* stage : {"soften by=gradient", "refine by=gradient"}) {
    Told told;
    told_run(table, std::string("grow max-leaves=8 | ") + stage, told);
    EXPECT_TRUE(told.has(std::string(stage) + ": ")) << stage;
    EXPECT_TRUE(told.has("steps of training; mean loss on the held-out rows")) << stage;
    ASSERT_GE(told.progress.size(), 5U) << stage;
    EXPECT_TRUE(std::is_sorted(told.progress.begin(), told.progress.end())) << stage;
    EXPECT_GT(told.progress.front(), 0);
    EXPECT_LE(told.progress.back(), 1);
    EXPECT_GT(told.progress.back(), 0.9);
  }
}

TEST(Tuning, SaysWhenTheTreeStaysAsItIs) {
  std::vector<double> x;
  std::vector<int32_t> classes;
  Random random(10, "step");
  for (int i = 0; i < 400; ++i) {
    classes.push_back(i % 2);
    x.push_back(random.uniform() + 1.5 * classes.back());
  }
  const Table table = test::classes_table({test::numbers(x)}, classes);
  Told told;
  told_run(table, "grow | soften by=gradient move=ramps", told);
  EXPECT_TRUE(told.has("soften by=gradient: the tree stays as it is"));
}

TEST(SoftenByGradient, RefusesLossesOfClassesForNumbers) {
  const Table table = test::random_table({.rows = 100, .classes = 0}, 4);
  for (const char* loss : {"log", "exponential"}) {
    EXPECT_THROW(
        test::run(table, std::string("grow max-leaves=4 | soften by=gradient loss=") + loss), Error)
        << loss;
  }
  const std::string recipe = "grow max-leaves=4 | soften by=gradient steps=20";
  EXPECT_EQ(test::text_of(test::run(table, recipe + " loss=squared"), table.schema()),
            test::text_of(test::run(table, recipe), table.schema()));
}

// The rules of the grown tree are those of the softened one.
TEST(SoftenByGradient, KeepsTheRulesForMissingValues) {
  const Table whole = diagonal(600, 6);
  std::vector<Column> inputs = {whole.input(0), whole.input(1)};
  for (size_t i = 0; i < whole.rows(); i += 7) inputs[i % 2].numbers[i] = missing_number;
  const Table table = test::classes_table(inputs, whole.target().codes);
  for (const char* missing : {"surrogate", "fractional", "majority"}) {
    const std::string grown = std::string("grow max-leaves=6 missing=") + missing;
    const Tree tree = test::run(table, grown);
    const Tree soft = test::run(table, grown + " | soften by=gradient");
    ASSERT_EQ(soft.size(), tree.size());
    bool any_soft = false;
    for (NodeIndex i = 0; i < tree.size(); ++i) {
      if (tree.node(i).is_leaf()) continue;
      EXPECT_EQ(soft.node(i).missing(), tree.node(i).missing()) << missing;
      any_soft = any_soft || !(soft.node(i).gate() == tree.node(i).gate());
    }
    EXPECT_TRUE(any_soft) << missing;
  }
}

TEST(Refine, NamesHardenAfterRamps) {
  const Table table = diagonal(200, 5);
  try {
    test::run(table, "grow max-leaves=4 | soften | refine");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("harden"), std::string::npos) << error.hint();
  }
}

TEST(Harden, WarnsWhenOtherRowsAreCounted) {
  const Table table = diagonal(300, 7), others = diagonal(40, 8);
  const Tree soft = test::run(table, "grow max-leaves=4 | soften");
  const Recipe recipe = Recipe::parse("grow max-leaves=4 | soften | harden");
  for (const Table* rows_of : {&table, &others}) {
    Told told;
    Derived derived(*rows_of);
    const std::vector<RowIndex> rows = all_rows(*rows_of);
    const Control control = told.control();
    run_recipe(recipe, {derived, rows, {}, 1}, Parallel(1), control, soft, 2);
    EXPECT_EQ(told.warnings.size(), rows_of == &table ? 0U : 1U);
  }
}

TEST(Softening, OfTheSequenceMarksItsTreeInTheTable) {
  const Table table = diagonal(400, 3);
  Told told;
  const Trained trained =
      told_run(table, "grow min-leaf=5 | prune rule=min | soften over=sequence choose=error", told);
  ASSERT_TRUE(trained.findings.complexity);
  const ComplexityTable& complexity = *trained.findings.complexity;
  EXPECT_EQ(complexity.rows[complexity.chosen].splits, shape_of(trained.tree).leaves - 1);
  EXPECT_TRUE(told.has("with success; the one that stays has"));
}

TEST(ComplexityTable, MarksTheRowOfATree) {
  const Table table = diagonal(400, 3);
  Tree grown = test::run(table, "grow min-leaf=5");
  prune::note_alphas(grown, prune::Sequence::weakest_link);
  ComplexityTable rows = prune::complexity_table(grown);
  ASSERT_GT(rows.rows.size(), 3U);
  EXPECT_EQ(rows.chosen, rows.rows.size() - 1);
  prune::mark_tree(prune::pruned_at(grown, rows.rows[2].cp), rows);
  EXPECT_EQ(rows.chosen, 2U);
}

}  // namespace
}  // namespace softwood
